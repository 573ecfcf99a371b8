import { createExtractor } from '../../imports/extract/create-extractor.ts'
import type { Extractor } from '../../imports/extract/extractor.ts'
import { runImport } from '../../imports/run-import.ts'
import type { AdminContext } from './command.ts'
import { workerTimeoutMs } from './wait-for-job.ts'

/** Imports that run at a time in this process. */
const concurrency = 2

/** Runs imports in this process while no worker does. */
export interface ImportHelper {
  /** Begins what waits if nobody has worked for a while. Throws what an earlier import has failed with. */
  help(waiting: { jobIds: readonly string[]; running: boolean }): void
  /** Ends imports that run; another worker begins them anew. */
  close(): Promise<void>
}

export function createImportHelper({ services, log, tuning }: AdminContext): ImportHelper {
  const runs = new Map<string, Promise<void>>()
  let extractor: Extractor | null = null
  let waiting: string[] = []
  let workedAt = performance.now()
  let closing = false
  let failure: unknown = null
  const runUntilEmpty = async (jobId: string, using: Extractor): Promise<void> => {
    try {
      await runImport({ ...services, extractor: using, log, leaseDurationMs: tuning.leaseMs }, jobId)
    } catch (error) {
      failure ??= error
    }
    runs.delete(jobId)
    beginNext(using)
  }
  const beginNext = (using: Extractor) => {
    const free = closing || failure !== null ? 0 : concurrency - runs.size
    for (const jobId of waiting.splice(0, free)) runs.set(jobId, runUntilEmpty(jobId, using))
  }
  return {
    help({ jobIds, running }) {
      if (failure !== null) throw failure
      if (extractor === null && (running || jobIds.length === 0)) workedAt = performance.now()
      if (extractor === null && performance.now() - workedAt < workerTimeoutMs) return
      waiting = jobIds.filter((id) => !runs.has(id))
      extractor ??= createExtractor({ spare: false })
      beginNext(extractor)
    },
    async close() {
      closing = true
      await extractor?.close()
      await Promise.all(runs.values())
    },
  }
}
