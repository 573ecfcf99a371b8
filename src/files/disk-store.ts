import { createHash, randomUUID } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { access, type FileHandle, link, lstat, mkdir, open, rm, rmdir, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { errnoOf, isNotFound, wrapDiskError } from './disk-errors.ts'
import { listDirectory } from './list-directory.ts'
import { requireKey } from './keys.ts'
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
import { signUploadToken } from './upload-token.ts'

export interface DiskConfig {
  directory: string
  /** The URL of this service, without a trailing slash. */
  baseUrl: string
  /** Signs upload URLs. */
  secret: string
}

/**
 * Opens a store in a directory, which it creates if missing. Throws `UNAVAILABLE` if the directory cannot store files
 * safely.
 */
export async function openDiskStore(config: DiskConfig): Promise<FileStore> {
  const store = new DiskStore(config)
  await store.prepare()
  return store
}

class DiskStore implements FileStore {
  readonly #config: DiskConfig
  readonly #root: string
  readonly #tempDirectory: string

  constructor(config: DiskConfig) {
    this.#config = config
    this.#root = resolve(config.directory)
    // On the same file system, with a name that no key can have.
    this.#tempDirectory = join(this.#root, '.tmp')
  }

  /**
   * Creates the folders and checks that hard links work, which are used to publish a file without overwriting another.
   */
  async prepare(): Promise<void> {
    const probe = join(this.#tempDirectory, `${randomUUID()}.probe`)
    try {
      await mkdir(this.#tempDirectory, { recursive: true, mode: 0o700 })
      await (await open(probe, 'wx')).close()
      await link(probe, `${probe}2`)
    } catch (error) {
      const wrapped = wrapDiskError(error)
      // A full disk can still serve reads.
      if (wrapped.code !== 'FULL') throw wrapped
    } finally {
      await Promise.all([rm(probe, { force: true }), rm(`${probe}2`, { force: true })]).catch(() => {})
    }
  }

  async createUploadUrl(upload: UploadTarget): Promise<{ url: string }> {
    requireKey(upload.key)
    const token = signUploadToken(this.#config.secret, upload)
    return { url: `${this.#config.baseUrl}/api/v1/upload/blob/${token}` }
  }

  async put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions): Promise<StoredFile> {
    if (await this.head(key)) throw fileExistsError(key)
    const { bytes, sha256, store, discard } = await this.receive(body, options)
    try {
      await store(key, options)
    } finally {
      await discard()
    }
    return { bytes, sha256 }
  }

  async receive(body: AsyncIterable<Uint8Array>, { maxBytes }: Pick<PutOptions, 'maxBytes'>): Promise<ReceivedFile> {
    const { path, bytes, sha256 } = await spool(this.#tempDirectory, body, { maxBytes, durable: true })
    const store = (key: string) =>
      this.#publish(path, key).catch((error: unknown) => {
        throw wrapDiskError(error)
      })
    return { bytes, sha256, store, discard: () => rm(path, { force: true }).catch(() => {}) }
  }

  async head(key: string): Promise<{ bytes: number } | null> {
    const stats = await this.#stat(key)
    return stats && { bytes: stats.size }
  }

  async peek(key: string, length: number): Promise<Uint8Array> {
    const file = await this.#open(key)
    try {
      const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, 0)
      return buffer.subarray(0, bytesRead)
    } catch (error) {
      throw wrapDiskError(error)
    } finally {
      await file.close()
    }
  }

  async *read(key: string, signal?: AbortSignal, range?: FileRange): AsyncGenerator<Uint8Array> {
    signal?.throwIfAborted()
    const file = await this.#open(key)
    try {
      for await (const chunk of file.createReadStream({ highWaterMark: 256 * 1024, ...range })) {
        signal?.throwIfAborted()
        yield chunk
      }
    } catch (error) {
      throw signal?.aborted ? signal.reason : wrapDiskError(error)
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
    if (from === to || !(await this.#stat(from))) return this.#requireExisting(to)
    try {
      await this.#publish(source, to)
    } catch (error) {
      if (isNotFound(error)) return this.#requireExisting(to)
      const targetExists = error instanceof FileStoreError && error.code === 'EXISTS'
      if (!targetExists || !(await this.#hasSameContent(from, to))) throw wrapDiskError(error)
    }
    await this.delete(from)
  }

  async delete(key: string): Promise<void> {
    const path = this.#path(key)
    try {
      await unlink(path)
      await syncDirectories(await this.#removeEmptyFolders(dirname(path)))
    } catch (error) {
      if (!isNotFound(error)) throw wrapDiskError(error)
    }
  }

  list(prefix: string): AsyncIterable<ListedFile> {
    return listDirectory(this.#root, prefix)
  }

  removeStaleTempFiles(olderThan: Date): Promise<number> {
    return removeStaleSpoolFiles(this.#tempDirectory, olderThan)
  }

  async assertReady(): Promise<void> {
    const accessMode = constants.R_OK | constants.W_OK | constants.X_OK
    await Promise.all([access(this.#root, accessMode), access(this.#tempDirectory, accessMode)]).catch(
      (error: unknown) => {
        throw wrapDiskError(error)
      },
    )
  }

  async close(): Promise<void> {}
  #path(key: string): string {
    return join(this.#root, requireKey(key))
  }

  async #stat(key: string): Promise<Stats | null> {
    try {
      const stats = await lstat(this.#path(key))
      return stats.isFile() ? stats : null
    } catch (error) {
      if (isNotFound(error)) return null
      throw wrapDiskError(error)
    }
  }

  async #open(key: string): Promise<FileHandle> {
    if (!(await this.#stat(key))) throw fileNotFoundError(key)
    try {
      return await open(this.#path(key), constants.O_RDONLY | constants.O_NOFOLLOW)
    } catch (error) {
      throw isNotFound(error) ? fileNotFoundError(key) : wrapDiskError(error)
    }
  }

  async #publish(path: string, key: string): Promise<void> {
    const target = this.#path(key)
    try {
      await syncDirectories(dirname(target), await linkInFolder(path, target))
    } catch (error) {
      throw errnoOf(error) === 'EEXIST' ? fileExistsError(key) : error
    }
  }

  /** Removes a folder and its parents as far as they are empty; returns the first one that stays. */
  async #removeEmptyFolders(folder: string): Promise<string> {
    if (folder === this.#root) return folder
    try {
      await rmdir(folder)
    } catch (error) {
      // Another call may have removed it. Any other folder stays, above all one that is not empty.
      if (errnoOf(error) !== 'ENOENT') return folder
    }
    return this.#removeEmptyFolders(dirname(folder))
  }

  async #requireExisting(key: string): Promise<void> {
    if (!(await this.#stat(key))) throw fileNotFoundError(key)
  }

  // After a crash between `link` and `unlink`, both keys name the same file.
  async #hasSameContent(from: string, to: string): Promise<boolean> {
    const [a, b] = [await this.#stat(from), await this.#stat(to)]
    if (!a || !b) return b !== null
    return (a.ino === b.ino && a.dev === b.dev) || hasSameContent(this, from, to)
  }
}

/** How often a folder is created that others remove as empty before it has a file. */
const maxAttempts = 20

/**
 * Links a file into a folder, which is created if missing; returns the folder that contains all created ones. `link` fails
 * with EEXIST where `rename` would overwrite.
 */
async function linkInFolder(path: string, target: string): Promise<string> {
  const folder = dirname(target)
  let outermost = folder
  for (let attempt = 1; ; attempt++) {
    try {
      const created = await mkdir(folder, { recursive: true, mode: 0o700 })
      if (created && dirname(created).length < outermost.length) outermost = dirname(created)
      await link(path, target)
      return outermost
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT' || attempt === maxAttempts) throw error
      // Throws ENOENT if it is the file that is missing.
      await lstat(path)
    }
  }
}

/** Flushes the folder `from` and its parents up to `to`. Without this a new name may be lost in a power failure. */
async function syncDirectories(from: string, to = from): Promise<void> {
  const directory = await open(from, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
  if (from !== to) await syncDirectories(dirname(from), to)
}
