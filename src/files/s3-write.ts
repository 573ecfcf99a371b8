import { HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { StallError } from './stall-timeout.ts'
import { persist, s3Error, statusOf } from './s3-errors.ts'
import type { S3Link } from './s3-connection.ts'
import { stalled } from './s3-read.ts'
import type { Spooled } from './spool.ts'
import { exists } from './store.ts'

export interface S3Object {
  bytes: number
  etag: string | null
  /** What `writeObject` noted; null for files that clients uploaded. */
  sha256: string | null
}

/** What the store says about an object, or null when there is none. */
export async function headObject(s3: S3Link, key: string): Promise<S3Object | null> {
  try {
    const request = new HeadObjectCommand({ Bucket: s3.bucket, Key: key })
    const found = await persist(s3, () => s3.client.send(request))
    return { bytes: found.ContentLength ?? 0, etag: found.ETag ?? null, sha256: found.Metadata?.sha256 ?? null }
  } catch (error) {
    if (statusOf(error) === 404) return null
    throw s3Error(error, `Looking at ${key}`)
  }
}

export interface Upward {
  file: Spooled
  contentType: string
}

/**
 * Uploads a spooled file; the store checks its MD5. Stores that support `If-None-Match` refuse to overwrite by
 * themselves; for the others the caller has looked before.
 */
export async function writeObject(s3: S3Link, key: string, upward: Upward): Promise<void> {
  let condition = s3.conditionalPut
  try {
    await persist(s3, async (attempt) => {
      if (attempt > 1 && (await hasArrived(s3, key, upward))) return
      try {
        await send(s3, key, { ...upward, condition })
      } catch (error) {
        const status = statusOf(error)
        if (!condition || (status !== null && status !== 501)) throw error
        // Not supported; said with 501, or by closing the connection on a large body.
        condition = false
        if (status === null) throw error
        s3.conditionalPut = false
        await send(s3, key, { ...upward, condition })
      }
    })
  } catch (error) {
    throw statusOf(error) === 412 ? exists(key) : s3Error(error, `Writing ${key}`)
  }
}

// An earlier attempt may have arrived although its answer did not.
async function hasArrived(s3: S3Link, key: string, { file }: Upward): Promise<boolean> {
  const found = await headObject(s3, key)
  if (found && found.sha256 !== file.sha256) throw exists(key)
  return found !== null
}

async function send(s3: S3Link, key: string, upward: Upward & { condition: boolean }): Promise<void> {
  const { file, contentType, condition } = upward
  const stall = new AbortController()
  const { stallMs } = s3.limits
  const timer = setTimeout(() => stall.abort(), stallMs)
  async function* moving() {
    for await (const chunk of createReadStream(file.path, { highWaterMark: 256 * 1024 })) {
      timer.refresh()
      yield chunk
    }
  }
  const body = Readable.from(moving(), { objectMode: false })
  try {
    await s3.client.send(
      new PutObjectCommand({
        Bucket: s3.bucket,
        Key: key,
        Body: body,
        ContentLength: file.bytes,
        ContentType: contentType,
        ContentMD5: file.md5 ?? undefined,
        Metadata: { sha256: file.sha256 },
        IfNoneMatch: condition ? '*' : undefined,
      }),
      // The stall timer is the limit: a large body takes as long as it takes.
      { abortSignal: stall.signal, requestTimeout: 0 },
    )
  } catch (error) {
    throw stall.signal.aborted ? stalled(new StallError(stallMs)) : error
  } finally {
    clearTimeout(timer)
    // Closes the file after an upload that broke.
    body.destroy()
  }
}
