import { fork, type ChildProcess, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from './child-environment.ts'

interface ForkOptions {
  env: NodeJS.ProcessEnv
  /** Its output: inherited from the parent, or piped to it. */
  output?: 'inherit' | 'pipe'
  /** In addition to the standard streams and the channel to the parent: one more pipe, at descriptor 4. */
  pipe?: boolean
}

/** A program of this folder in a separate process. */
export interface ForkedProcess {
  child: ChildProcess
  ended: Promise<unknown>
}

/** Starts a program of this folder and waits until it reports `ready`; throws if it ends before. */
export async function forkAndWait(
  program: string,
  { env, output = 'inherit', pipe = false }: ForkOptions,
): Promise<ForkedProcess> {
  const stdio: StdioOptions = ['ignore', output, output, 'ipc', ...(pipe ? ['pipe' as const] : [])]
  const path = fileURLToPath(new URL(program, import.meta.url))
  const child = fork(path, { env: { ...childEnvironment, ...env }, stdio })
  const ended = once(child, 'exit')
  await expectMessage(child, 'ready')
  return { child, ended }
}

/** Waits for the next message of a process; throws if it is another one or the process ends. */
export async function expectMessage(child: ChildProcess, expected: string): Promise<void> {
  const [received] = await Promise.race([once(child, 'message'), once(child, 'exit')])
  if (received !== expected) throw new Error(`The process ended before it was ${expected} (${child.exitCode})`)
}
