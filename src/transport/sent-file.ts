import { ClientDisconnected } from '../core/cancellation.ts'
import { AppError } from '../core/errors.ts'
import type { SentFile } from '../core/sent-file.ts'
import { StallError, withStallTimeout } from '../runtime/stall-timeout.ts'
import { endBody } from './recheck-caller.ts'

/** The longest pause between two chunks of a file, ms. */
const stallTimeoutMs = 30_000

/**
 * The body of a request as a file, not yet read. Refuses a `Content-Encoding` with UNSUPPORTED_MEDIA_TYPE. Reading
 * refuses a body that ends early with INVALID_INPUT, and like `endBody`; it throws ClientDisconnected if the
 * connection is lost.
 */
export function sentFileOf(request: Request): SentFile {
  const encoding = request.headers.get('content-encoding')
  if (encoding && encoding !== 'identity') {
    const message = `Content-Encoding ${encoding} is not supported. Send the file as it is.`
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', message)
  }
  const length = request.headers.get('content-length')
  return { body: readBody(request), contentLength: length === null ? null : Number(length) }
}

async function* readBody(request: Request): AsyncGenerator<Uint8Array> {
  if (!request.body) return
  try {
    yield* withStallTimeout(chunksOf(request.body), { stallTimeoutMs, signal: request.signal })
    await endBody(request)
  } catch (error) {
    if (request.signal.aborted || (error instanceof Error && 'code' in error && error.code === 'ECONNRESET'))
      throw new ClientDisconnected()
    if (!(error instanceof StallError)) throw error
    throw new AppError('INVALID_INPUT', 'The file stopped arriving. Send it again.', { cause: error })
  }
}

/** Uses a reader, because leaving the iterator of the stream early closes the connection before a refusal is sent. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield value
  }
}
