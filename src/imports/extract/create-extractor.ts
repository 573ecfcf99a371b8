import type { ExtractionJob, ExtractionSink, ExtractionSummary, Extractor, ExtractorOptions } from './extractor.ts'
import type { ReaderProcess } from './reader-process.ts'
import { defaultLimits } from '../formats/format.ts'
import { ExtractionError } from './extraction-error.ts'
import { ReaderPool } from './reader-pool.ts'
import { receiveBook } from './receive-book.ts'
import { watch } from './monitor-process.ts'

/** Makes an extractor; no process is started before it is needed or `warm` is called. */
export function createExtractor(options: ExtractorOptions = {}): Extractor {
  const settings = withDefaults(options)
  const pool = new ReaderPool(settings)
  const closing = new AbortController()
  const afterFirstPage = () => {
    if (settings.spare) pool.warm()
  }

  return {
    extract: async ({ signal: cancel, ...job }, sink) => {
      const signal = cancel ? AbortSignal.any([cancel, closing.signal]) : closing.signal
      if (signal.aborted) throw cancelled(signal)
      const reader = pool.take()
      try {
        return await readBook({ reader, settings, signal }, job, { sink, afterFirstPage })
      } finally {
        pool.give(reader)
      }
    },
    warm: () => pool.warm(),
    pids: () => pool.pids(),
    close: async () => {
      closing.abort(new Error('the extractor was closed'))
      await pool.close()
    },
  }
}

type Settings = ReturnType<typeof withDefaults>

/** The default also stands in for an option that is there but undefined: no bound may be lost that way. */
function withDefaults({
  limits = defaultLimits,
  memoryBytes = 1024 * 1024 * 1024,
  silenceMs = 20_000,
  totalMs = 15 * 60_000,
  sampleMs = 250,
  recycleBytes = 400_000_000,
  booksPerProcess = 50,
  idleMs = 60_000,
  spare = true,
  formatModule = null,
}: ExtractorOptions) {
  const bounds = { limits, memoryBytes, silenceMs, totalMs, sampleMs }
  return { ...bounds, recycleBytes, booksPerProcess, idleMs, spare, formatModule }
}

interface Reading {
  reader: ReaderProcess
  settings: Settings
  signal: AbortSignal
}

async function readBook(
  { reader, settings, signal }: Reading,
  job: ExtractionJob,
  { sink, afterFirstPage }: { sink: ExtractionSink; afterFirstPage: () => void },
): Promise<ExtractionSummary> {
  const begun = performance.now()
  let firstPageMs: number | null = null
  const timed: ExtractionSink = {
    onInfo: (info, pageCount) => sink.onInfo(info, pageCount),
    onPages: async (pages, firstPage) => {
      firstPageMs ??= performance.now() - begun
      await sink.onPages(pages, firstPage)
      if (firstPage === 1) afterFirstPage()
    },
    onProgress: (pages, pageCount) => sink.onProgress?.(pages, pageCount),
  }
  const guard = watch(reader, settings)
  const cancel = () => guard.end(cancelled(signal))
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const { path, sourceType } = job
    const { formatModule, limits } = settings
    reader.send({ type: 'read', path, sourceType, formatModule, limits })
    const { info, toc, counts } = await receiveBook(reader, guard, { sink: timed, limits })
    const wallMs = performance.now() - begun
    const resources = { peakRssBytes: guard.peakRss(), wallMs, firstPageMs }
    return { info, pageCount: counts.pages, toc, counts, resources }
  } finally {
    signal.removeEventListener('abort', cancel)
    guard.stop()
  }
}

function cancelled(signal: AbortSignal): ExtractionError {
  return new ExtractionError('CANCELLED', 'cancelled', { cause: signal.reason })
}
