import { createExtractor } from '../../imports/extract/create-extractor.ts'
import type { Extractor } from '../../imports/extract/extractor.ts'
import { runImport } from '../../imports/run-import.ts'
import type { AdminContext } from './command.ts'
import { workerTimeoutMs } from './wait-for-job.ts'

/** Number of concurrent imports in this process. */
const concurrency = 2

/** Runs imports in this process if no worker does. */
export interface ImportHelper {
  /** Starts waiting imports if no worker has been active for a while. Throws the error of an earlier import. */
  help(waiting: { jobIds: readonly string[]; running: boolean }): void
  /** Stops running imports; another worker restarts them. */
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
