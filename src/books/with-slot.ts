import { upgradeUrl } from '../accounts/charge-reads.ts'
import { AppError } from '../core/errors.ts'
import { isBookKept } from './bin.ts'
import type { BinStores } from './bin-store.ts'
import { bookChangingError } from './book-changing-error.ts'
import { removeBook } from './remove-book.ts'
import { systemOwner } from './book.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { RemovalStores } from './remove-book.ts'
import type { BookStores } from './store.ts'
import type { AccountStores } from '../accounts/store.ts'

export type CreationStores = RemovalStores & BinStores

/**
 * Creates a book of the caller within the plan's item limit; `create` adds its row with `addNewBook`. Takes the slot
 * before `create` runs, so that concurrent calls never exceed the limit (PLAN_LIMIT_EXCEEDED). If `create` throws an
 * AppError, or the sweep has released the slot because the process had stopped for minutes (TRANSIENT_CONFLICT), removes
 * the book and releases the slot. After any other error the slot stays pending, and the sweep confirms or releases it,
 * because only the store knows whether the book exists. Built-in books take no slot.
 */
export async function withSlot<T>(
  ctx: Call & CreationStores & PublicAddress,
  itemId: string,
  create: () => Promise<T>,
): Promise<T> {
  const { id: accountId } = ctx.actor
  if (accountId === systemOwner) return create()
  // A repeat of the create finds the slot of its first attempt by the id of the book.
  const slot = { id: itemId, itemId }
  const isNew = await takeOrJoinSlot(ctx, itemId)
  const other = isNew ? await findOtherAttempt(ctx, itemId) : null
  if (other !== null) {
    await ctx.accounts.releaseSlot(accountId, slot)
    if (other === 'deleted') throw bookChangingError()
    return create()
  }
  let isSlotLost = false
  try {
    const created = await create()
    isSlotLost = !(await ctx.accounts.confirmSlot(accountId, slot)) && !(await isConfirmed(ctx, itemId))
    if (isSlotLost) throw slotLostError()
    return created
  } catch (error) {
    if (error instanceof AppError) await undoCreate(ctx, itemId, isSlotLost ? null : slot.id)
    throw error
  }
}

const maxAttempts = 20

/**
 * Takes the slot of a new book (true), or joins an earlier attempt of the same create, which has taken it (false).
 * Throws PLAN_LIMIT_EXCEEDED, and TRANSIENT_CONFLICT while a book that an earlier attempt created is being removed.
 */
async function takeOrJoinSlot(ctx: Call & AccountStores & PublicAddress, itemId: string): Promise<boolean> {
  const { id: accountId, plan } = ctx.actor
  const slot = { id: itemId, itemId }
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    if (await ctx.accounts.takeSlot(accountId, slot, { limit: plan.itemLimit, at: ctx.now() })) return true
    const account = await ctx.accounts.byId(accountId)
    const pending = account?.pending.find((change) => change.itemId === itemId)
    if (pending?.change === 'take' && pending.id === itemId) return false
    if (pending) break
    if (!account || account.slots >= plan.itemLimit) throw await libraryFull(ctx)
  }
  throw bookChangingError()
}

/**
 * What has become of a book that another attempt of the same create has created, with its own slot: this attempt or that
 * one paused for longer than the lease of the idempotency key. Null: there is none.
 */
async function findOtherAttempt(
  { actor, books, bin, idempotencyKey }: Call & BookStores & BinStores,
  itemId: string,
): Promise<'created' | 'deleted' | null> {
  if (idempotencyKey === null) return null
  const [[book], binned] = await Promise.all([books.findOwned(actor.id, [itemId]), bin.find(actor.id, itemId)])
  if (book) return 'created'
  return binned ? 'deleted' : null
}

/** True if another call has confirmed the slot of a book: it says so in the row. */
async function isConfirmed({ actor, books }: Call & BookStores, itemId: string): Promise<boolean> {
  const [book] = await books.findOwned(actor.id, [itemId])
  return book?.slotConfirmed ?? false
}

function slotLostError(): AppError {
  const message = 'The server stopped for minutes while it created this book, and nothing was created. Retry.'
  return new AppError('TRANSIENT_CONFLICT', message, { retryAfterSeconds: 1, details: { retryAfterSeconds: 1 } })
}

/** Removes a book that could not be created, unless another call relies on its row. */
async function undoCreate(ctx: Call & CreationStores, id: string, slotId: string | null): Promise<void> {
  const { actor, books, accounts, bookEvents } = ctx
  const key = { ownerId: actor.id, id }
  for (;;) {
    const [book] = await books.findOwned(actor.id, [id])
    if (book?.slotConfirmed) return
    if (!book || (await books.remove(actor.id, id, book))) break
  }
  if (!(await isBookKept(ctx, key))) return void (await removeBook(ctx, key, slotId))
  // Another attempt has created the book, which was deleted since: its text stays in the bin.
  await bookEvents.deleted(key)
  if (slotId !== null) await accounts.releaseSlot(actor.id, { id: slotId, itemId: id })
}

/** The refusal (PLAN_LIMIT_EXCEEDED) of a library without a free slot. */
export async function libraryFull(ctx: Call & AccountStores & PublicAddress): Promise<AppError> {
  const { tier, itemLimit } = ctx.actor.plan
  const account = await ctx.accounts.byId(ctx.actor.id)
  const message = `Your library is full. Upgrade to add more items. ${upgradeUrl(ctx)}`
  return new AppError('PLAN_LIMIT_EXCEEDED', message, {
    details: { tier, itemCount: account?.slots ?? itemLimit, itemLimit, upgradeUrl: upgradeUrl(ctx) },
  })
}
