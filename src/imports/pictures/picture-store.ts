import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { fileFolders } from '../../books/remove-book.ts'
import { FileStoreError, type FileStore, type ListedFile } from '../../files/store.ts'
import type { ExtractionErrorCode } from '../extract/extraction-error.ts'
import type { PictureType } from '../formats/picture/sniff-picture.ts'
import { maxPictureBytes } from '../extract/limits.ts'
import { chunksOf, readSmallFile } from '../../files/small-files.ts'

/** Identifies a picture: a page of a file at a width. The pages of a file never change. */
export interface PictureName {
  itemId: string
  /** The storage key of the file. */
  storageKey: string
  /** From 1. */
  page: number
  /** Width in pixels. */
  width: number
}

export interface Picture {
  mediaType: PictureType
  bytes: Uint8Array
}

/**
 * A cache of drawn pictures in the file store. They count for no account, and may be removed at any time: with their
 * book, or to stay within the limit.
 */
export interface PictureStore {
  find(name: PictureName): Promise<Picture | null>
  /** Stores a picture. Ignores failures of the store. */
  keep(name: PictureName, picture: Picture): Promise<void>
  /** Why drawing a picture failed in the last minutes; null if it did not. */
  failureOf(name: PictureName): ExtractionErrorCode | null
  rememberFailure(name: PictureName, code: ExtractionErrorCode): void
  /** True if a page of one of the owner's files exhausted the limits of a drawing in the last minutes. */
  isSlow(ownerId: string): boolean
  rememberSlow(ownerId: string): void
  /** The books that have pictures. */
  listBooks(): AsyncIterable<string>
  removeBook(itemId: string): Promise<void>
  /** Removes the least recently used pictures until the rest is within the limit. */
  trim(): Promise<void>
}

/** Changes whenever the same page would look different; older pictures are then drawn again. */
const rendererVersion = 1

const extensions: Record<PictureType, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
}
const mediaTypes = new Map(Object.entries(extensions).map(([type, extension]) => [extension, type as PictureType]))

const maxFailures = 2000
const failureTtlMs = 10 * 60_000
/**
 * A picture that is used is written again if it is older than this, ms, so that the time of the file shows its last
 * use.
 */
const useInterval = 7 * 24 * 60 * 60_000
/** Share of the limit that is in use after a trim. */
const trimmedShare = 0.9
/** A process trims by itself once it has stored this share of the limit. */
const unwatchedShare = 0.05

export interface PictureStoreOptions {
  files: FileStore
  now: () => Date
  /** Maximum size of all pictures together, bytes. */
  maxBytes: number
}

/** Keeps pictures at `pictures/{book}/{file}-{renderer}-{page}-{width}.{kind}` in the file store. */
export function createPictureStore(options: PictureStoreOptions): PictureStore {
  const { files, maxBytes } = options
  const failures = new LRUCache<string, ExtractionErrorCode>({ max: maxFailures, ttl: failureTtlMs })
  const slowOwners = new LRUCache<string, true>({ max: maxFailures, ttl: failureTtlMs })
  let keptSinceTrim = 0

  const write = async (key: string, { mediaType, bytes }: Picture) => {
    await files.put(key, chunksOf(bytes), { contentType: mediaType, maxBytes: maxPictureBytes })
  }
  const store: PictureStore = {
    async find(name) {
      const kept = await firstOf(files.list(`${keyOf(name)}.`))
      const mediaType = mediaTypes.get(kept?.key.split('.').at(-1) ?? '')
      if (!kept || !mediaType) return null
      const bytes = await readSmallFile(files, kept.key)
      if (bytes && options.now().getTime() - kept.modifiedAt.getTime() > useInterval) {
        await ignoringStoreErrors(async () => {
          await files.delete(kept.key)
          await write(kept.key, { mediaType, bytes })
        })
      }
      return bytes && { mediaType, bytes }
    },
    async keep(name, picture) {
      if (picture.bytes.length > maxBytes) return
      await ignoringStoreErrors(() => write(`${keyOf(name)}.${extensions[picture.mediaType]}`, picture))
      keptSinceTrim += picture.bytes.length
      if (keptSinceTrim > maxBytes * unwatchedShare) await ignoringStoreErrors(store.trim)
    },
    failureOf: (name) => failures.get(keyOf(name)) ?? null,
    rememberFailure: (name, code) => void failures.set(keyOf(name), code),
    isSlow: (ownerId) => slowOwners.has(ownerId),
    rememberSlow: (ownerId) => void slowOwners.set(ownerId, true),
    async *listBooks() {
      let last = ''
      for await (const { key } of files.list(folder)) {
        const itemId = key.split('/')[1] ?? ''
        if (itemId !== last) yield itemId
        last = itemId
      }
    },
    async removeBook(itemId) {
      for await (const { key } of files.list(`${folder}${itemId}/`)) await files.delete(key)
    },
    async trim() {
      keptSinceTrim = 0
      await trimTo(files, maxBytes)
    },
  }
  return store
}

const folder = `${fileFolders.pictures}/`

function keyOf({ itemId, storageKey, page, width }: PictureName): string {
  const file = createHash('sha256').update(storageKey).digest('hex').slice(0, 12)
  return `${folder}${itemId}/${file}-r${rendererVersion}-p${page}-w${width}`
}

/** A tag that differs for each picture and for each version of the renderer (RFC 9110, section 8.8.3). */
export function pictureTag(name: PictureName): string {
  return `"${createHash('sha256').update(keyOf(name)).digest('base64url').slice(0, 22)}"`
}

async function trimTo(files: FileStore, maxBytes: number): Promise<void> {
  const pictures: ListedFile[] = []
  let total = 0
  for await (const picture of files.list(folder)) {
    pictures.push(picture)
    total += picture.bytes
  }
  if (total <= maxBytes) return
  for (const { key, bytes } of pictures.sort((a, b) => a.modifiedAt.getTime() - b.modifiedAt.getTime())) {
    if (total <= maxBytes * trimmedShare) return
    await files.delete(key)
    total -= bytes
  }
}

async function firstOf<T>(values: AsyncIterable<T>): Promise<T | null> {
  for await (const value of values) return value
  return null
}

/** Ignores errors of the store, because a missing picture is drawn again. */
async function ignoringStoreErrors(run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (!(error instanceof FileStoreError)) throw error
  }
}
