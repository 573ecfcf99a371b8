/** Where book files live. Two drivers keep to this contract: a directory (`disk-store.ts`) and a bucket (`s3-store.ts`). */
export interface FileStore {
  /** A signed address that takes a PUT of at most `size` bytes of `contentType` under `key` until `expiresAt`. */
  createUploadUrl(upload: UploadTarget): Promise<{ url: string }>
  /**
   * Stores a stream under `key`, whole or not at all, and never over another file. An error thrown by `body` itself
   * passes through unchanged.
   */
  put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions): Promise<StoredFile>
  /** The file's size, or null when there is none. */
  head(key: string): Promise<{ bytes: number } | null>
  /** The first `length` bytes, fewer when the file is shorter. */
  peek(key: string, length: number): Promise<Uint8Array>
  /** The file's bytes in order; ends early only by throwing. */
  read(key: string, signal?: AbortSignal): AsyncIterable<Uint8Array>
  /** A local path that holds the file until `release()`, and its SHA-256; nobody may write to that path. */
  checkout(key: string, signal?: AbortSignal): Promise<Checkout>
  /** Gives a file another key. May be repeated after a crash or beside itself; bytes are never lost or overwritten. */
  move(from: string, to: string): Promise<void>
  /** Removes a file; one that is not there is fine. */
  delete(key: string): Promise<void>
  /** Every file whose key begins with `prefix` (empty for all), in key order. */
  list(prefix: string): AsyncIterable<ListedFile>
  /** Removes local temporary files last written before `olderThan` (what crashes left) and counts them. */
  removeStaleTempFiles(olderThan: Date): Promise<number>
  /** Throws `UNAVAILABLE` when the store cannot be used. Writes nothing. */
  assertReady(): Promise<void>
  /** Gives back what the store holds (connections). */
  close(): Promise<void>
}

export interface FileStores {
  files: FileStore
}

export interface UploadTarget {
  key: string
  contentType: string
  /** Bytes. */
  size: number
  expiresAt: Date
}

export interface PutOptions {
  contentType: string
  /** A longer body is refused with `TOO_LARGE` and leaves nothing behind. */
  maxBytes: number
}

export interface StoredFile {
  bytes: number
  /** Lower-case hexadecimal. */
  sha256: string
}

export interface Checkout extends StoredFile {
  path: string
  release(): Promise<void>
}

export interface ListedFile {
  key: string
  bytes: number
  modifiedAt: Date
}

/** Why a store could not do what was asked, in a closed list. */
export type FileStoreErrorCode =
  | 'UNAVAILABLE' // does not answer, refuses our credentials, or its disk fails: try again later
  | 'NOT_FOUND'
  | 'EXISTS' // another file has that key
  | 'TOO_LARGE'
  | 'FULL' // no space or no quota left
  | 'INVALID_KEY' // see keys.ts

/** A refusal by a file store. The message is for the log and never holds credentials. */
export class FileStoreError extends Error {
  readonly code: FileStoreErrorCode

  constructor(code: FileStoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'FileStoreError'
    this.code = code
  }
}

/** The refusal of a key that no file has. */
export function fileNotFoundError(key: string): FileStoreError {
  return new FileStoreError('NOT_FOUND', `There is no file ${key}.`)
}

/** The refusal of a key that a file already has. */
export function fileExistsError(key: string): FileStoreError {
  return new FileStoreError('EXISTS', `There is already a file ${key}.`)
}
