import { createExtractor } from '../../src/imports/extract/create-extractor.ts'
import type { Extractor } from '../../src/imports/extract/extractor.ts'
import { readerCode } from './reader-code.ts'

const shared = createExtractor({ spare: false, codeCache: readerCode })
const accountId = 'tests'

/**
 * An extractor whose processes are those of all servers of this test run's worker, and that reads the books of all accounts with
 * them, because each start of a process takes a third of a second. Closing it cancels only the extractions of its server.
 */
export function shareExtractor(): Extractor {
  const closing = new AbortController()
  const running = new Set<Promise<unknown>>()
  return {
    async extract({ signal, ...job }, sink) {
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
