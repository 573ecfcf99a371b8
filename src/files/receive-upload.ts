import { StallError, withStallTimeout } from '../runtime/stall-timeout.ts'
import { type FileStore, FileStoreError, type StoredFile, type UploadTarget } from './store.ts'
import { verifyUploadToken } from './upload-token.ts'

/** Why an upload was rejected; a closed list in the order of the checks. */
export type UploadErrorCode =
  | 'TOKEN_INVALID'
  | 'TOKEN_EXPIRED'
  | 'TYPE_MISMATCH' // another Content-Type than declared, or none
  | 'TOO_LARGE' // longer than declared; known before the first byte when the length was given
  | 'ALREADY_USED' // the URL has received its file
  | 'LENGTH_MISMATCH' // the body is shorter or longer than its Content-Length
  | 'INTERRUPTED' // the client disconnected, or sent nothing for the time allowed

/** A rejected upload. Nothing was stored. */
export class UploadError extends Error {
  readonly code: UploadErrorCode

  constructor(code: UploadErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'UploadError'
    this.code = code
  }
}

/** One PUT request, as the transport reads it. */
export interface UploadRequest {
  token: string
  /** The Content-Type header; null without one. */
  contentType: string | null
  /** The Content-Length header in bytes; null without one (chunked). */
  contentLength: number | null
  body: AsyncIterable<Uint8Array>
  signal?: AbortSignal
}

export interface ReceiveUploadOptions {
  secret: string
  now: Date
  /** Whether the upload with this key is completed; called after all other checks and before reading the body. */
  isUsed: (key: string) => Promise<boolean>
  /** The maximum pause between two chunks of the body, in ms; default 30,000. */
  stallTimeoutMs?: number
}

/**
 * Stores the body of one PUT to a disk upload URL. Throws `UploadError`, or a `FileStoreError` (`FULL`, `UNAVAILABLE`)
 * if the store fails. The body of a rejected request may be unread.
 */
export async function receiveUpload(
  store: FileStore,
  request: UploadRequest,
  options: ReceiveUploadOptions,
): Promise<StoredFile> {
  const upload = verifyRequest(request, options)
  if (await options.isUsed(upload.key)) throw alreadyUsedError()
  return storeUpload(store, upload, { ...request, stallTimeoutMs: options.stallTimeoutMs })
}

/**
 * Stores a body as the file of an upload. Throws `UploadError` if its length differs from the declared one or it stops
 * arriving, `ALREADY_USED` if there is a file, and a `FileStoreError` (`FULL`, `UNAVAILABLE`) if the store fails.
 */
export async function storeUpload(
  store: FileStore,
  upload: Omit<UploadTarget, 'expiresAt'>,
  request: Pick<UploadRequest, 'body' | 'contentLength' | 'signal'> & { stallTimeoutMs?: number | undefined },
): Promise<StoredFile> {
  try {
    const putOptions = { contentType: upload.contentType, maxBytes: upload.size }
    return await store.put(upload.key, checkedBody(request, request.stallTimeoutMs ?? 30_000), putOptions)
  } catch (error) {
    if (!(error instanceof FileStoreError)) throw error
    if (error.code === 'EXISTS') throw alreadyUsedError(error)
    if (error.code === 'TOO_LARGE') throw tooLargeError(upload.size)
    throw error
  }
}

function verifyRequest({ token, contentType, contentLength }: UploadRequest, { secret, now }: ReceiveUploadOptions) {
  const upload = verifyUploadToken(secret, token, now)
  if (upload === 'invalid')
    throw new UploadError('TOKEN_INVALID', 'This upload URL is not valid. Start the upload again.')
  if (upload === 'expired') {
    throw new UploadError('TOKEN_EXPIRED', 'This upload URL has expired. Start the upload again.')
  }
  if (mediaType(contentType) !== mediaType(upload.contentType)) {
    throw new UploadError('TYPE_MISMATCH', `Send the file with Content-Type: ${upload.contentType}.`)
  }
  if (contentLength !== null && contentLength > upload.size) throw tooLargeError(upload.size)
  return upload
}

// Parameters such as a charset do not matter.
function mediaType(header: string | null): string {
  return (header ?? '').split(';', 1)[0]!.trim().toLowerCase()
}

async function* checkedBody(
  { body, contentLength, signal }: Pick<UploadRequest, 'body' | 'contentLength' | 'signal'>,
  stallTimeoutMs: number,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  try {
    for await (const chunk of withStallTimeout(body, { stallTimeoutMs, signal })) {
      bytes += chunk.byteLength
      if (contentLength !== null && bytes > contentLength) throw lengthMismatchError(contentLength)
      yield chunk
    }
  } catch (cause) {
    if (cause instanceof UploadError) throw cause
    const message =
      cause instanceof StallError
        ? 'The body stopped arriving. Send the file again.'
        : 'The connection closed early. Send the file again.'
    throw new UploadError('INTERRUPTED', message, { cause })
  }
  if (contentLength !== null && bytes !== contentLength) throw lengthMismatchError(contentLength)
}

function alreadyUsedError(cause?: unknown): UploadError {
  return new UploadError('ALREADY_USED', 'This upload URL was already used. Start the upload again.', { cause })
}

function tooLargeError(size: number): UploadError {
  return new UploadError('TOO_LARGE', `The file is larger than the declared ${size} bytes.`)
}

function lengthMismatchError(contentLength: number): UploadError {
  return new UploadError(
    'LENGTH_MISMATCH',
    `The body does not have the ${contentLength} bytes of its Content-Length header.`,
  )
}
