import { HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { StallError } from '../runtime/stall-timeout.ts'
import { withRetries, wrapS3Error, httpStatusOf } from './s3-errors.ts'
import type { S3Connection } from './s3-connection.ts'
import { stalledError } from './s3-read.ts'
import type { SpooledFile } from './spool.ts'
import { fileExistsError } from './store.ts'

export interface S3Object {
  bytes: number
  etag: string | null
  /** Stored by `writeObject`; null for files that clients uploaded. */
  sha256: string | null
}

/** The metadata of an object, or null if it does not exist. */
export async function headObject(s3: S3Connection, key: string): Promise<S3Object | null> {
  try {
    const request = new HeadObjectCommand({ Bucket: s3.bucket, Key: key })
    const response = await withRetries(s3, () => s3.client.send(request))
    return {
      bytes: response.ContentLength ?? 0,
      etag: response.ETag ?? null,
      sha256: response.Metadata?.['sha256'] ?? null,
    }
  } catch (error) {
    if (httpStatusOf(error) === 404) return null
    throw wrapS3Error(error, `Checking ${key}`)
  }
}

export interface ObjectUpload {
  file: SpooledFile
  contentType: string
}

/**
 * Uploads a spooled file; the store verifies its MD5. Stores that support `If-None-Match` reject overwriting
 * themselves; for the others the caller must check first.
 */
export async function writeObject(s3: S3Connection, key: string, upload: ObjectUpload): Promise<void> {
  let conditional = s3.supportsConditionalPut
  try {
    await withRetries(s3, async (attempt) => {
      if (attempt > 1 && (await isAlreadyWritten(s3, key, upload))) return
      try {
        await putObject(s3, key, { ...upload, conditional })
      } catch (error) {
        const status = httpStatusOf(error)
        if (!conditional || (status !== null && status !== 501)) throw error
        // Unsupported: the store responds 501 or closes the connection on a large body.
        conditional = false
        if (status === null) throw error
        s3.supportsConditionalPut = false
        await putObject(s3, key, { ...upload, conditional })
      }
    })
  } catch (error) {
    throw httpStatusOf(error) === 412 ? fileExistsError(key) : wrapS3Error(error, `Writing ${key}`)
  }
}

// An earlier attempt may have succeeded although its response was lost.
async function isAlreadyWritten(s3: S3Connection, key: string, { file }: ObjectUpload): Promise<boolean> {
  const existing = await headObject(s3, key)
  if (existing && existing.sha256 !== file.sha256) throw fileExistsError(key)
  return existing !== null
}

async function putObject(
  s3: S3Connection,
  key: string,
  upload: ObjectUpload & { conditional: boolean },
): Promise<void> {
  const { file, contentType, conditional } = upload
  const stallController = new AbortController()
  const { stallTimeoutMs } = s3.limits
  const timer = setTimeout(() => stallController.abort(), stallTimeoutMs)
  async function* chunks() {
    for await (const chunk of createReadStream(file.path, { highWaterMark: 256 * 1024 })) {
      timer.refresh()
      yield chunk
    }
  }
  const body = Readable.from(chunks(), { objectMode: false })
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
        IfNoneMatch: conditional ? '*' : undefined,
      }),
      // Only the stall timer limits the time, because large bodies take long.
      { abortSignal: stallController.signal, requestTimeout: 0 },
    )
  } catch (error) {
    throw stallController.signal.aborted ? stalledError(new StallError(stallTimeoutMs)) : error
  } finally {
    clearTimeout(timer)
    // Closes the file after a failed upload.
    body.destroy()
  }
}
