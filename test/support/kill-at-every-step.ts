import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { cp, lstat, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { createAccount } from '../../src/accounts/create-account.ts'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { runChecks } from '../../src/admin/doctor/run-checks.ts'
import { readConfig } from '../../src/app/config.ts'
import { sweep } from '../../src/maintenance/sweep.ts'
import { createLog } from '../../src/app/log.ts'
import { startServer, type RunningServer } from '../../src/app/start.ts'
import { expectMessage, forkAndWait, type ForkedProcess } from './fork-and-wait.ts'
import type { Order } from './killable-server.ts'
import { readerCode, readerCodeDirectory } from './reader-code.ts'
import { freePort } from './server.ts'
import { shareExtractor } from './shared-extractor.ts'

/** Short, so that runs do not wait long for a dead worker's job, ms. */
export const leaseMs = 1500

const log = createLog('silent')

/** The phases of a crash test: before the kill, the killed action, and after the restart. */
export interface Scenario<T> {
  /** Runs with the server up, before steps are counted. */
  prepare(baseUrl: string): Promise<T>
  /** The action that is killed. Its last errors are those of a server that disappeared. */
  act(baseUrl: string, prepared: T): Promise<void>
  /** The actions of the client when the server is back, and the checks afterwards. */
  recover(server: Restarted, prepared: T): Promise<void>
  /** The checks after the server has cleaned up. */
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

/** Creates a data directory with an account; `fill` adds further data. */
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
 * Runs a scenario on a copy of a library whose server is stopped after each step, and lets it recover from the state
 * that a kill there would have left; then from two real kills, one in the middle and one at the end. Steps that leave
 * the same bytes as the step before them, because their writes had run at the same time, share one recovery. Returns
 * the number of steps.
 */
export async function killAtEveryStep<T>(library: Library, scenario: Scenario<T>): Promise<number> {
  const snapshots: Snapshot[] = []
  try {
    const { prepared, steps } = await recordSnapshots(library, scenario, snapshots)
    const queue = snapshots.values()
    const recoverNext = async () => {
      for (const { directory, what } of queue) await explain(what, () => restartAndCheck(directory, scenario, prepared))
    }
    await Promise.all([recoverNext(), recoverNext(), recoverNext()])
    const middle = Math.ceil(steps / 2)
    await explain(`killed after step ${middle}`, () => killOnce(library, scenario, middle))
    return steps
  } finally {
    for (const { directory } of snapshots) await rm(directory, { recursive: true, force: true })
  }
}

/** A data directory in the state that a kill has left, or would have. */
interface Snapshot {
  directory: string
  what: string
}

/**
 * Runs a scenario once; adds a snapshot for each step that changed a byte, and the directory itself after a kill at the
 * end. Returns the number of steps.
 */
async function recordSnapshots<T>(
  library: Library,
  scenario: Scenario<T>,
  snapshots: Snapshot[],
): Promise<{ prepared: T; steps: number }> {
  const { child, ended, baseUrl, directory } = await startKillable(library)
  let hasActed = false
  let steps = 0
  let lastDigest = ''
  const recordStops = async () => {
    for await (const _ of child.stdio[4] as Readable) {
      if (hasActed) return
      await untilStopped(child)
      const copy = await mkdtemp(join(tmpdir(), 'lectern-kill-'))
      steps += 1
      await copyDirectory(directory, copy)
      child.kill('SIGCONT')
      const digest = await digestDirectory(copy)
      if (digest === lastDigest) await rm(copy, { recursive: true })
      else snapshots.push({ directory: copy, what: `killed after step ${steps}` })
      lastDigest = digest
    }
    if (!hasActed) throw new Error(`The server ended by itself (${child.exitCode})`)
  }
  try {
    const prepared = await scenario.prepare(baseUrl)
    await giveOrder(child, 'stop after each')
    const recording = recordStops()
    await Promise.race([scenario.act(baseUrl, prepared), recording])
    hasActed = true
    child.kill('SIGKILL')
    await recording
    return { prepared, steps }
  } finally {
    child.kill('SIGKILL')
    await ended
    snapshots.push({ directory, what: 'killed at the end' })
  }
}

/** Waits until every thread of a process that has sent itself a SIGSTOP has stopped. */
async function untilStopped({ pid }: ChildProcess): Promise<void> {
  const tasks = `/proc/${pid}/task`
  const isStopped = (thread: string) => /\) [TZX] /.test(readFileSync(join(tasks, thread, 'stat'), 'utf8'))
  while (!readdirSync(tasks).every(isStopped)) await delay(1)
}

/** Copies a directory without sockets, which cannot be copied and have no listener after a kill. */
async function copyDirectory(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, filter: async (path) => !(await lstat(path)).isSocket() })
}

/** A digest of the paths and contents of all files of a directory. */
async function digestDirectory(directory: string): Promise<string> {
  const hash = createHash('sha256')
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const paths = entries.map((entry) => ({ path: join(entry.parentPath, entry.name), isFile: entry.isFile() }))
  for (const { path, isFile } of paths.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    hash.update(`${relative(directory, path)}\n`)
    if (isFile) hash.update(await readFile(path))
  }
  return hash.digest('hex')
}

async function explain(what: string, run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (cause) {
    throw new Error(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** Runs a scenario that is really killed after a step. */
async function killOnce<T>(library: Library, scenario: Scenario<T>, step: number): Promise<void> {
  const { child, ended, baseUrl, directory } = await startKillable(library)
  try {
    const prepared = await scenario.prepare(baseUrl)
    await giveOrder(child, { killAfter: step })
    await Promise.race([ended, scenario.act(baseUrl, prepared).catch(() => ended)])
    child.kill('SIGKILL')
    await ended
    await restartAndCheck(directory, scenario, prepared)
  } finally {
    child.kill('SIGKILL')
    await rm(directory, { recursive: true, force: true })
  }
}

interface KillableProcess extends ForkedProcess {
  baseUrl: string
  directory: string
}

/** A server process on a copy of a library. */
async function startKillable(library: Library): Promise<KillableProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-kill-'))
  await copyDirectory(join(library.directory, 'data'), directory)
  const baseUrl = `http://127.0.0.1:${await freePort()}`
  const forked = await forkAndWait('killable-server.ts', { env: serverEnvironment(directory, baseUrl), pipe: true })
  return { ...forked, baseUrl, directory }
}

async function giveOrder(child: ChildProcess, order: Order): Promise<void> {
  child.send(order)
  await expectMessage(child, 'armed')
}

/** Restarts the server, lets the client recover, waits for the sweep, and checks all invariants. */
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
  const config = readConfig(serverEnvironment(directory, baseUrl))
  await readerCode.prepare(new Date())
  return { baseUrl, running: await startServer(config, log, { leaseMs, extractor: shareExtractor() }) }
}

function serverEnvironment(directory: string, baseUrl: string): Record<string, string> {
  return {
    PORT: new URL(baseUrl).port,
    LECTERN_BASE_URL: baseUrl,
    LECTERN_DATA_DIR: directory,
    LECTERN_LOG_LEVEL: 'silent',
    // No scans are used, and looking for Tesseract takes a tenth of a second per start.
    LECTERN_OCR: 'off',
    TEST_LEASE_MS: String(leaseMs),
    TEST_READER_CODE: readerCodeDirectory,
  }
}
