import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { childEnvironment } from './child-environment.ts'
import { readerCode, readerCodeDirectory } from './reader-code.ts'
import { freePort } from './server.ts'

const projectRoot = fileURLToPath(new URL('../../', import.meta.url))

/** A server in a separate process, started like `npm start`. */
export interface ServerProcess {
  baseUrl: string
  child: ChildProcess
  /** Its standard output and error so far. */
  output(): string
  /** The exit code; null if a signal ended it. */
  exited: Promise<number | null>
}

/** The environment of a process whose clock is off by this many ms. */
export function skewedClockEnvironment(ms: number): Record<string, string> {
  const program = fileURLToPath(new URL('skewed-clock.ts', import.meta.url))
  return { TEST_CLOCK_MS: String(ms), NODE_OPTIONS: `--import=${program}` }
}

/**
 * Starts a server on a data directory and waits until it is ready; it is killed after the test. A custom lease or
 * program makes it differ slightly from `npm start`.
 */
export async function startProcess(
  directory: string,
  { leaseMs, program: other, ...environment }: Record<string, string> & { leaseMs?: string; program?: string } = {},
): Promise<ServerProcess> {
  const own = leaseMs === undefined ? ['bin/lectern.cjs', 'start'] : ['test/support/killable-server.ts']
  const program = other === undefined ? own : [`test/support/${other}`]
  const port = environment['PORT'] ?? String(await freePort())
  const baseUrl = `http://127.0.0.1:${port}`
  const defaults = { PORT: port, LECTERN_BASE_URL: baseUrl, LECTERN_DATA_DIR: directory }
  if (leaseMs !== undefined) await readerCode.prepare(new Date())
  const child = spawn(process.execPath, program, {
    cwd: projectRoot,
    env: {
      ...childEnvironment,
      ...defaults,
      LECTERN_LOG_LEVEL: 'warn',
      TEST_LEASE_MS: leaseMs ?? '',
      TEST_READER_CODE: readerCodeDirectory,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  onTestFinished(() => void child.kill('SIGKILL'))
  const server = { baseUrl, child, output: () => output, exited }
  await waitUntilReady(server)
  return server
}

async function waitUntilReady({ baseUrl, child, output }: ServerProcess): Promise<void> {
  for (;;) {
    const answer = await fetch(`${baseUrl}/readyz`).catch(() => null)
    if (answer?.ok) return
    if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}: ${output()}`)
    await delay(50)
  }
}
