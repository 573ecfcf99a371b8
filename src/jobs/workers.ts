import { setTimeout as delay } from 'node:timers/promises'
import type { Agenda, Job } from 'agenda'
import { z } from 'zod'
import { runImport, type ImportServices } from '../imports/run-import.ts'
import type { MaintenanceServices } from '../maintenance/stores.ts'
import { sweep, cleanUp } from '../maintenance/sweep.ts'
import { importJobName } from './queue.ts'

const ImportPayload = z.object({ jobId: z.string() })

export interface WorkerOptions {
  agenda: Agenda
  services: ImportServices & MaintenanceServices
  /** Imports at a time in this process. */
  concurrency: number
  sweepIntervalMs: number
  cleanupIntervalMs: number
}

export interface Workers {
  /** Takes no new work and waits for what runs, at most `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>
}

/** Starts the background work of this process: imports from the queue, and cleaning up at start and from time to time. */
export async function startWorkers(options: WorkerOptions): Promise<Workers> {
  const { agenda, services, concurrency, sweepIntervalMs, cleanupIntervalMs } = options
  const { log, leaseDurationMs } = services
  const running = new Set<Promise<void>>()
  const processRow = async (row: Job<{ jobId: string }>) => {
    const { jobId } = ImportPayload.parse(row.attrs.data)
    await withLockHeartbeat(row, leaseDurationMs, () => runImport(services, jobId))
    await row.remove()
  }
  agenda.define<{ jobId: string }>(
    importJobName,
    // Agenda awaits what its type calls void.
    // oxlint-disable-next-line typescript/no-misused-promises
    async (row) => {
      const run = processRow(row)
      running.add(run)
      await run.finally(() => running.delete(run))
    },
    { concurrency, lockLimit: concurrency, lockLifetime: leaseDurationMs, removeOnComplete: false },
  )
  agenda.on('error', (err) => log.warn({ err }, 'queue error'))
  agenda.on('fail', (err) => log.warn({ err }, 'background work failed; the sweep takes it up again'))
  await agenda.start()
  const periodicTasks = [
    runPeriodically(() => sweep(services), sweepIntervalMs),
    runPeriodically(() => cleanUp(services), cleanupIntervalMs),
  ]
  return {
    async stop(timeoutMs) {
      const tasksStopped = periodicTasks.map((task) => task.stop())
      // Not its `drain`, which does not notice that a job has ended and always waits for the whole time.
      await agenda.stop()
      await Promise.race([Promise.allSettled(running), delay(timeoutMs, undefined, { ref: false })])
      await Promise.all(tasksStopped)
    },
  }
}

/** Does something now and every `ms`, never twice at a time; `stop` waits for the run in progress. */
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

/** Renews the row's lock while the work runs. */
async function withLockHeartbeat(
  row: Job<{ jobId: string }>,
  lockTimeoutMs: number,
  work: () => Promise<void>,
): Promise<void> {
  const timer = setInterval(() => void row.touch().catch(() => {}), Math.floor(lockTimeoutMs / 3))
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
}
