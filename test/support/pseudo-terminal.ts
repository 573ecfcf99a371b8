import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { childEnvironment } from './child-environment.ts'
import { hasProgram } from './has-program.ts'

/** The program `script`, which runs others in a terminal. */
export const scriptNeed = hasProgram('script', 'bsdutils')

export interface Typing {
  environment?: Record<string, string>
  folder?: string
  /** Texts to type, each after a given text has been shown. */
  answers: readonly (readonly [shown: string, typed: string])[]
}

/** Runs a command in a pseudo-terminal and types into it. Returns its exit status and output. */
export async function runInTerminal(
  command: readonly string[],
  { environment = {}, folder, answers }: Typing,
): Promise<{ code: number | null; shown: string }> {
  const line = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', line, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], SHELL: '/bin/sh', TERM: 'xterm', ...childEnvironment, ...environment },
  })
  let [shown, seen] = ['', 0]
  const waiting = [...answers]
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
    const [next] = waiting
    const at = next ? shown.indexOf(next[0], seen) : -1
    if (!next || at === -1) return
    seen = at + next[0].length
    waiting.shift()
    child.stdin.write(next[1])
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, shown: shown.replaceAll('\r', '') }
}
