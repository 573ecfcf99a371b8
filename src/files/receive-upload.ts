import { StallError, watch } from './stall-timeout.ts'
import { type FileStore, FileStoreError, type StoredFile } from './store.ts'
import { openUploadToken } from './upload-token.ts'

/** Why an upload was refused, in a closed list, in the order of the checks. */
export type UploadErrorCode =
  | 'TOKEN_INVALID'
  | 'TOKEN_EXPIRED'
  | 'TYPE' // another Content-Type than declared, or none
  | 'TOO_LARGE' // longer than declared; known before the first byte when the length was given
  | 'USED' // the address has taken its file
  | 'LENGTH' // the body is shorter or longer than its Content-Length
  | 'INTERRUPTED' // the client went away, or sent nothing for the time allowed

/** A refusal of an upload; nothing was stored. */
export class UploadError extends Error {
  readonly code: UploadErrorCode

  constructor(code: UploadErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'UploadError'
    this.code = code
  }
}

/** What one PUT brings, as the transport reads it. */
export interface UploadRequest {
  token: string
  /** The Content-Type header; null without one. */
  contentType: string | null
  /** The Content-Length header in bytes; null without one (chunked). */
  contentLength: number | null
  body: AsyncIterable<Uint8Array>
  signal?: AbortSignal
}

export interface UploadReceiver {
  secret: string
  now: Date
  /** Whether the upload of this key is over; asked after all other checks and before the body. */
  used: (key: string) => Promise<boolean>
  /** Longest pause between two pieces of the body; 30 seconds unless given. */
  stallMs?: number
}

/**
 * Stores the body of one PUT to a disk upload address. Throws `UploadError`, or a `FileStoreError` (`FULL`,
 * `UNAVAILABLE`) when the store fails; the body of a refused request may be unread.
 */
export async function receiveUpload(
  store: FileStore,
  request: UploadRequest,
  receiver: UploadReceiver,
): Promise<StoredFile> {
  const upload = accept(request, receiver)
  if (await receiver.used(upload.key)) throw used()
  try {
    const options = { contentType: upload.contentType, maxBytes: upload.size }
    return await store.put(upload.key, bodyOf(request, receiver.stallMs ?? 30_000), options)
  } catch (error) {
    if (!(error instanceof FileStoreError)) throw error
    if (error.code === 'EXISTS') throw used(error)
    if (error.code === 'TOO_LARGE') throw tooLarge(upload.size)
    throw error
  }
}

function accept({ token, contentType, contentLength }: UploadRequest, { secret, now }: UploadReceiver) {
  const upload = openUploadToken(secret, token, now)
  if (upload === 'invalid') throw new UploadError('TOKEN_INVALID', 'This upload address is not valid.')
  if (upload === 'expired') {
    throw new UploadError('TOKEN_EXPIRED', 'This upload address has expired. Start the upload again.')
  }
  if (mediaType(contentType) !== mediaType(upload.contentType)) {
    throw new UploadError('TYPE', `Send the file with Content-Type: ${upload.contentType}.`)
  }
  if (contentLength !== null && contentLength > upload.size) throw tooLarge(upload.size)
  return upload
}

// Parameters such as a charset do not change what the file is.
function mediaType(header: string | null): string {
  return (header ?? '').split(';', 1)[0]!.trim().toLowerCase()
}

async function* bodyOf({ body, contentLength, signal }: UploadRequest, stallMs: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  try {
    for await (const chunk of watch(body, { stallMs, signal })) {
      bytes += chunk.byteLength
      if (contentLength !== null && bytes > contentLength) throw wrongLength(contentLength)
      yield chunk
    }
  } catch (cause) {
    if (cause instanceof UploadError) throw cause
    const what = cause instanceof StallError ? 'The body stopped arriving.' : 'The connection closed before the end.'
    throw new UploadError('INTERRUPTED', what, { cause })
  }
  if (contentLength !== null && bytes !== contentLength) throw wrongLength(contentLength)
}

function used(cause?: unknown): UploadError {
  return new UploadError('USED', 'This upload address has been used. Start the upload again.', { cause })
}

function tooLarge(size: number): UploadError {
  return new UploadError('TOO_LARGE', `The file is larger than the ${size} bytes declared.`)
}

function wrongLength(contentLength: number): UploadError {
  return new UploadError('LENGTH', `The body is not the ${contentLength} bytes that Content-Length says.`)
}
