import {
  CopyObjectCommand,
  DeleteObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { mkdir, rm } from 'node:fs/promises'
import { wrapDiskError } from './disk-errors.ts'
import { requireKey, requirePrefix, isKey } from './keys.ts'
import { withRetries, wrapS3Error, httpStatusOf } from './s3-errors.ts'
import { createS3Connection, type S3Config, type S3Connection } from './s3-connection.ts'
import { readObject, readFirstBytes } from './s3-read.ts'
import { headObject, type S3Object, writeObject } from './s3-write.ts'
import { hasSameContent } from './same-content.ts'
import { spool, removeStaleSpoolFiles } from './spool.ts'
import { fileExistsError, FileStoreError, fileNotFoundError } from './store.ts'
import type {
  Checkout,
  FileRange,
  FileStore,
  ListedFile,
  PutOptions,
  ReceivedFile,
  StoredFile,
  UploadTarget,
} from './store.ts'

/**
 * Opens a store in an existing bucket. Creates the temporary folder; connects only with the first request or
 * `assertReady()`.
 */
export async function openS3Store(config: S3Config): Promise<FileStore> {
  await mkdir(config.tempDirectory, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw wrapDiskError(error)
  })
  return new S3Store(createS3Connection(config), config.tempDirectory)
}

/** The time by the clock of the store, which the client learns from every response. */
function timeOfStore({ client }: S3Connection): Date {
  return new Date(Date.now() + client.config.systemClockOffset)
}

class S3Store implements FileStore {
  readonly #s3: S3Connection
  readonly #tempDirectory: string

  constructor(s3: S3Connection, tempDirectory: string) {
    this.#s3 = s3
    this.#tempDirectory = tempDirectory
  }

  async createUploadUrl({ key, contentType, size, expiresAt }: UploadTarget): Promise<{ url: string }> {
    const put = new PutObjectCommand({
      Bucket: this.#s3.bucket,
      Key: requireKey(key),
      ContentType: contentType,
      ContentLength: size,
    })
    // Only signed headers bind the client; without them any type and length would pass.
    const signableHeaders = new Set(['content-type', 'content-length'])
    const signingDate = timeOfStore(this.#s3)
    const expiresIn = Math.max(1, Math.ceil((expiresAt.getTime() - signingDate.getTime()) / 1000))
    try {
      return { url: await getSignedUrl(this.#s3.signer, put, { expiresIn, signableHeaders, signingDate }) }
    } catch (error) {
      throw wrapS3Error(error, 'Signing an upload')
    }
  }

  async put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions): Promise<StoredFile> {
    if (await this.#head(key)) throw fileExistsError(key)
    const { bytes, sha256, store, discard } = await this.receive(body, options)
    try {
      await store(key, options)
    } finally {
      await discard()
    }
    return { bytes, sha256 }
  }

  async receive(body: AsyncIterable<Uint8Array>, { maxBytes }: Pick<PutOptions, 'maxBytes'>): Promise<ReceivedFile> {
    // The bucket needs the length and the MD5 before the first byte.
    const file = await spool(this.#tempDirectory, body, { maxBytes, md5: true })
    const { bytes, sha256, path } = file
    return {
      bytes,
      sha256,
      store: async (key, { contentType }) => {
        // For buckets that do not refuse to overwrite by themselves.
        if (await this.#head(key)) throw fileExistsError(key)
        await writeObject(this.#s3, key, { file, contentType })
      },
      discard: () => rm(path, { force: true }).catch(() => {}),
    }
  }

  async head(key: string): Promise<{ bytes: number } | null> {
    const object = await this.#head(key)
    return object && { bytes: object.bytes }
  }

  async peek(key: string, length: number): Promise<Uint8Array> {
    return readFirstBytes(this.#s3, requireKey(key), length)
  }

  async *read(key: string, signal?: AbortSignal, range?: FileRange): AsyncGenerator<Uint8Array> {
    yield* readObject(this.#s3, requireKey(key), { signal, range })
  }

  async checkout(key: string, signal?: AbortSignal): Promise<Checkout> {
    const copy = await spool(this.#tempDirectory, this.read(key, signal), { maxBytes: Infinity })
    const { path, bytes, sha256 } = copy
    return { path, bytes, sha256, release: () => rm(path, { force: true }) }
  }

  async move(from: string, to: string): Promise<void> {
    try {
      await this.#move(from, to)
    } catch (error) {
      if (!(error instanceof FileStoreError && error.code === 'NOT_FOUND')) throw error
      // The source has disappeared: another call has moved it, or there is nothing to move.
      if (!(await this.#head(to)) || (await this.#head(from))) throw error
    }
  }

  async #move(from: string, to: string): Promise<void> {
    requireKey(to)
    const source = await this.#head(from)
    const target = await this.#head(to)
    if (from === to || !source) {
      if (!target) throw fileNotFoundError(to)
      return
    }
    if (target && !(await this.#hasSameContent({ key: from, ...source }, { key: to, ...target })))
      throw fileExistsError(to)
    if (target || (await this.#copy(source, { from, to }))) await this.delete(from)
  }

  async delete(key: string): Promise<void> {
    const request = new DeleteObjectCommand({ Bucket: this.#s3.bucket, Key: requireKey(key) })
    try {
      await withRetries(this.#s3, () => this.#s3.client.send(request))
    } catch (error) {
      if (httpStatusOf(error) !== 404) throw wrapS3Error(error, `Deleting ${key}`)
    }
  }

  async *list(prefix: string): AsyncGenerator<ListedFile> {
    requirePrefix(prefix)
    let next: string | undefined
    do {
      const page = await this.#listPage(prefix, next)
      for (const { Key, Size, LastModified } of page.Contents ?? []) {
        if (Key && isKey(Key)) yield { key: Key, bytes: Size ?? 0, modifiedAt: LastModified ?? new Date(0) }
      }
      next = page.IsTruncated ? page.NextContinuationToken : undefined
    } while (next)
  }

  removeStaleTempFiles(olderThan: Date): Promise<number> {
    return removeStaleSpoolFiles(this.#tempDirectory, olderThan)
  }

  async assertReady(): Promise<void> {
    const abortSignal = AbortSignal.timeout(this.#s3.limits.readyTimeoutMs)
    try {
      const request = new HeadBucketCommand({ Bucket: this.#s3.bucket })
      await withRetries(this.#s3, () => this.#s3.client.send(request, { abortSignal }), abortSignal)
    } catch (error) {
      if (httpStatusOf(error) === 404) throw new FileStoreError('UNAVAILABLE', 'The bucket does not exist.')
      throw wrapS3Error(error, 'Checking the bucket')
    }
  }

  async close(): Promise<void> {
    this.#s3.client.destroy()
    this.#s3.signer.destroy()
  }

  async #head(key: string): Promise<S3Object | null> {
    return headObject(this.#s3, requireKey(key))
  }

  // Stores that encrypt objects give equal files different tags.
  async #hasSameContent(a: S3Object & { key: string }, b: S3Object & { key: string }): Promise<boolean> {
    if (a.bytes !== b.bytes) return false
    return (a.etag !== null && a.etag === b.etag) || hasSameContent(this, a.key, b.key)
  }

  /** True once the copy is complete; false if another move of the same file was faster. */
  async #copy(source: S3Object, { from, to }: { from: string; to: string }): Promise<boolean> {
    const { bucket, client, limits } = this.#s3
    const request = new CopyObjectCommand({
      Bucket: bucket,
      Key: to,
      CopySource: `${bucket}/${from}`,
      // A client that still has the upload URL cannot replace the bytes before the copy.
      CopySourceIfMatch: source.etag ?? undefined,
    })
    try {
      await withRetries(this.#s3, () => client.send(request, { requestTimeout: limits.copyTimeoutMs }))
    } catch (error) {
      if (httpStatusOf(error) === 404 && (await this.#head(to))) return false
      throw wrapS3Error(error, `Moving ${from}`)
    }
    const copy = await this.#head(to)
    if (copy?.bytes === source.bytes) return true
    throw new FileStoreError('UNAVAILABLE', `Moving ${from}: the copy is incomplete.`)
  }

  async #listPage(prefix: string, next?: string) {
    const { bucket, client, limits } = this.#s3
    const request = new ListObjectsV2Command({
      Bucket: bucket,
      Prefix: prefix,
      MaxKeys: limits.listPageSize,
      ContinuationToken: next,
    })
    try {
      return await withRetries(this.#s3, () => client.send(request))
    } catch (error) {
      throw wrapS3Error(error, 'Listing files')
    }
  }
}
