import { createHash } from 'node:crypto'
import type { AccessibleBook } from '../books/access.ts'
import type { OriginalFile } from '../books/book.ts'
import { contentTypesOf, fileFormats, formatOf, formatOfBook } from '../books/file-formats.ts'
import { AppError } from '../core/errors.ts'
import type { ByteRange, FileAnswer } from '../core/file-answer.ts'
import type { FileStores } from '../files/store.ts'
import type { StreamedBytes } from '../runtime/byte-stream.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { GetItemFile } from './item-file-schema.ts'
import { chargeWholeBook, openInFull } from './open-in-full.ts'
import { takeAnswerSlot } from './stream-content.ts'
import type { Manifest } from './manifest.ts'
import type { ContentStores } from './store.ts'
import type { ReadingStores } from './stores.ts'

/**
 * The original file of a book that the caller may read in full. Costs one read when its bytes are sent. Refuses like
 * `openInFull`, and a book without a file with CONFLICT. If the text has been changed since the import, only those who
 * may see all versions get the file (FORBIDDEN), because it contains text that was removed.
 */
export async function getItemFile(
  ctx: Call & ReadingStores & FileStores,
  { itemId }: GetItemFile,
): Promise<FileAnswer> {
  const book = await openInFull(ctx, itemId)
  const { original, status } = book
  if (!original || status === 'DRAFT') throw noOriginal(ctx, book)
  const manifest = book.version > 0 ? await ctx.contents.getManifest(book.id, book.version) : null
  if (!canDownload(book, manifest)) throw changedSince(ctx, book)
  const stored = await ctx.files.head(original.storageKey)
  if (!stored) throw missingFile(ctx, book, original)
  const words = manifest?.words ?? 0
  return {
    contentType: contentTypesOf(formatOfBook(book))[0] as string,
    filename: nameWithExtension(book, original),
    size: stored.bytes,
    // A stored file never changes.
    etag: createHash('sha256').update(`${original.storageKey} ${stored.bytes}`).digest('base64url').slice(0, 27),
    async open(range) {
      const release = await takeAnswerSlot(ctx, range ? range.end - range.start + 1 : stored.bytes)
      try {
        await chargeWholeBook(ctx, book, { words, isFirstPart: range === null || range.start === 0 })
        return readFile(ctx, original.storageKey, { range, release })
      } catch (error) {
        release()
        throw error
      }
    },
  }
}

/** True if no imported text was removed, or the caller may see all versions. */
function canDownload({ access }: AccessibleBook, manifest: Manifest | null): boolean {
  return access.kind === 'own' || (manifest !== null && manifest.jobId !== null)
}

/** True if `getItemFile` would return the file of a book that the caller may read in full; for lists. */
export async function hasFileOfText({ contents }: ContentStores, book: AccessibleBook): Promise<boolean> {
  if (!book.original || book.status === 'DRAFT') return false
  if (book.access.kind === 'own') return true
  return canDownload(book, book.version > 0 ? await contents.getManifest(book.id, book.version) : null)
}

function readFile(
  ctx: Call & FileStores,
  key: string,
  { range, release }: { range: ByteRange | null; release: () => void },
): StreamedBytes {
  const pieces = ctx.files.read(key, ctx.signal, range ?? undefined)[Symbol.asyncIterator]()
  return {
    pieces,
    close(reason) {
      release()
      // Closes the file if the client disconnects early.
      pieces.return?.().catch(() => {})
      if (reason !== undefined && !ctx.signal.aborted) ctx.log.error({ err: reason }, 'a download was aborted')
    },
  }
}

function nameWithExtension(book: AccessibleBook, { filename }: OriginalFile): string {
  const format = formatOfBook(book)
  const name = filename.trim() === '' ? book.title : filename
  return formatOf(name) === format ? name : `${name}${fileFormats[format].extensions[0]}`
}

function noOriginal(ctx: Call & PublicAddress, { id }: AccessibleBook): AppError {
  const message = `This book has no original file. Export its text instead: ${exportUrl(ctx, id)}`
  return new AppError('CONFLICT', message)
}

function missingFile(ctx: Call & PublicAddress, { id }: AccessibleBook, { storageKey }: OriginalFile): AppError {
  ctx.log.error({ itemId: id, storageKey }, 'the file of a book is missing')
  const message = `The original file is missing on this server. Tell its administrator. Export the text instead: ${exportUrl(ctx, id)}`
  return new AppError('NOT_FOUND', message)
}

function changedSince(ctx: Call & PublicAddress, { id }: AccessibleBook): AppError {
  const message = `The text was changed since its file was imported, so only the owner may have the file. Export the text instead: ${exportUrl(ctx, id)}`
  return new AppError('FORBIDDEN', message)
}

/** The URL from which the caller gets the text of a book as a file. */
function exportUrl({ baseUrl, transport }: Call & PublicAddress, id: string): string {
  const book = transport === 'web' ? `${baseUrl}/books/${id}` : `${baseUrl}/api/v1/items/${id}`
  return `${book}/export?format=markdown`
}
