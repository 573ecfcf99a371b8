import { setTimeout as delay } from 'node:timers/promises'
import type { Agenda, Job } from 'agenda'
import { lanes, type Lane } from '../imports/lane.ts'
import { runNextImport, type ImportServices } from '../imports/run-import.ts'
import type { MaintenanceServices } from '../maintenance/stores.ts'
import { sweep, cleanUp } from '../maintenance/sweep.ts'
import { importJobNames } from './queue.ts'

export interface WorkerOptions {
  agenda: Agenda
  services: ImportServices & MaintenanceServices
  /** The maximum number of concurrent imports of each lane in this process. */
  concurrency: Record<Lane, number>
  sweepIntervalMs: number
  cleanupIntervalMs: number
}

export interface Workers {
  /** Stops taking jobs and waits for the running ones, at most `timeoutMs` ms. */
  stop(timeoutMs: number): Promise<void>
}

/**
 * Starts the background work of this process: imports from the queue, and the periodic sweep and cleanup, which also
 * run at start.
 */
export async function startWorkers(options: WorkerOptions): Promise<Workers> {
  const { agenda, services, sweepIntervalMs, cleanupIntervalMs } = options
  const { log } = services
  const running = new Set<Promise<void>>()
  const state = { running, stopping: false }
  for (const lane of lanes) defineLane(options, lane, state)
  agenda.on('error', (err) => log.warn({ err }, 'queue error'))
  agenda.on('fail', (err) => log.warn({ err }, 'background job failed; the sweep retries it'))
  await agenda.start()
  const periodicTasks = [
    runPeriodically(() => sweep(services), sweepIntervalMs),
    runPeriodically(() => cleanUp(services), cleanupIntervalMs),
  ]
  return {
    async stop(timeoutMs) {
      state.stopping = true
      const tasksStopped = periodicTasks.map((task) => task.stop())
      // Not `agenda.drain()`, which does not notice that a job has ended and always waits for the full timeout.
      await agenda.stop()
      await Promise.race([Promise.allSettled(running), delay(timeoutMs, undefined, { ref: false })])
      await Promise.all(tasksStopped)
    },
  }
}

interface WorkerState {
  running: Set<Promise<void>>
  /** True once no further import may start. */
  stopping: boolean
}

/**
 * Lets the queue run imports of a lane. An entry of the queue runs imports until none waits, because Agenda looks for
 * further entries once in its polling interval only.
 */
function defineLane({ agenda, services, concurrency }: WorkerOptions, lane: Lane, state: WorkerState): void {
  const { log, leaseDurationMs } = services
  const runImports = async () => {
    while (!state.stopping) {
      const jobId = await runNextImport(services, lane)
      if (jobId === null) return
      await agenda.cancel({ name: importJobNames[lane], data: { jobId } })
    }
  }
  const processRow = async (row: Job) => {
    try {
      await withLockHeartbeat(row, leaseDurationMs, runImports)
    } catch (err) {
      log.warn({ err }, 'import interrupted; the sweep queues it again')
    }
    await row.remove()
  }
  agenda.define(
    importJobNames[lane],
    // Agenda awaits the promise although its type says void.
    // oxlint-disable-next-line typescript/no-misused-promises
    async (row) => {
      const run = processRow(row)
      state.running.add(run)
      await run.finally(() => state.running.delete(run))
    },
    {
      concurrency: concurrency[lane],
      lockLimit: concurrency[lane],
      lockLifetime: leaseDurationMs,
      removeOnComplete: false,
    },
  )
}

/** Runs a task now and then every `intervalMs` ms, one run at a time; `stop` waits for the current run. */
function runPeriodically(run: () => Promise<void>, intervalMs: number): { stop(): Promise<void> } {
  let running = run()
  const timer = setInterval(() => {
    running = running.then(run)
  }, intervalMs)
  return {
    stop() {
      clearInterval(timer)
      return running
    },
  }
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
