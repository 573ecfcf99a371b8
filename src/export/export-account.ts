import type { AuditServices } from '../accounts/audit.ts'
import type { PublicAddress } from '../core/context.ts'
import { AppError } from '../core/errors.ts'
import type { FileAnswer } from '../core/file-answer.ts'
import type { StreamedBytes } from '../runtime/byte-stream.ts'
import type { Slots } from '../runtime/slots.ts'
import { addBook, folderOf, type BookExportStores } from './add-book.ts'
import {
  addListings,
  addManuscripts,
  addProfile,
  addResearch,
  addShelves,
  addSubscriptions,
  addWords,
  type RecordStores,
} from './add-records.ts'
import { beginArchive, type Archive } from './archive.ts'
import { readMe } from './read-me.ts'
import { openZipStream, type ZipStream } from './zip-stream.ts'

export interface ExportServices {
  /** The slots for exports in this process. */
  exports: Slots
}

type Stores = RecordStores & BookExportStores & AuditServices & ExportServices & PublicAddress

const retryAfterSeconds = 60

/**
 * One export per account at a time; further ones are refused at once. There is no limit for all accounts: a few that read slowly could
 * keep exports from the others for days.
 */
export const exportLimits = { perKey: 1, total: Infinity, maxWaitingPerKey: 0, maxWaitMs: 0 }

/**
 * Exports everything that the caller's account has as one streamed ZIP archive; costs no reads. Refuses with
 * RATE_LIMITED while another export of the account runs.
 */
export async function exportAccount(ctx: Stores, _: object): Promise<FileAnswer> {
  const now = ctx.now()
  return {
    contentType: 'application/zip',
    filename: `lectern-export-${now.toISOString().slice(0, 10)}.zip`,
    size: null,
    // Every export differs, because it contains its time.
    etag: null,
    async open() {
      const release = await ctx.exports.take(ctx.actor.id, ctx.signal)
      if (!release) throw tooMany()
      await ctx.audit.record({ type: 'account_exported', by: ctx })
      return stream(ctx, now, release)
    },
  }
}

function tooMany(): AppError {
  const message = 'An export of this account is running already. Wait until it has ended, or cancel it, then retry.'
  return new AppError('RATE_LIMITED', message, { retryAfterSeconds })
}

function stream(caller: Stores, now: Date, release: () => void): StreamedBytes {
  const zip = openZipStream(now)
  const left = new AbortController()
  const ctx = { ...caller, signal: AbortSignal.any([caller.signal, left.signal]) }
  const written = write(ctx, now, zip)
    .catch((error: unknown) => zip.abort(error instanceof Error ? error : new Error(String(error))))
    .finally(release)
  return {
    pieces: zip.pieces,
    close(reason) {
      if (reason !== undefined && !caller.signal.aborted) ctx.log.error({ err: reason }, 'an export was aborted')
      const gone = new Error('Nobody reads the export any more.')
      left.abort(gone)
      zip.abort(gone)
      void written
    },
  }
}

/**
 * Writes the books that the account has at the start, each in its state when its turn comes. Leaves out a book that is
 * deleted in the meantime.
 */
async function write(ctx: Stores, now: Date, zip: ZipStream): Promise<void> {
  const archive = beginArchive(zip)
  await archive.add({ path: 'README.txt', body: bytesOf(readMe), compress: true })
  const steps = [addProfile, addShelves, addManuscripts, addSubscriptions, addListings, addResearch, addWords]
  for (const step of steps) await step(ctx, archive)
  await addBooks(ctx, archive)
  const { name, email } = ctx.actor.account
  await archive.end({ createdAt: now.toISOString(), server: ctx.baseUrl, account: { name, email } })
}

async function addBooks(ctx: Stores, archive: Archive): Promise<void> {
  const ids: string[] = []
  // A reservation for an upload has no contents yet.
  for await (const { id, status } of ctx.books.allOwned(ctx.actor.id)) if (status !== 'DRAFT') ids.push(id)
  archive.count('books', 0)
  for (const [index, id] of ids.entries()) {
    ctx.signal.throwIfAborted()
    const [book] = await ctx.books.findOwned(ctx.actor.id, [id])
    if (book) await addBook(ctx, { archive, book, folder: folderOf(book, index + 1) })
    else archive.absent(`the book ${id}`, 'It was deleted while the export was made.')
  }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
