import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { endMark, type CommandOrder } from './command-order.ts'
import { childEnvironment } from './child-environment.ts'
import { forkAndWait } from './fork-and-wait.ts'

const projectRoot = fileURLToPath(new URL('../../', import.meta.url))

/** The arguments with which Node runs `lectern`. */
export const lecternCommand = [join(projectRoot, 'bin/lectern.cjs')]

export interface CommandRun {
  /** The exit code; null if a signal ended the process. */
  code: number | null
  stdout: string
  stderr: string
  /** The output with `--json`. */
  json: any
}

/** Runs the `lectern` command with only this environment, in a process that is kept for the next command. */
export function runLectern(args: readonly string[], environment: Record<string, string>): Promise<CommandRun> {
  const run = last.then(() => runKept({ args, environment }))
  last = run.catch(() => {})
  return run
}

/** Serializes the commands. */
let last: Promise<unknown> = Promise.resolve()
let kept: Promise<ChildProcess> | null = null

async function runKept(order: CommandOrder): Promise<CommandRun> {
  kept ??= startKept()
  const child = await kept
  const outputs = [child.stdout, child.stderr].map((stream) => readToMark(stream as Readable))
  const answered = once(child, 'message')
  child.send(order)
  const [[code], stdout = '', stderr = ''] = await Promise.all([answered, ...outputs])
  return { code, stdout, stderr, json: parseJson(order.args, stdout) }
}

async function startKept(): Promise<ChildProcess> {
  const { child, ended } = await forkAndWait('command-process.ts', { env: {}, output: 'pipe' })
  void ended.then(() => (kept = null))
  // It ends with this process and does not keep it alive.
  child.unref()
  child.channel?.unref()
  for (const stream of [child.stdout, child.stderr]) (stream as Readable & { unref?(): void }).unref?.()
  return child
}

/** The output of a stream up to the mark; throws if the stream ends before. */
function readToMark(stream: Readable): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let text = ''
  const onEnd = () => reject(new Error(`The process of the commands has ended: ${text}`))
  const onData = (chunk: string) => {
    text += chunk
    if (!text.endsWith(endMark)) return
    stream.off('data', onData).off('end', onEnd)
    resolve(text.slice(0, -endMark.length))
  }
  stream.setEncoding('utf8').on('data', onData).once('end', onEnd)
  return promise
}

/** Runs the `lectern` command in a separate process, like a user. */
export async function runLecternProcess(
  args: readonly string[],
  environment: Record<string, string>,
): Promise<CommandRun> {
  const child = spawn(process.execPath, [...lecternCommand, ...args], {
    cwd: projectRoot,
    env: { ...childEnvironment, ...environment },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr, json: parseJson(args, stdout) }
}

function parseJson(args: readonly string[], stdout: string): unknown {
  return args.includes('--json') && stdout !== '' ? JSON.parse(stdout) : undefined
}
