import { setTimeout as delay } from 'node:timers/promises'
import type { Agenda, Job } from 'agenda'
import { isStoreUnavailable } from '../core/errors.ts'
import { laneOfRound, rounds, roundsOf, type Place, type Round } from '../imports/lane.ts'
import { runNextImport, type ImportServices } from '../imports/run-import.ts'
import type { MaintenanceServices } from '../maintenance/stores.ts'
import { sweep, cleanUp } from '../maintenance/sweep.ts'
import { reportInIntervals } from '../runtime/report-in-intervals.ts'
import { runPeriodically } from '../runtime/run-periodically.ts'
import type { JobQueue } from './agenda.ts'
import { importJobNames } from './queue.ts'

export interface WorkerOptions {
  jobQueue: JobQueue
  services: ImportServices & MaintenanceServices
  /** Maximum number of concurrent imports of each kind of place in this process. */
  concurrency: Record<Place, number>
  sweepIntervalMs: number
  cleanupIntervalMs: number
  /** Makes a backup if one is due, until the signal aborts it; null: this installation has no scheduled backups. */
  backUpIfDue: ((signal: AbortSignal) => Promise<void>) | null
  /** Migrates data of older versions until the signal aborts it. */
  migrate(signal: AbortSignal): Promise<void>
}

/** Interval at which a worker checks whether a backup is due, ms. */
const backupIntervalMs = 60_000

export interface Workers {
  /** Stops taking jobs and waits for the running ones, at most `timeoutMs` ms. */
  stop(timeoutMs: number): Promise<void>
}

/**
 * Starts the background work of this process: imports from the queue, and the periodic sweep and cleanup, which also
 * run at start.
 */
export async function startWorkers(options: WorkerOptions): Promise<Workers> {
  const { jobQueue, services, sweepIntervalMs, cleanupIntervalMs, backUpIfDue } = options
  const { agenda } = jobQueue
  const { log } = services
  const running = new Set<Promise<void>>()
  const state = { running, stopping: false, overtaking: { short: 0, first: 0 } }
  for (const round of rounds) defineRound(options, round, state)
  // An outage of the database, during which every look for jobs fails, is reported once for the whole process.
  // Any other failure, such as a full disk, may last as long.
  const reportQueueError = reportInIntervals<Error>((count, err) => log.warn({ err, count }, 'queue error'))
  agenda.on('error', (err) => (isStoreUnavailable(err) ? log.debug({ err }, 'queue error') : reportQueueError(err)))
  agenda.on('fail', (err) => log.warn({ err }, 'background job failed; the sweep retries it'))
  await agenda.start()
  const ending = new AbortController()
  const periodicTasks = [
    runPeriodically(() => sweep(services), sweepIntervalMs),
    runPeriodically(() => cleanUp(services), cleanupIntervalMs),
    runPeriodically(() => options.migrate(ending.signal), cleanupIntervalMs),
    ...(backUpIfDue ? [runPeriodically(() => backUpIfDue(ending.signal), backupIntervalMs)] : []),
  ]
  return {
    async stop(timeoutMs) {
      state.stopping = true
      ending.abort()
      const tasksStopped = periodicTasks.map((task) => task.stop())
      // Not `agenda.drain()`, which does not notice the end of a job and always waits for the full timeout.
      await jobQueue.stop()
      const jobsEnded = Promise.allSettled(running).then(() => jobQueue.idle())
      await Promise.race([jobsEnded, delay(timeoutMs, undefined, { ref: false })])
      await Promise.all(tasksStopped)
    },
  }
}

type OvertakingPlace = Extract<Place, 'short' | 'first'>

interface WorkerState {
  running: Set<Promise<void>>
  /** True once no further import may start. */
  stopping: boolean
  /** Number of taken places in which imports overtake. */
  overtaking: Record<OvertakingPlace, number>
}

/**
 * Makes the queue run imports of a round. One queue entry runs imports until none waits, because Agenda looks for
 * further entries only once per polling interval.
 */
function defineRound(options: WorkerOptions, round: Round, state: WorkerState): void {
  const { jobQueue, services, concurrency } = options
  const { log, leaseDurationMs } = services
  const permits = round === 'short' ? concurrency.short + concurrency.first : concurrency[round]
  const processRow = async (row: Job) => {
    try {
      await withLockHeartbeat(row, leaseDurationMs, () => runRound(options, round, state))
    } catch (err) {
      log.warn({ err }, 'import interrupted; the sweep queues it again')
    }
    await row.remove()
  }
  jobQueue.agenda.define(
    importJobNames[round],
    // Agenda awaits the promise although its type says void.
    // oxlint-disable-next-line typescript/no-misused-promises
    async (row) => {
      const run = processRow(row)
      state.running.add(run)
      await run.finally(() => state.running.delete(run))
    },
    {
      concurrency: permits,
      lockLimit: permits,
      lockLifetime: leaseDurationMs,
      removeOnComplete: false,
    },
  )
}

/** Runs imports of a round until none waits. */
async function runRound(options: WorkerOptions, round: Round, state: WorkerState): Promise<void> {
  if (round === 'short') return overtake(options, state)
  const { jobQueue, services } = options
  // An import that starts may allow waiting ones to overtake.
  const onStart = round === 'layout' ? () => overtakeSoon(options, state) : undefined
  while (!state.stopping) {
    const jobId = await runNextImport(services, round, onStart)
    if (jobId === null) return
    await cancelEntries(jobQueue.agenda, round, jobId)
  }
}

/** Runs imports that may overtake until none waits: the first of accounts that run none, and short files. */
async function overtake(options: WorkerOptions, state: WorkerState): Promise<void> {
  const ended = await Promise.allSettled([overtakeIn('first', options, state), overtakeIn('short', options, state)])
  for (const each of ended) if (each.status === 'rejected') throw each.reason
}

/** Runs imports in a place of a kind until none waits, unless all these places are taken. */
async function overtakeIn(place: OvertakingPlace, options: WorkerOptions, state: WorkerState): Promise<void> {
  const { jobQueue, services, concurrency } = options
  if (state.overtaking[place] >= concurrency[place]) return
  state.overtaking[place] += 1
  try {
    while (!state.stopping) {
      const jobId = await runNextImport(services, place)
      if (jobId === null) return
      await cancelEntries(jobQueue.agenda, 'short', jobId)
    }
  } finally {
    state.overtaking[place] -= 1
  }
}

function overtakeSoon(options: WorkerOptions, state: WorkerState): void {
  const { log } = options.services
  const run = overtake(options, state).catch((err) =>
    log.warn({ err }, 'import interrupted; the sweep queues it again'),
  )
  state.running.add(run)
  void run.finally(() => state.running.delete(run))
}

/** Removes the entries of a job that has run, in every round. */
async function cancelEntries(agenda: Agenda, round: Round, jobId: string): Promise<void> {
  for (const each of roundsOf(laneOfRound(round))) await agenda.cancel({ name: importJobNames[each], data: { jobId } })
}

/** Renews the lock of a job while it runs, at a third of the lock's lifetime. */
async function withLockHeartbeat(row: Job, lockTimeoutMs: number, work: () => Promise<void>): Promise<void> {
  const timer = setInterval(() => void row.touch().catch(() => {}), Math.floor(lockTimeoutMs / 3))
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
}
