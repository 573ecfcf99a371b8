import { GetObjectCommand } from '@aws-sdk/client-s3'
import { Readable } from 'node:stream'
import { StallError, withStallTimeout } from './stall-timeout.ts'
import { withRetries, wrapS3Error, httpStatusOf } from './s3-errors.ts'
import type { S3Connection } from './s3-connection.ts'
import { FileStoreError } from './store.ts'

/**
 * A whole object. When the connection breaks, reading goes on where it stopped, in the same object only and at most
 * twice; a body that stalls is given up.
 */
export async function* readObject(s3: S3Connection, key: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  let position: Position = { offset: 0, total: null }
  for (let reconnects = 0; ; reconnects++) {
    try {
      const range = await withRetries(s3, () => openRange(s3, key, { from: position, signal }), signal)
      position = range.from
      for await (const chunk of streamBody(s3, range.body, signal)) {
        position.offset += chunk.byteLength
        yield chunk
      }
      if (position.offset === position.total) return
      throw new Error(`The body ended after ${position.offset} of ${position.total} bytes.`)
    } catch (error) {
      signal?.throwIfAborted()
      // An answer means that `persist` has tried; without one it is the body that broke.
      if (error instanceof StallError) throw stalledError(error)
      if (reconnects === 2 || position.total === null || httpStatusOf(error) !== null)
        throw wrapS3Error(error, `Reading ${key}`)
    }
  }
}

interface Position {
  offset: number
  /** Bytes of the whole object; null before the first answer. */
  total: number | null
  etag?: string
}

async function openRange(s3: S3Connection, key: string, options: { from: Position; signal?: AbortSignal }) {
  const { from: position, signal } = options
  const response = await s3.client.send(
    new GetObjectCommand({
      Bucket: s3.bucket,
      Key: key,
      IfMatch: position.etag,
      Range: position.offset > 0 ? `bytes=${position.offset}-` : undefined,
    }),
    { abortSignal: signal },
  )
  const body = response.Body
  if (!(body instanceof Readable) || response.ContentLength === undefined) throw new Error('An answer without a body.')
  if (position.offset > 0 && !response.ContentRange?.startsWith(`bytes ${position.offset}-`)) {
    body.destroy()
    throw new FileStoreError('UNAVAILABLE', `Reading ${key}: the bucket does not answer ranges.`)
  }
  const total = position.total ?? response.ContentLength
  return { body, from: { offset: position.offset, total, etag: position.etag ?? response.ETag } }
}

/** The first `length` bytes of an object. */
export async function readFirstBytes(s3: S3Connection, key: string, length: number): Promise<Uint8Array> {
  const request = new GetObjectCommand({ Bucket: s3.bucket, Key: key, Range: `bytes=0-${length - 1}` })
  try {
    return await withRetries(s3, async () => {
      const { Body: body } = await s3.client.send(request)
      if (!(body instanceof Readable)) throw new Error('An answer without a body.')
      return takeBytes(streamBody(s3, body), length)
    })
  } catch (error) {
    // An empty object has no range at all.
    if (httpStatusOf(error) === 416) return new Uint8Array()
    throw error instanceof StallError ? stalledError(error) : wrapS3Error(error, `Reading ${key}`)
  }
}

// Destroyed at every end: a body that is not read to its last byte holds a connection.
async function* streamBody(s3: S3Connection, body: Readable, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* withStallTimeout<Uint8Array>(body, { stallMs: s3.limits.stallTimeoutMs, signal })
  } finally {
    body.destroy()
  }
}

// A store without ranges answers with everything: stop at what was asked for.
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

/** The refusal of a body that stopped moving. */
export function stalledError(cause?: StallError): FileStoreError {
  return new FileStoreError('UNAVAILABLE', 'The bucket stopped in the middle of a body.', { cause })
}
