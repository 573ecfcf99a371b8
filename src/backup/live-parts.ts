import { createHash } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { BSON, type Db } from 'mongodb'
import { fileFolders } from '../books/remove-book.ts'
import type { Snapshot } from '../db/snapshot.ts'
import { errnoOf } from '../files/disk-errors.ts'
import { FileStoreError, type FileStore } from '../files/store.ts'
import type { DocumentsPart, FilePart } from './parts.ts'

export interface LiveLibrary {
  snapshot: Snapshot
  /** The live database. */
  db: Db
  files: FileStore
}

/** The parts of a library that are read while others use it. */
export interface LiveParts {
  documents(): AsyncIterable<DocumentsPart>
  /**
   * The files of the books in the snapshot, to be read after `documents`. Leaves out drawn pictures, which can be drawn
   * again.
   */
  files(): AsyncIterable<FilePart>
  /** What happened to missing files, to be read after `files`. */
  lost(): Promise<Lost>
}

export interface Lost {
  /** Keys of missing files of existing books. */
  missing: string[]
  /** Ids of books that were erased after the snapshot, and whose files are gone. */
  erased: string[]
}

/** Approximate size of a part of documents, bytes; a single document may exceed it. */
const partBytes = 1024 * 1024
/** Maximum size of a file that is held in memory, bytes. */
const smallFileBytes = 4 * 1024 * 1024
/**
 * In the order in which files move, so that a file that moves during the backup is read twice instead of being missed.
 */
const folders = [fileFolders.incoming, fileFolders.originals, fileFolders.figures, fileFolders.covers]

/** Reads a library part by part with bounded memory: the ids of books, and one part. */
export function readLive({ snapshot, db, files }: LiveLibrary, show: (percent: number) => void): LiveParts {
  /** The books of the snapshot, including those in the bin, and the keys of their original files. */
  const books = new Map<string, string | null>()
  const gone = new Set<string>()
  const found = new Set<string>()
  async function* listFiles(): AsyncGenerator<FilePart> {
    for (const folder of folders) {
      for await (const { key } of files.list(`${folder}/`)) {
        const id = key.split('/')[1] ?? ''
        if (!books.has(id) || found.has(key)) continue
        const part = await readFile(files, key)
        if (part === null) {
          gone.add(id)
          continue
        }
        if (folder === fileFolders.originals) found.add(key)
        yield part
        show(Math.floor((100 * found.size) / (books.size + 1)))
      }
    }
  }
  return {
    async *documents() {
      for (const collection of snapshot.collections) {
        const parts = inParts(snapshot.read(collection))
        for await (const documents of parts) {
          if (collection === 'books' || collection === 'deletedBooks')
            for (const document of documents) books.set(...originalOf(document))
          yield { kind: 'documents', collection, documents }
        }
      }
    },
    files: listFiles,
    async lost() {
      const lost: Lost = { missing: [], erased: [] }
      for (const [id, key] of books) {
        const isMissing = key !== null && !found.has(key)
        if (!isMissing && !gone.has(id)) continue
        if (!(await exists(db, id))) lost.erased.push(id)
        else if (isMissing) lost.missing.push(key)
      }
      return lost
    },
  }
}

async function* inParts(documents: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array[]> {
  let [part, bytes]: [Uint8Array[], number] = [[], 0]
  for await (const document of documents) {
    part.push(document)
    bytes += document.byteLength
    if (bytes < partBytes && part.length < 1000) continue
    yield part
    ;[part, bytes] = [[], 0]
  }
  if (part.length > 0) yield part
}

/** The id of a book (in the library or in the bin) and the key of its file. */
function originalOf(document: Uint8Array): [string, string | null] {
  const { _id, original, book } = BSON.deserialize(document)
  return [String(_id), (original ?? book?.original)?.storageKey ?? null]
}

/** Checks in the order that `isBookKept` explains. */
async function exists(db: Db, id: string): Promise<boolean> {
  for (const name of ['deletedBooks', 'books', 'deletedBooks'])
    if (await db.collection<{ _id: string }>(name).findOne({ _id: id }, { projection: { _id: 1 } })) return true
  return false
}

/** A complete file that can no longer disappear; null if it is gone. */
async function readFile(files: FileStore, key: string): Promise<FilePart | null> {
  try {
    const head = await files.head(key)
    if (head === null) return null
    return await (head.bytes <= smallFileBytes ? readSmall(files, key) : readLarge(files, key))
  } catch (error) {
    if ((error instanceof FileStoreError && error.code === 'NOT_FOUND') || errnoOf(error) === 'ENOENT') return null
    throw error
  }
}

async function readSmall(files: FileStore, key: string): Promise<FilePart> {
  const bytes = await buffer(files.read(key))
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { kind: 'file', key, bytes: bytes.length, sha256, read: () => once(bytes) }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function readLarge(files: FileStore, key: string): Promise<FilePart> {
  const { path, bytes, sha256, release } = await files.checkout(key)
  let handle: FileHandle
  try {
    // Once it is open, the server may delete it.
    handle = await open(path, 'r')
  } finally {
    await release()
  }
  const read = () => handle.createReadStream({ highWaterMark: 256 * 1024 })
  return { kind: 'file', key, bytes, sha256, read }
}
