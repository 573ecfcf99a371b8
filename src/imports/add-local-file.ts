import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { systemOwner, type Book } from '../books/book.ts'
import { contentTypesOf, formatOf } from '../books/file-formats.ts'
import type { BookAccessStores } from '../books/access.ts'
import { AppError } from '../core/errors.ts'
import { parseInput } from '../core/parse-input.ts'
import { confirmUpload } from './confirm-upload.ts'
import { discardDraft } from './discard-draft.ts'
import { queueJob } from './queue-job.ts'
import { reprocessItem } from './reprocess-item.ts'
import { StartUpload } from './schema.ts'
import { startUpload } from './start-upload.ts'
import type { Job } from './store.ts'

/** A file on this machine that has been counted and hashed. */
export interface LocalFile {
  path: string
  /** The base name of the file, which determines the format. */
  filename: string
  bytes: number
  /** Hex. */
  sha256: string
}

/** Metadata given before the file is read; it takes precedence over the file's own metadata. */
export type GivenMetadata = Partial<
  Pick<Book, 'title' | 'author' | 'description' | 'language' | 'publisher' | 'isbn' | 'origin'>
>

/** A book with its latest job. */
export interface AddedBook {
  itemId: string
  job: Pick<Job, 'id' | 'status' | 'type'>
  /** True if the library already had the file. */
  existing: boolean
}

export type AddFileServices = Parameters<typeof startUpload>[0] & Parameters<typeof confirmUpload>[0] & BookAccessStores

/** Reads a file to determine its size and SHA-256. Refuses an unreadable file with FORBIDDEN. */
export async function readDigest(path: string): Promise<Pick<LocalFile, 'bytes' | 'sha256'>> {
  const hash = createHash('sha256')
  let bytes = 0
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Uint8Array>) {
      hash.update(chunk)
      bytes += chunk.byteLength
    }
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
    throw new AppError('FORBIDDEN', `The file ${path} cannot be read (${code}).`, { cause })
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** A query for a book by the digest of its file (and title, if given), or by its origin. */
type SameFileQuery = { sha256: string; title?: string | undefined } | { origin: string }

/** The caller's book that has a file, with its latest job; restarts a failed import. Null if there is none. */
export async function findAddedFile(ctx: AddFileServices, query: SameFileQuery): Promise<AddedBook | null> {
  const ownerId = ctx.actor.id
  const book =
    'origin' in query
      ? await ctx.books.findByOrigin(ownerId, query.origin)
      : await ctx.books.findDuplicateFile(ownerId, { ...query, excludeId: '' })
  if (!book) return null
  if (book.status === 'FAILED') {
    if (ownerId === systemOwner) return null
    const { id, status } = (await reprocessItem(ctx, { itemId: book.id })).job
    return { itemId: book.id, job: { id, status: status as Job['status'], type: 'reprocess' }, existing: true }
  }
  const job = book.jobId === null ? null : await jobOf(ctx, book, book.jobId)
  if (!job) return null
  const { id, status, type } = job
  return { itemId: book.id, job: { id, status, type }, existing: true }
}

/** The latest job of a book; queues it now if its process ended before it did. */
async function jobOf(ctx: AddFileServices, book: Book, jobId: string): Promise<Job | null> {
  const job = await ctx.jobs.byId(book.ownerId, jobId)
  return job ?? (book.status === 'PROCESSING' ? queueJob(ctx, book, { id: jobId, type: 'import' }) : null)
}

/**
 * Adds a file to the caller's library and queues its import. A given title and the other given metadata count as
 * confirmed. With `told`, the end of the import is part of a joint notification. A refusal (see `startUpload` and
 * `confirmUpload`) leaves no book behind.
 */
export async function addLocalFile(
  ctx: AddFileServices,
  { path, filename, bytes, sha256 }: LocalFile,
  { given = {}, told }: { given?: GivenMetadata; told?: Job['told'] | undefined } = {},
): Promise<AddedBook> {
  const format = formatOf(filename)
  const contentType = format ? (contentTypesOf(format)[0] as string) : ''
  const upload = parseInput(StartUpload, { filename, size: bytes, contentType })
  const { itemId, storageKey } = await startUpload(ctx, upload)
  try {
    await ctx.files.put(storageKey, createReadStream(path), { contentType, maxBytes: bytes })
    if (Object.keys(given).length > 0) {
      const confirmed = given.title === undefined ? {} : { metadataConfirmedAt: ctx.now() }
      await ctx.books.change(ctx.actor.id, itemId, { set: { ...given, ...confirmed }, status: 'DRAFT' })
    }
    // Stored before the book counts, so that the same file is recognised even if this process ends at any point.
    await ctx.uploads.setReceived(storageKey, { at: ctx.now(), sha256 })
    const { job } = await confirmUpload(ctx, { itemId, storageKey }, told)
    return { itemId, job: job as AddedBook['job'], existing: false }
  } catch (error) {
    await discardDraft(ctx, itemId).catch((err) => ctx.log.warn({ err, itemId }, 'could not remove a refused book'))
    throw error
  }
}
