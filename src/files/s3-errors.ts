import { S3ServiceException } from '@aws-sdk/client-s3'
import { setTimeout as sleep } from 'node:timers/promises'
import { FileStoreError } from './store.ts'

/** The HTTP status of the store's response, or null without a response. */
export function httpStatusOf(error: unknown): number | null {
  if (!(error instanceof Error) || !('$metadata' in error)) return null
  const { $metadata: metadata } = error
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return null
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : null
}

const maxAttempts = 3
const transientErrorNames = new Set(['RequestTimeout', 'RequestTimeTooSkewed', 'SlowDown'])

/** True if the same request may succeed a moment later. */
function isTransient(error: unknown): boolean {
  if (error instanceof FileStoreError) return false
  if (isTimeLimit(error)) return false
  const status = httpStatusOf(error)
  if (error instanceof Error && transientErrorNames.has(error.name)) return true
  if (hasCorrectedClock(error)) return true
  if (status === null || status === 409 || status === 429) return true
  // 501 means never, 507 means full.
  return status >= 500 && status !== 501 && status !== 507
}

/**
 * True if the store did not answer within the time limit of a request. It seldom answers the next one, and the caller
 * waits. The client gives broken connections the same name.
 */
function isTimeLimit(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'TimeoutError') return false
  return !('code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE'))
}

/**
 * True if the client has learned from this response that the clock of this machine is wrong, and signs the next request
 * with the time of the store. A response to HEAD does not name its error.
 */
function hasCorrectedClock(error: unknown): boolean {
  return error instanceof S3ServiceException && 'clockSkewCorrected' in error.$metadata
}

/**
 * Sends a request up to three times while it fails with a transient error, and throws the last error unchanged. A
 * request without a response within its time limit is not repeated. The
 * client's own retries are off: they skip streamed bodies, and stop for all requests after many failures.
 */
export async function withRetries<T>(
  { limits: { backoffMs } }: { limits: { backoffMs: number } },
  send: (attempt: number) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send(attempt)
    } catch (error) {
      signal?.throwIfAborted()
      if (attempt === maxAttempts || !isTransient(error)) throw error
      await sleep(backoffMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2), undefined, { signal })
    }
  }
}

const quotaErrorNames = new Set(['InsufficientStorage', 'QuotaExceeded', 'QuotaExceededException', 'XMinioStorageFull'])

/** Converts an error of the S3 client to a `FileStoreError`. `action` describes the request in the log. */
export function wrapS3Error(error: unknown, action: string): FileStoreError {
  if (error instanceof FileStoreError) return error
  const status = httpStatusOf(error)
  const name = error instanceof Error ? error.name : 'Error'
  const cause = redactedCause(error, status)
  const toError = (code: FileStoreError['code'], text: string) =>
    new FileStoreError(code, `${action}: ${text}`, { cause })
  if (status === 507 || quotaErrorNames.has(name)) return toError('FULL', 'the bucket is full.')
  if (status === 413 || name === 'EntityTooLarge') return toError('TOO_LARGE', 'the file is too large for the bucket.')
  if (name === 'NoSuchBucket') return toError('UNAVAILABLE', 'the bucket does not exist.')
  if (status === 404) return toError('NOT_FOUND', 'the file does not exist.')
  if (status === 401 || status === 403) return toError('UNAVAILABLE', 'the bucket rejected the credentials.')
  if (status !== null) return toError('UNAVAILABLE', `the bucket answered ${status}.`)
  if (name === 'CredentialsProviderError') return toError('UNAVAILABLE', 'no credentials were found.')
  return toError('UNAVAILABLE', 'the bucket did not answer.')
}

// A response may quote the request, including signature and access key, and the client attaches the whole response to
// its error. Only the error name, status and request id are kept.
function redactedCause(error: unknown, status: number | null): Error {
  if (!(error instanceof Error)) return new Error('not an error')
  if (status === null) return new Error(`${error.name}: ${error.message}`)
  const request = error instanceof S3ServiceException ? error.$metadata.requestId : undefined
  return new Error(`${error.name} (HTTP ${status}, request ${request ?? 'unknown'})`)
}
