import { withOwnAccess, quotedFromField, type GrantStores } from './access.ts'
import type { AccountNameStores } from '../accounts/load-account-names.ts'
import type { PendingSlotChange } from '../core/account.ts'
import { AppError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { erasedAt } from './bin.ts'
import type { BinningStores } from './bin-book.ts'
import { bookChangingError } from './book-changing-error.ts'
import { completeSlotChange } from './complete-slot-change.ts'
import type { BinnedBook } from './bin-store.ts'
import type { UndeletedItem, UndeleteItem } from './bin-schema.ts'
import { itemNotFound } from './find-book.ts'
import { returnBook } from './return-book.ts'
import { requireStorage } from './storage-limit.ts'
import { libraryFull } from './with-slot.ts'
import type { Call, PublicAddress } from '../core/context.ts'

type Context = Call & BinningStores & GrantStores & AccountNameStores & PublicAddress

/**
 * Brings one of the caller's deleted books back from the bin, with all versions, its file, its metadata and its places
 * on shelves. Leaves a book unchanged that is already back. Refuses an unknown or erased book with NOT_FOUND, and with
 * PLAN_LIMIT_EXCEEDED if the plan has no room for it.
 */
export async function undeleteItem(ctx: Context, { itemId }: UndeleteItem): Promise<UndeletedItem> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) if (await tryReturn(ctx, itemId)) return present(ctx, itemId)
  throw bookChangingError()
}

const maxAttempts = 20

/** Brings a book back if it is in the bin; false if the caller is to try again, because another change was pending. */
async function tryReturn(ctx: Context, itemId: string): Promise<boolean> {
  const { id: ownerId, plan } = ctx.actor
  const entry = await ctx.bin.find(ownerId, itemId)
  const pending = await findPending(ctx, itemId)
  if (entry && pending && pending.change !== 'take') {
    await completeSlotChange(ctx, ownerId, pending)
    return false
  }
  const book = { ownerId, id: itemId }
  if (entry?.state === 'restoring') {
    await returnBook(ctx, book, null)
    return true
  }
  if (entry?.state !== 'kept') return true
  await requireStorage(ctx, entry.book.storedBytes ?? 0)
  const slot = { id: newId(ctx.now()), itemId }
  if (await ctx.accounts.takeSlot(ownerId, slot, { limit: plan.itemLimit, at: ctx.now() })) {
    // Not used, because another call has brought the book back or erased it.
    if (!(await returnBook(ctx, book, slot.id))) await ctx.accounts.releaseSlot(ownerId, slot)
    return true
  }
  const other = await findPending(ctx, itemId)
  if (other?.change === 'take') {
    await returnBook(ctx, book, other.id)
    return true
  }
  if (other || (await ctx.bin.find(ownerId, itemId))?.state !== 'kept') return false
  throw await noRoomError(ctx, entry)
}

async function findPending(ctx: Context, itemId: string): Promise<PendingSlotChange | undefined> {
  const account = await ctx.accounts.byId(ctx.actor.id)
  return account?.pending.find((slot) => slot.itemId === itemId)
}

/** The refusal (PLAN_LIMIT_EXCEEDED) of a return without a free slot. */
async function noRoomError(ctx: Context, { deletedAt }: BinnedBook): Promise<AppError> {
  const { details, message } = await libraryFull(ctx)
  const day = erasedAt(deletedAt).toISOString().slice(0, 10)
  const remedy = `Or delete another book first: this one stays in the bin until ${day}.`
  return new AppError('PLAN_LIMIT_EXCEEDED', `${message} ${remedy}`, { details })
}

async function present(ctx: Context, id: string): Promise<UndeletedItem> {
  const [found] = await ctx.books.findOwned(ctx.actor.id, [id])
  if (!found) throw itemNotFound()
  const book = withOwnAccess(ctx, found)
  const [all, placements] = await Promise.all([
    ctx.shelves.list(ctx.actor.id),
    ctx.placements.list(ctx.actor.id, { itemIds: [id] }),
  ])
  const on = new Set(placements.map(({ shelfId }) => shelfId))
  const { title, status, health, healthReason, pageCount } = book
  const shelves = all
    .filter((shelf) => on.has(shelf.id))
    .map(({ id: shelfId, slug, name }) => ({ id: shelfId, slug, name }))
  return { id, title, status, health, healthReason, pageCount, shelves, ...quotedFromField(book) }
}
