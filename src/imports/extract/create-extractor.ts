import { open } from 'node:fs/promises'
import type { ExtractionJob, ExtractionSink, ExtractionSummary, Extractor, ExtractorOptions } from './extractor.ts'
import type { ReaderProcess } from './reader-process.ts'
import type { SourceType } from './messages.ts'
import { defaultLimits } from '../formats/format.ts'
import { ExtractionError } from './extraction-error.ts'
import { ReaderPool } from './reader-pool.ts'
import { receiveBook } from './receive-book.ts'
import { monitorProcess, type ProcessMonitor } from './monitor-process.ts'

/** Creates an extractor. Starts no process before the first book or `warmUp`. */
export function createExtractor(options: ExtractorOptions = {}): Extractor {
  const settings = withDefaults(options)
  const pool = new ReaderPool(settings)
  const closing = new AbortController()
  // The next file is often like this one.
  const startSpare = (format: SourceType) => {
    if (settings.spare) pool.warmUp(format)
  }

  return {
    extract: async ({ signal: cancel, ...job }, sink) => {
      const signal = cancel ? AbortSignal.any([cancel, closing.signal]) : closing.signal
      if (signal.aborted) throw cancelledError(signal)
      const reader = pool.acquire(job.accountId)
      try {
        return await readBook({ reader, settings, signal }, job, {
          sink,
          afterFirstPage: () => startSpare(job.sourceType),
        })
      } finally {
        pool.release(reader)
      }
    },
    warmUp: (format, accountId) => pool.warmUp(format, accountId),
    pids: () => pool.pids(),
    close: async () => {
      closing.abort(new Error('the extractor was closed'))
      await pool.close()
    },
  }
}

type Settings = ReturnType<typeof withDefaults>

/** Applies the defaults, also to options that are explicitly undefined, so that no limit is lost. */
function withDefaults({
  limits = defaultLimits,
  maxMemoryBytes = 1024 * 1024 * 1024,
  silenceTimeoutMs = 20_000,
  firstPageTimeoutMs = 5_000,
  totalTimeoutMs = 15 * 60_000,
  sampleIntervalMs = 250,
  recycleAboveBytes = 400_000_000,
  maxBooksPerProcess = 50,
  idleTimeoutMs = 60_000,
  spare = true,
  formatModule = null,
  codeCache = null,
}: ExtractorOptions) {
  const timeouts = { silenceTimeoutMs, firstPageTimeoutMs, totalTimeoutMs }
  const bounds = { limits, maxMemoryBytes, ...timeouts, sampleIntervalMs }
  return {
    ...bounds,
    recycleAboveBytes,
    maxBooksPerProcess,
    idleTimeoutMs,
    maxServedIdle: 2,
    spare,
    formatModule,
    codeCache,
  }
}

interface ReadContext {
  reader: ReaderProcess
  settings: Settings
  signal: AbortSignal
}

async function readBook(
  { reader, settings, signal }: ReadContext,
  job: ExtractionJob,
  { sink, afterFirstPage }: { sink: ExtractionSink; afterFirstPage: () => void },
): Promise<ExtractionSummary> {
  const startedAt = performance.now()
  let firstPageMs: number | null = null
  const timedSink: ExtractionSink = {
    onInfo: (info, pageCount) => sink.onInfo(info, pageCount),
    onPages: async (pages, firstPage, words) => {
      firstPageMs ??= performance.now() - startedAt
      await sink.onPages(pages, firstPage, words)
      if (firstPage === 1) afterFirstPage()
    },
    onFigure: sink.onFigure?.bind(sink),
    onProgress: (pages, pageCount) => sink.onProgress?.(pages, pageCount),
  }
  const monitor = monitorProcess(reader, settings)
  const cancel = () => monitor.kill(cancelledError(signal))
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const { formatModule, limits } = settings
    const { path, sourceType, password = null } = job
    const sending = sendFile(reader, monitor, {
      path,
      sourceType,
      password,
      formatModule,
      limits,
      figures: sink.onFigure !== undefined,
    })
    const { counts, ...received } = await receiveBook(reader, monitor, { sink: timedSink, limits })
    await sending
    const wallMs = performance.now() - startedAt
    const resources = { peakRssBytes: monitor.peakRss(), wallMs, firstPageMs }
    return { ...received, pageCount: counts.pages, counts, resources }
  } finally {
    signal.removeEventListener('abort', cancel)
    monitor.stop()
  }
}

/** Sends a file to a process. If reading the file fails, kills the process with that reason. */
async function sendFile(
  reader: ReaderProcess,
  monitor: ProcessMonitor,
  { path, ...command }: Parameters<ReaderProcess['read']>[1] & { path: string },
): Promise<void> {
  try {
    const file = await open(path)
    try {
      await reader.read(file, command)
    } finally {
      await file.close()
    }
  } catch (error) {
    monitor.kill(new ExtractionError('CRASHED', 'the file could not be read', { cause: error }))
  }
}

function cancelledError(signal: AbortSignal): ExtractionError {
  return new ExtractionError('CANCELLED', 'cancelled', { cause: signal.reason })
}
