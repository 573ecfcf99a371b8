/** The store of book files. Two drivers implement it: a directory (disk-store.ts) and a bucket (s3-store.ts). */
export interface FileStore {
  /** Signs a URL that accepts one PUT of at most `size` bytes of `contentType` to `key` until `expiresAt`. */
  createUploadUrl(upload: UploadTarget): Promise<{ url: string }>
  /**
   * Stores a stream under `key`, completely or not at all. Throws `EXISTS` instead of overwriting, and `TOO_LARGE`. An
   * error thrown by `body` passes through unchanged.
   */
  put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions): Promise<StoredFile>
  /**
   * Receives a stream without assigning a key, so that a file can be inspected before it is kept. The caller must call
   * `store` or `discard`. Throws like `put`.
   */
  receive(body: AsyncIterable<Uint8Array>, options: Pick<PutOptions, 'maxBytes'>): Promise<ReceivedFile>
  /** The size of a file, or null if it does not exist. */
  head(key: string): Promise<{ bytes: number } | null>
  /** The first `length` bytes of a file, fewer if it is shorter. Throws `NOT_FOUND`. */
  peek(key: string, length: number): Promise<Uint8Array>
  /**
   * The bytes of a file or of an existing range, in order. Throws `NOT_FOUND`; ends early only by throwing. Releases
   * its resources if the reader stops.
   */
  read(key: string, signal?: AbortSignal, range?: FileRange): AsyncIterable<Uint8Array>
  /** A read-only local path that holds the file until `release()`, with its size and SHA-256. */
  checkout(key: string, signal?: AbortSignal): Promise<Checkout>
  /** Changes the key of a file. Safe to repeat after a crash and concurrently: never loses or overwrites bytes. */
  move(from: string, to: string): Promise<void>
  /** Deletes a file; does nothing if it does not exist. */
  delete(key: string): Promise<void>
  /** The files whose key starts with `prefix` (empty for all), in key order. */
  list(prefix: string): AsyncIterable<ListedFile>
  /** Removes local temporary files last written before `olderThan`, which crashes leave, and returns their number. */
  removeStaleTempFiles(olderThan: Date): Promise<number>
  /** Throws `UNAVAILABLE` if the store cannot be used. Writes nothing. */
  assertReady(): Promise<void>
  /** Closes connections. */
  close(): Promise<void>
}

/** A byte range from `start` to `end`, both inclusive. */
export interface FileRange {
  start: number
  end: number
}

export interface FileStores {
  files: FileStore
}

export interface UploadTarget {
  key: string
  contentType: string
  /** Size in bytes. */
  size: number
  expiresAt: Date
}

export interface PutOptions {
  contentType: string
  /** For a longer body, `put` throws `TOO_LARGE` and stores nothing. */
  maxBytes: number
}

export interface StoredFile {
  bytes: number
  /** Lower-case hexadecimal. */
  sha256: string
}

/** A complete file without a key, on the local disk. */
export interface ReceivedFile extends StoredFile {
  /** Stores it under `key`. Throws `EXISTS` instead of overwriting. */
  store(key: string, options: Pick<PutOptions, 'contentType'>): Promise<void>
  /** Removes the local copy, which is the only one unless the file was stored. Idempotent. */
  discard(): Promise<void>
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

/** Why a store failed; a closed list. */
export type FileStoreErrorCode =
  | 'UNAVAILABLE' // no response, credentials rejected, or disk failure: try again later
  | 'NOT_FOUND'
  | 'EXISTS' // another file has that key
  | 'TOO_LARGE'
  | 'FULL' // no space or no quota left
  | 'INVALID_KEY' // see keys.ts

/** An error of a file store. The message is for the log and never contains credentials. */
export class FileStoreError extends Error {
  readonly code: FileStoreErrorCode

  constructor(code: FileStoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'FileStoreError'
    this.code = code
  }
}

/** The error for a key without a file. */
export function fileNotFoundError(key: string): FileStoreError {
  return new FileStoreError('NOT_FOUND', `No file has the key ${key}.`)
}

/** The error for a key that already has a file. */
export function fileExistsError(key: string): FileStoreError {
  return new FileStoreError('EXISTS', `A file already has the key ${key}.`)
}
