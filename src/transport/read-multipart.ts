import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy'
import { ClientDisconnected } from '../core/cancellation.ts'
import { AppError } from '../core/errors.ts'
import { StallError, withStallTimeout } from '../runtime/stall-timeout.ts'
import { endBody } from './recheck-caller.ts'

/** A file of a form that is still arriving. */
export interface MultipartFile {
  /** The file name without a path. */
  filename: string
  /** Can be read once; the unread rest is skipped. */
  body: AsyncIterable<Uint8Array>
}

export interface MultipartOptions {
  /** Files beyond this number are skipped. */
  maxFiles: number
  /** The longest pause between two chunks, ms; default 30,000. */
  stallTimeoutMs?: number
  /**
   * Called for each file in sequence, with the fields that preceded it. If it throws, reading stops and the error is
   * rethrown.
   */
  onFile(file: MultipartFile, fields: URLSearchParams): Promise<void>
}

/** A completely read form. */
export interface MultipartForm {
  fields: URLSearchParams
  /** True if files beyond the maximum were skipped. */
  hasMoreFiles: boolean
}

const limits = { fields: 20, fieldNameSize: 100, fieldSize: 16 * 1024, headerPairs: 20, headerSize: 16 * 1024 }

/**
 * Reads a `multipart/form-data` form (RFC 7578) as a stream, buffering only some kilobytes of each file. Refuses
 * another type with UNSUPPORTED_MEDIA_TYPE, a malformed or interrupted body with INVALID_INPUT, and each file and the
 * form like `endBody`. Throws ClientDisconnected if the connection is lost. In each case the files that are being read
 * fail first.
 */
export async function readMultipart(request: Request, options: MultipartOptions): Promise<MultipartForm> {
  const parser = createParser(request, options.maxFiles)
  const fields = new URLSearchParams()
  const stop = new AbortController()
  const serve = ({ filename, body }: MultipartFile) =>
    options.onFile({ filename, body: endWith(body, () => endBody(request)) }, fields)
  const files = createFileQueue(serve, stop)
  const finished = new Promise<void>((resolve) => parser.once('finish', resolve))
  parser.on('error', (cause) => {
    files.endLast(malformed(cause))
    stop.abort(malformed(cause))
  })
  parser.on('field', (name, value) => fields.append(name, value))
  parser.on('file', (_name, stream, filename) => files.add(stream, filename ?? ''))
  try {
    await feed(parser, request, { stop: stop.signal, stallTimeoutMs: options.stallTimeoutMs ?? 30_000 })
    await untilAborted(finished, stop.signal)
    await files.served()
    stop.signal.throwIfAborted()
    await endBody(request)
    return { fields, hasMoreFiles: parser.hitFilesLimit === true }
  } catch (error) {
    const cause = toMultipartError(error, request)
    files.endLast(cause)
    parser.destroy()
    await files.served()
    throw cause
  }
}

interface FileQueue {
  add(stream: BusboyFileStream, filename: string): void
  /** Ends the file that is arriving; earlier files are complete. */
  endLast(cause: unknown): void
  /** Waits until every file has been handled; never rejects. */
  served(): Promise<void>
}

/** Handles files in sequence. The first failure aborts `stop`, and the remaining files are skipped. */
function createFileQueue(serve: (file: MultipartFile) => Promise<void>, stop: AbortController): FileQueue {
  let work: Promise<void> = Promise.resolve()
  let last: BusboyFileStream | null = null
  let hasFailed = false
  const serveNext = async (stream: BusboyFileStream, filename: string) => {
    if (hasFailed) return
    try {
      await serve({ filename, body: bodyOf(stream) })
      stream.resume()
    } catch (error) {
      hasFailed = true
      stop.abort(error)
    }
  }
  return {
    add(stream, filename) {
      last = stream
      // Readers receive the error; without this listener the process would crash.
      stream.on('error', () => {})
      work = work.then(() => serveNext(stream, filename))
    },
    endLast(cause) {
      last?.destroy(cause instanceof Error ? cause : new Error('The form has ended.'))
    },
    served: () => work,
  }
}

function createParser(request: Request, maxFiles: number): Parser {
  const type = request.headers.get('content-type') ?? ''
  if (!/^multipart\/form-data\s*;/i.test(type)) throw unsupported()
  try {
    return new Busboy({ headers: { 'content-type': type }, limits: { ...limits, files: maxFiles } })
  } catch {
    // The content type has no boundary.
    throw unsupported()
  }
}

function unsupported(): AppError {
  return new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the form as multipart/form-data.')
}

/**
 * The chunks of a file. If the reader stops early, the stream is left in place, because the parser waits for its end.
 */
async function* bodyOf(stream: BusboyFileStream): AsyncGenerator<Uint8Array> {
  try {
    yield* stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>
  } catch (error) {
    throw error instanceof AppError || error instanceof ClientDisconnected ? error : malformed(error)
  }
}

/** The chunks of a file, whose reading also fails if `end` fails after the last one. */
async function* endWith(body: AsyncIterable<Uint8Array>, end: () => Promise<void>): AsyncGenerator<Uint8Array> {
  yield* body
  await end()
}

/** The parser sets a property, missing from its types, if it has skipped files. */
type Parser = BusboyInstance & { hitFilesLimit?: boolean }

interface FeedOptions {
  stop: AbortSignal
  stallTimeoutMs: number
}

async function feed(parser: BusboyInstance, request: Request, { stop, stallTimeoutMs }: FeedOptions): Promise<void> {
  const signal = AbortSignal.any([request.signal, stop])
  if (!request.body) throw malformed(null)
  for await (const chunk of withStallTimeout(request.body, { stallTimeoutMs, signal })) {
    const written = new Promise<void>((resolve) => parser.write(chunk, () => resolve()))
    await untilAborted(written, signal)
  }
  parser.end()
}

/** Waits for `work`, or rejects with the reason of `signal` as soon as that aborts. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function toMultipartError(error: unknown, { signal }: Request): unknown {
  const isLost = signal.aborted || (error instanceof Error && 'code' in error && error.code === 'ECONNRESET')
  if (isLost) return new ClientDisconnected()
  if (!(error instanceof StallError)) return error
  return new AppError('INVALID_INPUT', 'The files stopped arriving. Send them again.', { cause: error })
}

function malformed(cause: unknown): AppError {
  return new AppError('INVALID_INPUT', 'The form did not arrive whole. Send it again.', { cause })
}
