import { upgradeUrl } from '../accounts/charge-reads.ts'
import { AppError } from '../core/errors.ts'
import { findAccessibleBooks, quotedFromField, type AccessibleBook } from './access.ts'
import type { Book } from './book.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { BookAccessStores, GrantStores } from './access.ts'
import type { BookStores } from './store.ts'

/** The books that the plan keeps locked. */
export interface BookLocks {
  isLocked: (book: Pick<AccessibleBook, 'id' | 'access'>) => boolean
  /** The books that stay usable; null: no book is locked. */
  usableIds: readonly string[] | null
}

/** Finds the books that the plan keeps locked. Queries the store only for an account over its item limit. */
export async function findBookLocks(ctx: Call & BookAccessStores): Promise<BookLocks> {
  const { account, plan } = ctx.actor
  if (account.slots <= plan.itemLimit) return { isLocked: () => false, usableIds: null }
  const usableIds = await listUsableIds(ctx)
  const usableSet = new Set(usableIds)
  return {
    isLocked: ({ id, access }) => access.kind !== 'system' && access.teamAccess === null && !usableSet.has(id),
    usableIds,
  }
}

/** Returns only the check of `findBookLocks`. */
export async function loadLockCheck(ctx: Call & BookAccessStores): Promise<BookLocks['isLocked']> {
  return (await findBookLocks(ctx)).isLocked
}

/** Number of locked books in a library with `own` owned books and the `granted` ones. */
export async function countLockedBooks(
  ctx: Call & BookStores,
  { isLocked, usableIds }: BookLocks,
  { own, granted }: { own: number; granted: readonly AccessibleBook[] },
): Promise<number> {
  if (usableIds === null) return 0
  const usableOwn = await ctx.books.findOwned(ctx.actor.id, usableIds)
  return own - usableOwn.length + granted.filter(isLocked).length
}

/**
 * Ids of the books that stay usable: the picked ones, otherwise the oldest in the library. At most the plan's item
 * limit.
 */
export async function listUsableIds(ctx: Call & BookAccessStores): Promise<string[]> {
  const { account, plan } = ctx.actor
  const picked = account.usable?.slice(0, plan.itemLimit) ?? []
  // Picked books may have left the library.
  const remaining = picked.length > 0 ? await filterSlotBooks(ctx, picked) : []
  return remaining.length > 0 ? remaining : listOldestIds(ctx)
}

/** The ids among `ids` of books that take a slot: owned and subscribed ones. */
export async function filterSlotBooks(ctx: Call & BookAccessStores, ids: readonly string[]): Promise<string[]> {
  const books = await findAccessibleBooks(ctx, ids)
  return books.filter(({ access }) => access.kind === 'own' || access.subscribedAt).map(({ id }) => id)
}

/** Ids of the oldest books in the library, up to the plan's item limit. */
export async function listOldestIds(ctx: Call & BookStores & GrantStores): Promise<string[]> {
  const { account, plan } = ctx.actor
  const [own, subscribed] = await Promise.all([
    ctx.books.listOldest(account.id, plan.itemLimit),
    ctx.subscriptions.oldest(account.id, plan.itemLimit),
  ])
  const all = [...own, ...subscribed.map(({ itemId, createdAt }) => ({ id: itemId, createdAt }))]
  all.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1))
  return all.slice(0, plan.itemLimit).map(({ id }) => id)
}

/** The page on which people pick the usable books. */
export function pickUrl(ctx: PublicAddress): string {
  return `${ctx.baseUrl}/library/usable`
}

/** One entry of a `locked` list (contract, POST /items/batch/toc). */
export function presentLocked(ctx: Call & PublicAddress, book: Book & Partial<AccessibleBook>) {
  const { tier, itemLimit } = ctx.actor.plan
  return {
    id: book.id,
    title: book.title,
    code: 'ITEM_LOCKED' as const,
    error: lockedMessage(ctx),
    tier,
    itemLimit,
    upgradeUrl: upgradeUrl(ctx),
    pickUrl: pickUrl(ctx),
    ...(book.access ? quotedFromField({ access: book.access }) : {}),
  }
}

/** The refusal (ITEM_LOCKED) if every requested book is locked. */
export function itemLockedError(ctx: Call & PublicAddress, books: readonly Book[]): AppError {
  const { tier, itemLimit } = ctx.actor.plan
  const locked = books.map((book) => presentLocked(ctx, book))
  return new AppError('ITEM_LOCKED', lockedMessage(ctx), {
    details: { tier, itemLimit, upgradeUrl: upgradeUrl(ctx), pickUrl: pickUrl(ctx), locked },
  })
}

function lockedMessage(ctx: Call & PublicAddress): string {
  const { itemLimit, tierDisplay } = ctx.actor.plan
  return (
    `This book is locked: the ${tierDisplay} plan keeps ${itemLimit} books usable. ` +
    `Upgrade at ${upgradeUrl(ctx)} or pick which books stay usable at ${pickUrl(ctx)}`
  )
}
