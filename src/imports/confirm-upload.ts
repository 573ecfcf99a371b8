import { ownAccess } from '../books/access.ts'
import { formatOfBook } from '../books/file-formats.ts'
import { markRemoving } from '../books/mark-removing.ts'
import { loadLockCheck, itemLockedError } from '../books/book-locks.ts'
import { outlineBytes } from '../books/outline-bytes.ts'
import { fileFolders, removeBook } from '../books/remove-book.ts'
import type { Book, OriginalFile } from '../books/book.ts'
import { shield } from '../core/cancellation.ts'
import { AppError } from '../core/errors.ts'
import { copyShelves } from '../shelves/shelve-books.ts'
import { copyShares } from '../teams/share-item.ts'
import { verifyUploadedFile } from './verify-uploaded-file.ts'
import type { ConfirmedUpload, ConfirmUpload } from './schema.ts'
import { queueJob } from './queue-job.ts'
import { requireQueueCapacity } from './require-queue-capacity.ts'
import type { Job, UploadReservation, UploadStores, JobStores } from './store.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { BinningStores } from '../books/bin-book.ts'
import type { QueueServices } from './queue.ts'
import type { ContentStores } from '../reading/store.ts'
import type { GapStores } from '../gaps/store.ts'
import type { PlacementStores } from '../shelves/placement-store.ts'
import type { ShareStores } from '../teams/share-store.ts'
import type { TeamStores } from '../teams/store.ts'
import type { MemberStores } from '../teams/member-store.ts'
import type { DepartmentStores } from '../teams/department-store.ts'
import type { SubscriptionStores } from '../marketplace/subscription-store.ts'

/**
 * Adds the uploaded file of a reserved book to the library and queues its import. Throws NOT_FOUND, CONFLICT for a book
 * that is already being processed, RATE_LIMITED (`requireQueueCapacity`), ITEM_LOCKED, and INVALID_INPUT for a wrong file
 * (`verifyUploadedFile`). With `told`, the end of the import is part of a joint notification.
 */
export async function confirmUpload(
  ctx: Call &
    BinningStores &
    UploadStores &
    QueueServices &
    ContentStores &
    GapStores &
    PublicAddress &
    JobStores &
    PlacementStores &
    ShareStores &
    TeamStores &
    MemberStores &
    DepartmentStores &
    SubscriptionStores,
  input: ConfirmUpload,
  told?: Job['told'],
): Promise<ConfirmedUpload> {
  const { itemId, storageKey, replacesItemId, password } = input
  const accountId = ctx.actor.id
  const [[book], upload] = await Promise.all([
    ctx.books.findOwned(accountId, [itemId]),
    ctx.uploads.byItem(accountId, itemId),
  ])
  if (!book || upload?.storageKey !== storageKey) throw itemNotFound()
  const replaced = replacesItemId ? (await ctx.books.findOwned(accountId, [replacesItemId]))[0] : undefined
  if (replacesItemId && (!replaced || replacesItemId === itemId)) throw itemNotFound()
  if (book.status !== 'DRAFT') throw alreadyProcessingError()
  await requireQueueCapacity(ctx)
  const isLocked = await loadLockCheck(ctx)
  if (isLocked({ id: itemId, access: ownAccess })) throw itemLockedError(ctx, [book])
  const originalKey = storageKey.replace(fileFolders.incoming, fileFolders.originals)
  await verifyUploadedFile(ctx, upload, { format: formatOfBook(book), originalKey })
  const job = await queueImport(ctx, {
    book,
    upload,
    originalKey,
    tocId: await copyOwnerToc(ctx, book, replaced),
    password,
    told,
  })
  return {
    item: { id: book.id, title: book.title },
    job: { id: job.id, status: job.status, type: job.type },
    replacedItemId: replaced ? await replaceBook(ctx, replaced, itemId) : null,
  }
}

/** Copies the table of contents that the owner set on the replaced book to the new book. */
async function copyOwnerToc(ctx: ContentStores, book: Book, replaced: Book | undefined): Promise<string | null> {
  if (!replaced?.tocId) return null
  return ctx.contents.saveOutline(book.id, await ctx.contents.getOutline(replaced.tocId))
}

interface ArrivedFile {
  book: Book
  upload: UploadReservation
  /** The storage key of the original file from now on. */
  originalKey: string
  tocId: string | null
  password: string | undefined
  told: Job['told'] | undefined
}

/** Stores the original, then creates the job, unless another call has done so. Idempotent after a crash at any step. */
async function queueImport(
  ctx: Call & BinningStores & QueueServices & JobStores & ContentStores,
  { book, upload, originalKey, tocId, password, told }: ArrivedFile,
): Promise<Job> {
  shield()
  await ctx.files.move(upload.storageKey, originalKey)
  const { filename, contentType, bytes, sha256 } = upload
  const jobId = ctx.newId()
  // Stored early, so that the same file is recognised while this one is still being imported.
  const original: OriginalFile = { storageKey: originalKey, filename, contentType, bytes, sha256: sha256 ?? null }
  const set = { status: 'PROCESSING' as const, original, jobId, tocId, updatedAt: ctx.now() }
  const reserved = book.storedBytes
  const tocBytes = tocId === null ? 0 : outlineBytes(await ctx.contents.getOutline(tocId))
  const addStoredBytes = reserved === undefined ? undefined : bytes + tocBytes - reserved
  if (!(await ctx.books.change(book.ownerId, book.id, { set, addStoredBytes, status: 'DRAFT' }))) {
    if ((await ctx.books.findOwned(book.ownerId, [book.id])).length > 0) throw alreadyProcessingError()
    // The book was deleted meanwhile; its file must not outlive it.
    await removeBook(ctx, book, null)
    throw itemNotFound()
  }
  return queueJob(ctx, { ...book, original }, { id: jobId, type: 'import', password, ...(told ? { told } : {}) })
}

/**
 * Replaces a book by a new one on shelves, in team shares and in reader requests, then removes it. Returns the id of
 * the removed book; null if the removal failed, which is logged.
 */
async function replaceBook(
  ctx: Call &
    BinningStores &
    GapStores &
    PlacementStores &
    ShareStores &
    TeamStores &
    MemberStores &
    DepartmentStores &
    SubscriptionStores,
  old: Book,
  itemId: string,
): Promise<string | null> {
  try {
    await copyShelves(ctx, itemId, old.id)
    await copyShares(ctx, itemId, old.id)
    await ctx.gaps.transferToBook(ctx.actor.id, old.id, { successor: itemId, at: ctx.now() })
    const { ids, markId } = await markRemoving(ctx, ctx.actor.id, { itemIds: [old.id] })
    return ids.length > 0 && (await removeBook(ctx, old, markId)) ? old.id : null
  } catch (err) {
    ctx.log.warn({ err, itemId: old.id }, 'could not remove the replaced book')
    return null
  }
}

function itemNotFound(): AppError {
  return new AppError('NOT_FOUND', 'Item not found')
}

function alreadyProcessingError(): AppError {
  return new AppError('CONFLICT', 'This book is already being processed. Follow it with GET /api/v1/jobs.')
}
