import { GetObjectCommand } from '@aws-sdk/client-s3'
import { Readable } from 'node:stream'
import { StallError, watch } from './stall-timeout.ts'
import { persist, s3Error, statusOf } from './s3-errors.ts'
import type { S3Link } from './s3-connection.ts'
import { FileStoreError } from './store.ts'

/**
 * A whole object. When the connection breaks, reading goes on where it stopped, in the same object only and at most
 * twice; a body that stalls is given up.
 */
export async function* readObject(s3: S3Link, key: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  let from: Position = { offset: 0, total: null }
  for (let breaks = 0; ; breaks++) {
    try {
      const part = await persist(s3, () => openPart(s3, key, { from, signal }), signal)
      from = part.from
      for await (const chunk of flow(s3, part.body, signal)) {
        from.offset += chunk.byteLength
        yield chunk
      }
      if (from.offset === from.total) return
      throw new Error(`The body ended after ${from.offset} of ${from.total} bytes.`)
    } catch (error) {
      signal?.throwIfAborted()
      // An answer means that `persist` has tried; without one it is the body that broke.
      if (error instanceof StallError) throw stalled(error)
      if (breaks === 2 || from.total === null || statusOf(error) !== null) throw s3Error(error, `Reading ${key}`)
    }
  }
}

interface Position {
  offset: number
  /** Bytes of the whole object; null before the first answer. */
  total: number | null
  etag?: string
}

async function openPart(s3: S3Link, key: string, options: { from: Position; signal?: AbortSignal }) {
  const { from, signal } = options
  const answer = await s3.client.send(
    new GetObjectCommand({
      Bucket: s3.bucket,
      Key: key,
      IfMatch: from.etag,
      Range: from.offset > 0 ? `bytes=${from.offset}-` : undefined,
    }),
    { abortSignal: signal },
  )
  const body = answer.Body
  if (!(body instanceof Readable) || answer.ContentLength === undefined) throw new Error('An answer without a body.')
  if (from.offset > 0 && !answer.ContentRange?.startsWith(`bytes ${from.offset}-`)) {
    body.destroy()
    throw new FileStoreError('UNAVAILABLE', `Reading ${key}: the bucket does not answer ranges.`)
  }
  const total = from.total ?? answer.ContentLength
  return { body, from: { offset: from.offset, total, etag: from.etag ?? answer.ETag } }
}

/** The first `length` bytes of an object. */
export async function readStart(s3: S3Link, key: string, length: number): Promise<Uint8Array> {
  const request = new GetObjectCommand({ Bucket: s3.bucket, Key: key, Range: `bytes=0-${length - 1}` })
  try {
    return await persist(s3, async () => {
      const { Body: body } = await s3.client.send(request)
      if (!(body instanceof Readable)) throw new Error('An answer without a body.')
      return firstBytes(flow(s3, body), length)
    })
  } catch (error) {
    // An empty object has no range at all.
    if (statusOf(error) === 416) return new Uint8Array()
    throw error instanceof StallError ? stalled(error) : s3Error(error, `Reading ${key}`)
  }
}

// Destroyed at every end: a body that is not read to its last byte holds a connection.
async function* flow(s3: S3Link, body: Readable, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* watch<Uint8Array>(body, { stallMs: s3.limits.stallMs, signal })
  } finally {
    body.destroy()
  }
}

// A store without ranges answers with everything: stop at what was asked for.
async function firstBytes(body: AsyncIterable<Uint8Array>, length: number): Promise<Uint8Array> {
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
export function stalled(cause?: StallError): FileStoreError {
  return new FileStoreError('UNAVAILABLE', 'The bucket stopped in the middle of a body.', { cause })
}
