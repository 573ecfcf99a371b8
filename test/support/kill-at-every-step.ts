import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createAccount } from '../../src/accounts/create-account.ts'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { runChecks } from '../../src/admin/doctor/run-checks.ts'
import { readConfig } from '../../src/app/config.ts'
import { sweep } from '../../src/maintenance/sweep.ts'
import { createLog } from '../../src/app/log.ts'
import { startServer, type RunningServer } from '../../src/app/start.ts'
import { freePort } from './server.ts'
import { compileCacheEnvironment } from './server-process.ts'

/** Short, so that a run need not wait long for a dead worker's job. */
export const leaseMs = 1500

const serverScript = fileURLToPath(new URL('killable-server.ts', import.meta.url))
const log = createLog('silent')

/** What a run of a crash test does: before the kill, to be killed, and after the restart. */
export interface Scenario<T> {
  /** With the server up, before steps are counted. */
  prepare(baseUrl: string): Promise<T>
  /** What is killed; errors are those of a server that went away. */
  act(baseUrl: string, prepared: T): Promise<void>
  /** What the client does when the server is back, and what must hold then. */
  recover(server: Restarted, prepared: T): Promise<void>
  /** What must hold once the server has cleaned up behind the crash. */
  afterCleanup?(server: Restarted): Promise<void>
}

export interface Restarted {
  baseUrl: string
  running: RunningServer
}

export interface Library {
  /** Holds the data directory. */
  directory: string
  id: string
  key: string
}

/** A data directory with an account; `fill` puts more into it. */
export async function makeLibrary(
  fill: (server: Restarted, owner: { id: string; key: string }) => Promise<void> = async () => {},
): Promise<Library> {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-kill-'))
  const server = await start(join(directory, 'data'))
  const { services } = server.running.opened
  const { id } = await createAccount(services, { email: 'reader@lectern.example' })
  const { key } = await createApiKey(services, id, {})
  await fill(server, { id, key })
  await server.running.stop()
  return { directory, id, key }
}

/**
 * Runs a scenario on copies of a library, killed after the first step, the second, and so on, until a run is not killed
 * any more. Returns how many kills there were.
 */
export async function killAtEveryStep<T>(library: Library, scenario: Scenario<T>): Promise<number> {
  let next = 1
  let completedRuns = 0
  const runNext = async () => {
    while (completedRuns === 0) {
      const step = next++
      try {
        if (!(await killOnce(library, scenario, step))) completedRuns += 1
      } catch (cause) {
        throw new Error(`killed after step ${step}: ${cause instanceof Error ? cause.message : String(cause)}`, {
          cause,
        })
      }
    }
  }
  const workers = await Promise.allSettled([runNext(), runNext(), runNext()])
  for (const result of workers) if (result.status === 'rejected') throw result.reason
  return next - 1 - completedRuns
}

/** One run; false when it came to its end before the step. */
async function killOnce<T>(library: Library, scenario: Scenario<T>, step: number): Promise<boolean> {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-kill-'))
  try {
    await cp(join(library.directory, 'data'), directory, { recursive: true })
    const baseUrl = `http://127.0.0.1:${await freePort()}`
    const env = { ...compileCacheEnvironment, ...serverEnvironment(directory, baseUrl) }
    const child = fork(serverScript, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    const ended = once(child, 'exit')
    await expectMessage(child, 'ready')
    const prepared = await scenario.prepare(baseUrl)
    child.send(step)
    await expectMessage(child, 'armed')
    await Promise.race([ended, scenario.act(baseUrl, prepared).catch(() => ended)])
    const killed = child.signalCode === 'SIGKILL'
    child.kill('SIGKILL')
    await ended
    await restartAndCheck(directory, scenario, prepared)
    return killed
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function expectMessage(child: ChildProcess, expected: string): Promise<void> {
  const [received] = await Promise.race([once(child, 'message'), once(child, 'exit')])
  if (received !== expected) throw new Error(`The server ended before it was ${expected} (${child.exitCode})`)
}

/** Starts the server again, lets the client recover, waits for the sweep of the next minutes and examines everything. */
async function restartAndCheck<T>(directory: string, scenario: Scenario<T>, prepared: T): Promise<void> {
  const server = await start(directory)
  const { services, database } = server.running.opened
  try {
    await scenario.recover(server, prepared)
    const later = new Date(Date.now() + 10 * 60_000)
    await sweep({ ...services, now: () => later, log })
    const { checks } = await runChecks({ db: database.db, services, deep: true })
    const wrong = checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`)
    if (wrong.length > 0) throw new Error(`Invariants broken: ${wrong.join('\n')}`)
    for await (const { id } of services.accounts.listStalePending(later))
      throw new Error(`Account ${id} has unsettled slots`)
    await scenario.afterCleanup?.(server)
  } finally {
    await server.running.stop()
  }
}

async function start(directory: string): Promise<Restarted> {
  const baseUrl = `http://127.0.0.1:${await freePort()}`
  return { baseUrl, running: await startServer(readConfig(serverEnvironment(directory, baseUrl)), log, { leaseMs }) }
}

function serverEnvironment(directory: string, baseUrl: string): Record<string, string> {
  return {
    PORT: new URL(baseUrl).port,
    LECTERN_BASE_URL: baseUrl,
    LECTERN_DATA_DIR: directory,
    LECTERN_LOG_LEVEL: 'silent',
    TEST_LEASE_MS: String(leaseMs),
  }
}
