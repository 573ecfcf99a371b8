import { createExtractor } from '../../src/imports/extract/create-extractor.ts'
import type { Extractor, ExtractorOptions } from '../../src/imports/extract/extractor.ts'
import { readerCode } from './reader-code.ts'

const accountId = 'tests'

/** Processes are kept for other test files too. */
const longLife: ExtractorOptions = { maxBooksPerProcess: 1000, idleTimeoutMs: 10 * 60_000 }

/** An extractor whose processes are those of all servers of this test run's worker. */
export const shareExtractor = sharedExtractors({})

/**
 * Returns a function that gives extractors which read the books of all accounts with the same processes, because each start of a
 * process takes a third of a second. Closing one of them cancels only its own extractions.
 */
export function sharedExtractors(options: ExtractorOptions): () => Extractor {
  const shared = createExtractor({ ...longLife, spare: false, codeCache: readerCode, ...options })
  return () => {
    const closing = new AbortController()
    const running = new Set<Promise<unknown>>()
    return {
      async extract({ signal, ...job }, sink) {
        await readerCode.prepare(new Date())
        const signals = signal ? [signal, closing.signal] : [closing.signal]
        const extraction = shared.extract({ ...job, accountId, signal: AbortSignal.any(signals) }, sink)
        running.add(extraction)
        try {
          return await extraction
        } finally {
          running.delete(extraction)
        }
      },
      warmUp: (format) => shared.warmUp(format, accountId),
      pids: () => shared.pids(),
      async close() {
        closing.abort(new Error('the extractor was closed'))
        await Promise.allSettled(running)
      },
    }
  }
}
