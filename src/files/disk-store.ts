import { createHash, randomUUID } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { access, type FileHandle, link, lstat, mkdir, open, rm, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { errnoOf, isAbsent, storageError } from './disk-errors.ts'
import { listFolder } from './list-directory.ts'
import { checkKey } from './keys.ts'
import { sameContent } from './same-content.ts'
import { spool, sweepSpool } from './spool.ts'
import { exists, FileStoreError, notFound } from './store.ts'
import type { Checkout, FileStore, ListedFile, PutOptions, StoredFile, Upload } from './store.ts'
import { makeUploadToken } from './upload-token.ts'

export interface DiskConfig {
  directory: string
  /** The service's own address, without a slash at the end. */
  baseUrl: string
  /** Signs upload addresses. */
  secret: string
}

/** Opens a store in a directory, which is made when missing. Throws `UNAVAILABLE` when it cannot hold files safely. */
export async function openDiskStore(config: DiskConfig): Promise<FileStore> {
  const store = new DiskStore(config)
  await store.prepare()
  return store
}

class DiskStore implements FileStore {
  readonly #config: DiskConfig
  readonly #root: string
  readonly #temporary: string

  constructor(config: DiskConfig) {
    this.#config = config
    this.#root = resolve(config.directory)
    // In the same file system, and not a name that a key can have.
    this.#temporary = join(this.#root, '.tmp')
  }

  /** Makes the folders and proves that hard links work: they are what publishes a file without overwriting. */
  async prepare(): Promise<void> {
    const probe = join(this.#temporary, `${randomUUID()}.probe`)
    try {
      await mkdir(this.#temporary, { recursive: true, mode: 0o700 })
      await (await open(probe, 'wx')).close()
      await link(probe, `${probe}2`)
    } catch (error) {
      const failure = storageError(error)
      // A full disk still serves reads.
      if (failure.code !== 'FULL') throw failure
    } finally {
      await Promise.all([rm(probe, { force: true }), rm(`${probe}2`, { force: true })]).catch(() => {})
    }
  }

  async createUpload(upload: Upload): Promise<{ url: string }> {
    checkKey(upload.key)
    const token = makeUploadToken(this.#config.secret, upload)
    return { url: `${this.#config.baseUrl}/api/v1/upload/blob/${token}` }
  }

  async put(key: string, body: AsyncIterable<Uint8Array>, { maxBytes }: PutOptions): Promise<StoredFile> {
    if (await this.head(key)) throw exists(key)
    const { path, bytes, sha256 } = await spool(this.#temporary, body, { maxBytes, durable: true })
    try {
      await this.#publish(path, key)
    } catch (error) {
      throw storageError(error)
    } finally {
      await rm(path, { force: true }).catch(() => {})
    }
    return { bytes, sha256 }
  }

  async head(key: string): Promise<{ bytes: number } | null> {
    const found = await this.#stat(key)
    return found && { bytes: found.size }
  }

  async peek(key: string, length: number): Promise<Uint8Array> {
    const file = await this.#open(key)
    try {
      const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, 0)
      return buffer.subarray(0, bytesRead)
    } catch (error) {
      throw storageError(error)
    } finally {
      await file.close()
    }
  }

  async *read(key: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    signal?.throwIfAborted()
    const file = await this.#open(key)
    try {
      for await (const chunk of file.createReadStream({ highWaterMark: 256 * 1024 })) {
        signal?.throwIfAborted()
        yield chunk
      }
    } catch (error) {
      throw signal?.aborted ? signal.reason : storageError(error)
    } finally {
      await file.close()
    }
  }

  async checkout(key: string, signal?: AbortSignal): Promise<Checkout> {
    const hash = createHash('sha256')
    let bytes = 0
    for await (const chunk of this.read(key, signal)) {
      hash.update(chunk)
      bytes += chunk.byteLength
    }
    return { path: this.#path(key), bytes, sha256: hash.digest('hex'), release: async () => {} }
  }

  async move(from: string, to: string): Promise<void> {
    const source = this.#path(from)
    this.#path(to)
    if (from === to || !(await this.#stat(from))) return this.#mustExist(to)
    try {
      await this.#publish(source, to)
    } catch (error) {
      if (isAbsent(error)) return this.#mustExist(to)
      const taken = error instanceof FileStoreError && error.code === 'EXISTS'
      if (!taken || !(await this.#same(from, to))) throw storageError(error)
    }
    await this.delete(from)
  }

  async delete(key: string): Promise<void> {
    const path = this.#path(key)
    try {
      await unlink(path)
      await sync(dirname(path))
    } catch (error) {
      if (!isAbsent(error)) throw storageError(error)
    }
  }

  list(prefix: string): AsyncIterable<ListedFile> {
    return listFolder(this.#root, prefix)
  }

  sweep(olderThan: Date): Promise<number> {
    return sweepSpool(this.#temporary, olderThan)
  }

  async ready(): Promise<void> {
    const usable = constants.R_OK | constants.W_OK | constants.X_OK
    await Promise.all([access(this.#root, usable), access(this.#temporary, usable)]).catch((error: unknown) => {
      throw storageError(error)
    })
  }

  async close(): Promise<void> {}
  #path(key: string): string {
    return join(this.#root, checkKey(key))
  }

  async #stat(key: string): Promise<Stats | null> {
    try {
      const found = await lstat(this.#path(key))
      return found.isFile() ? found : null
    } catch (error) {
      if (isAbsent(error)) return null
      throw storageError(error)
    }
  }

  async #open(key: string): Promise<FileHandle> {
    if (!(await this.#stat(key))) throw notFound(key)
    try {
      return await open(this.#path(key), constants.O_RDONLY | constants.O_NOFOLLOW)
    } catch (error) {
      throw isAbsent(error) ? notFound(key) : storageError(error)
    }
  }

  // A link fails where a rename would overwrite.
  async #publish(path: string, key: string): Promise<void> {
    const target = this.#path(key)
    try {
      const made = await mkdir(dirname(target), { recursive: true, mode: 0o700 })
      await link(path, target)
      await sync(dirname(target), made ? dirname(made) : dirname(target))
    } catch (error) {
      throw errnoOf(error) === 'EEXIST' ? exists(key) : error
    }
  }

  async #mustExist(key: string): Promise<void> {
    if (!(await this.#stat(key))) throw notFound(key)
  }

  // One file under both keys is what a crash between link and unlink leaves.
  async #same(from: string, to: string): Promise<boolean> {
    const [a, b] = [await this.#stat(from), await this.#stat(to)]
    if (!a || !b) return b !== null
    return (a.ino === b.ino && a.dev === b.dev) || sameContent(this, from, to)
  }
}

/** Flushes the folder `from` and the folders above it up to `to`: without it a new name may not outlive a power cut. */
async function sync(from: string, to = from): Promise<void> {
  const folder = await open(from, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
  if (from !== to) await sync(dirname(from), to)
}
