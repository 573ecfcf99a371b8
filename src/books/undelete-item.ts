import { withOwnAccess, quotedFromField, type GrantStores } from './access.ts'
import type { AccountNameStores } from '../accounts/load-account-names.ts'
import { AppError } from '../core/errors.ts'
import { erasedAt } from './bin.ts'
import { binBook, type BinningStores } from './bin-book.ts'
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
  const ownerId = ctx.actor.id
  await completeDeletion(ctx, itemId)
  const entry = await ctx.bin.find(ownerId, itemId)
  if (entry?.state === 'kept' || entry?.state === 'restoring') {
    if (entry.state === 'kept') await requireStorage(ctx, entry.book.storedBytes ?? 0)
    const taken = await takeSlot(ctx, entry)
    // Another call has brought the book back or erased it.
    if (!(await returnBook(ctx, ownerId, itemId)) && taken) await ctx.accounts.releaseSlot(ownerId, itemId)
  }
  return present(ctx, itemId)
}

/** Completes a deletion that is in progress or that a crash has interrupted. */
async function completeDeletion(ctx: Context, id: string): Promise<void> {
  const ownerId = ctx.actor.id
  if ((await ctx.bin.find(ownerId, id))?.state !== 'deleting') return
  const account = await ctx.accounts.byId(ownerId)
  const mark = account?.pending.find((slot) => slot.itemId === id && slot.change === 'discard')
  if (mark) await binBook(ctx, { ownerId, id, markId: mark.id })
}

/** Takes a slot; false if an earlier attempt has taken it. Refuses with PLAN_LIMIT_EXCEEDED. */
async function takeSlot(ctx: Context, { id, deletedAt }: BinnedBook): Promise<boolean> {
  const { id: accountId, plan } = ctx.actor
  if (await ctx.accounts.takeSlot(accountId, id, { limit: plan.itemLimit, at: ctx.now() })) return true
  const account = await ctx.accounts.byId(accountId)
  if (account?.pending.some((slot) => slot.itemId === id)) return false
  if ((await ctx.books.findOwned(accountId, [id])).length > 0) return false
  const { details, message } = await libraryFull(ctx)
  const day = erasedAt(deletedAt).toISOString().slice(0, 10)
  const remedy = `Or delete another book first: this one stays in the bin until ${day}.`
  throw new AppError('PLAN_LIMIT_EXCEEDED', `${message} ${remedy}`, { details })
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
