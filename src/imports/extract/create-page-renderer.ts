import { defaultLimits, type FormatLimits } from '../formats/format.ts'
import { sniffPicture } from '../formats/picture/sniff-picture.ts'
import type { CollagePart } from '../formats/picture/isolated-ink.ts'
import type { DrawnPicture, PageRenderer, PageRendererOptions, DrawingJob } from './page-renderer.ts'
import { ExtractionError } from './extraction-error.ts'
import type { DrawingCommand, ReaderMessage } from './messages.ts'
import { monitorProcess, type ProcessLimits, type ProcessMonitor } from './monitor-process.ts'
import { ReaderPool } from './reader-pool.ts'
import type { ReaderProcess } from './reader-process.ts'
import { nextMessage, outOfOrderError, toExtractionError } from './receive-book.ts'

/** Maximum side of a returned picture, in pixels. */
const maxSide = 4096

/** Maximum number of idle processes with an open file; each takes 100 MB plus twice its file. */
const maxServedIdle = 3
const recycleAboveBytes = 500_000_000

/**
 * Creates a page renderer. Starts no process before the first picture. The caller limits the number of concurrent drawings.
 */
export function createPageRenderer(options: PageRendererOptions = {}): PageRenderer {
  const { limits = defaultLimits, maxMemoryBytes = 1024 ** 3, timeoutMs = 10_000, sampleIntervalMs = 100 } = options
  const { idleTimeoutMs = 30_000, codeCache = null } = options
  const pool = new ReaderPool({
    recycleAboveBytes,
    maxBooksPerProcess: 50,
    idleTimeoutMs,
    maxServedIdle,
    formatModule: null,
    codeCache,
  })
  const times = { silenceTimeoutMs: timeoutMs, firstPageTimeoutMs: timeoutMs, totalTimeoutMs: 2 * timeoutMs }
  const bounds = { maxMemoryBytes, sampleIntervalMs, ...times }
  const drawOnPage = async (job: PageJob) => {
    const reader = pool.acquire(job.accountId, job.file.name)
    try {
      return await drawWith(reader, job, { limits, bounds })
    } finally {
      pool.release(reader)
    }
  }
  return {
    draw: async ({ page, width, ...job }) =>
      checkPicture(await drawOnPage({ ...job, command: { type: 'draw', page, width } })),
    scan: async ({ page, turn, sourceType = 'pdf', ...job }) =>
      checkPicture(await drawOnPage({ ...job, sourceType, command: { type: 'scan', page, turn } })),
    scanRemaining: async ({ page, turn, read, sourceType = 'pdf', ...job }) => {
      const command = { type: 'scanRemaining' as const, page, turn, read: [...read] }
      const drawn = await drawOnPage({ ...job, sourceType, command })
      return drawn.bytes.length === 0 ? null : checkPicture(drawn)
    },
    scanIsolated: async ({ page, turn, read, sourceType = 'pdf', ...job }) => {
      const command = { type: 'scanIsolated' as const, page, turn, read: [...read] }
      const drawn = await drawOnPage({ ...job, sourceType, command })
      return drawn.bytes.length === 0 ? null : { ...checkPicture(drawn), parts: drawn.parts }
    },
    pids: () => pool.pids(),
    close: () => pool.close(),
  }
}

interface PageJob extends Pick<DrawingJob, 'file' | 'accountId' | 'sourceType'> {
  command: DrawingCommand
}

interface Drawn {
  bytes: Buffer
  parts: readonly CollagePart[]
  drawingMs: number
}

async function drawWith(
  reader: ReaderProcess,
  job: PageJob,
  { limits, bounds }: { limits: FormatLimits; bounds: ProcessLimits },
): Promise<Drawn> {
  const monitor = monitorProcess(reader, bounds)
  const startedAt = performance.now()
  const cpuMsBefore = reader.cpuMs()
  try {
    if (reader.openFile !== job.file.name) await openFile({ reader, monitor }, job, limits)
    reader.draw(job.command)
    const { data, parts } = await receive({ reader, monitor }, 'picture')
    const cpuMs = reader.cpuMs()
    const isKnown = cpuMs !== null && cpuMsBefore !== null
    const drawingMs = isKnown ? cpuMs - cpuMsBefore : performance.now() - startedAt
    return { bytes: Buffer.from(data, 'base64'), parts, drawingMs }
  } finally {
    monitor.stop()
  }
}

interface Monitored {
  reader: ReaderProcess
  monitor: ProcessMonitor
}

async function openFile(process: Monitored, { file, sourceType }: PageJob, limits: FormatLimits): Promise<void> {
  const { reader, monitor } = process
  let failure: unknown
  const sending = reader.open(exactly(file), { bytes: file.bytes, sourceType, limits }).catch((error: unknown) => {
    failure = error
    monitor.kill(new ExtractionError('CRASHED', 'the file could not be read', { cause: error }))
  })
  try {
    await receive(process, 'opened')
    reader.openFile = file.name
  } catch (error) {
    throw failure ?? error
  } finally {
    await sending
  }
}

/**
 * Yields the bytes of a file; throws if their number differs from the declared one, because the process would wait or
 * take surplus bytes for the next file.
 */
async function* exactly({ name, bytes, read }: DrawingJob['file']): AsyncGenerator<Uint8Array> {
  let sent = 0
  for await (const chunk of read()) {
    sent += chunk.length
    if (sent > bytes) break
    yield chunk
  }
  if (sent !== bytes) throw new Error(`the file ${name} does not have ${bytes} bytes`)
}

async function receive<Type extends ReaderMessage['type']>(
  { reader, monitor }: Monitored,
  type: Type,
): Promise<Extract<ReaderMessage, { type: Type }>> {
  const message = await nextMessage(reader, monitor)
  if (message.type === 'failed') throw toExtractionError(reader, message)
  if (message.type !== type) throw outOfOrderError(message)
  reader.isIdle = true
  return message as Extract<ReaderMessage, { type: Type }>
}

/** Validates a picture from an untrusted process: a known type and a sane size. */
function checkPicture({ bytes, drawingMs }: Drawn): DrawnPicture {
  const header = sniffPicture(bytes)
  if (header && header.width <= maxSide && header.height <= maxSide) return { ...header, bytes, drawingMs }
  throw new ExtractionError('CRASHED', 'the process did not send a picture')
}
