import { GetObjectCommand } from '@aws-sdk/client-s3'
import { Readable } from 'node:stream'
import { StallError, withStallTimeout } from '../runtime/stall-timeout.ts'
import { withRetries, wrapS3Error, httpStatusOf } from './s3-errors.ts'
import type { S3Connection } from './s3-connection.ts'
import { FileStoreError, type FileRange } from './store.ts'

/**
 * Reads an object, or an existing range of it. If the connection breaks, resumes at the same position of the same
 * object (`If-Match`), at most twice. Throws `UNAVAILABLE` for a body that stalls.
 */
export async function* readObject(
  s3: S3Connection,
  key: string,
  { signal, range }: { signal?: AbortSignal | undefined; range?: FileRange | undefined },
): AsyncGenerator<Uint8Array> {
  let position: Position = { offset: 0, total: null, range }
  for (let reconnects = 0; ; reconnects++) {
    try {
      const part = await withRetries(s3, () => openRange(s3, key, { position, signal }), signal)
      position = part.position
      for await (const chunk of streamBody(s3, part.body, signal)) {
        position.offset += chunk.byteLength
        yield chunk
      }
      if (position.offset === position.total) return
      throw new Error(`The body ended after ${position.offset} of ${position.total} bytes.`)
    } catch (error) {
      signal?.throwIfAborted()
      // A status means that `withRetries` has given up; without one the body broke.
      if (error instanceof StallError) throw stalledError(error)
      if (reconnects === 2 || position.total === null || httpStatusOf(error) !== null)
        throw wrapS3Error(error, `Reading ${key}`)
    }
  }
}

interface Position {
  /** Number of bytes read. */
  offset: number
  /** Total number of bytes to read; null before the first response. */
  total: number | null
  etag?: string | undefined
  /** Undefined: the whole object. */
  range: FileRange | undefined
}

async function openRange(
  s3: S3Connection,
  key: string,
  { position, signal }: { position: Position; signal: AbortSignal | undefined },
) {
  const { offset, range } = position
  const first = (range?.start ?? 0) + offset
  const isPart = range !== undefined || offset > 0
  const response = await s3.client.send(
    new GetObjectCommand({
      Bucket: s3.bucket,
      Key: key,
      IfMatch: position.etag,
      Range: isPart ? `bytes=${first}-${range?.end ?? ''}` : undefined,
    }),
    { abortSignal: signal },
  )
  const body = response.Body
  if (!(body instanceof Readable) || response.ContentLength === undefined) throw new Error('A response without a body.')
  if (isPart && !response.ContentRange?.startsWith(`bytes ${first}-`)) {
    body.destroy()
    throw new FileStoreError('UNAVAILABLE', `Reading ${key}: the bucket does not support ranges.`)
  }
  const total = position.total ?? response.ContentLength
  return { body, position: { ...position, total, etag: position.etag ?? response.ETag } }
}

/** The first `length` bytes of an object, fewer if it is shorter. */
export async function readFirstBytes(s3: S3Connection, key: string, length: number): Promise<Uint8Array> {
  const request = new GetObjectCommand({ Bucket: s3.bucket, Key: key, Range: `bytes=0-${length - 1}` })
  try {
    return await withRetries(s3, async () => {
      const { Body: body } = await s3.client.send(request)
      if (!(body instanceof Readable)) throw new Error('A response without a body.')
      return takeBytes(streamBody(s3, body), length)
    })
  } catch (error) {
    // An empty object has no satisfiable range.
    if (httpStatusOf(error) === 416) return new Uint8Array()
    throw error instanceof StallError ? stalledError(error) : wrapS3Error(error, `Reading ${key}`)
  }
}

// Always destroys the body: one that is not read to its end keeps a connection.
async function* streamBody(s3: S3Connection, body: Readable, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* withStallTimeout<Uint8Array>(body, { stallTimeoutMs: s3.limits.stallTimeoutMs, signal })
  } finally {
    body.destroy()
  }
}

// A store without range support sends the whole object; stop after `length` bytes.
async function takeBytes(body: AsyncIterable<Uint8Array>, length: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.byteLength
    if (bytes >= length) break
  }
  return new Uint8Array(Buffer.concat(chunks).subarray(0, length))
}

/** The error for a body that stalled. */
export function stalledError(cause: StallError): FileStoreError {
  return new FileStoreError('UNAVAILABLE', 'The bucket stopped sending or receiving in the middle of a body.', {
    cause,
  })
}
