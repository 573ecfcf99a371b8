import { setTimeout as delay } from 'node:timers/promises'
import type { Agenda, Job } from 'agenda'
import { z } from 'zod'
import { runImport, type ImportServices } from '../imports/run-import.ts'
import type { MaintenanceServices } from '../maintenance/stores.ts'
import { sweep, tidy } from '../maintenance/sweep.ts'
import { importWork } from './queue.ts'

const ImportPayload = z.object({ jobId: z.string() })

export interface WorkerOptions {
  agenda: Agenda
  services: ImportServices & MaintenanceServices
  /** Imports at a time in this process. */
  concurrency: number
  sweepEveryMs: number
  tidyEveryMs: number
}

export interface Workers {
  /** Takes no new work and waits for what runs, at most `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>
}

/** Starts the background work of this process: imports from the queue, and cleaning up at start and from time to time. */
export async function startWorkers(options: WorkerOptions): Promise<Workers> {
  const { agenda, services, concurrency, sweepEveryMs, tidyEveryMs } = options
  const { log, leaseMs } = services
  const running = new Set<Promise<void>>()
  const work = async (row: Job<{ jobId: string }>) => {
    const { jobId } = ImportPayload.parse(row.attrs.data)
    await keepLocked(row, leaseMs, () => runImport(services, jobId))
    await row.remove()
  }
  agenda.define<{ jobId: string }>(
    importWork,
    async (row) => {
      const run = work(row)
      running.add(run)
      await run.finally(() => running.delete(run))
    },
    { concurrency, lockLimit: concurrency, lockLifetime: leaseMs, removeOnComplete: false },
  )
  agenda.on('error', (err) => log.warn({ err }, 'queue error'))
  agenda.on('fail', (err) => log.warn({ err }, 'background work failed; the sweep takes it up again'))
  await agenda.start()
  const chores = [repeat(() => sweep(services), sweepEveryMs), repeat(() => tidy(services), tidyEveryMs)]
  return {
    async stop(timeoutMs) {
      const tidied = chores.map((chore) => chore.stop())
      // Not its `drain`, which does not notice that a job has ended and always waits for the whole time.
      await agenda.stop()
      await Promise.race([Promise.allSettled(running), delay(timeoutMs, undefined, { ref: false })])
      await Promise.all(tidied)
    },
  }
}

/** Does something now and every `ms`, never twice at a time; `stop` waits for the run in progress. */
function repeat(run: () => Promise<void>, ms: number): { stop(): Promise<void> } {
  let running = run()
  const timer = setInterval(() => {
    running = running.then(run)
  }, ms)
  return {
    stop() {
      clearInterval(timer)
      return running
    },
  }
}

/** Renews the row's lock while the work runs. */
async function keepLocked(row: Job<{ jobId: string }>, lockMs: number, work: () => Promise<void>): Promise<void> {
  const timer = setInterval(() => void row.touch().catch(() => {}), Math.floor(lockMs / 3))
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
}
