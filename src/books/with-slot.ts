import { upgradeUrl } from '../accounts/charge-reads.ts'
import { AppError } from '../core/errors.ts'
import { removeBook } from './remove-book.ts'
import { systemOwner } from './book.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { RemovalStores } from './remove-book.ts'
import type { BookStores } from './store.ts'
import type { AccountStores } from '../accounts/store.ts'

/**
 * Creates a book of the caller within the plan's item limit. Takes the slot before `create` runs, so that concurrent
 * calls never exceed the limit (PLAN_LIMIT_EXCEEDED). If `create` throws an AppError, removes the book and releases the
 * slot. After any other error the slot stays pending, and the sweep confirms or releases it, because only the store
 * knows whether the book exists. Built-in books take no slot.
 */
export async function withSlot<T>(
  ctx: Call & RemovalStores & PublicAddress,
  itemId: string,
  create: () => Promise<T>,
): Promise<T> {
  const { id: accountId, plan } = ctx.actor
  if (accountId === systemOwner) return create()
  // A repeat of the create finds the slot of its first attempt by the id of the book.
  const slot = { id: itemId, itemId }
  const taken = await ctx.accounts.takeSlot(accountId, slot, { limit: plan.itemLimit, at: ctx.now() })
  if (!taken && !(await isSlotPending(ctx, itemId))) throw await libraryFull(ctx)
  if (taken && (await isCreated(ctx, itemId))) {
    await ctx.accounts.releaseSlot(accountId, slot)
    return create()
  }
  try {
    const created = await create()
    await ctx.accounts.confirmSlot(accountId, slot)
    return created
  } catch (error) {
    if (error instanceof AppError) await removeBook(ctx, { ownerId: accountId, id: itemId }, slot.id)
    throw error
  }
}

/**
 * True if another attempt of the same create has come to its end, with its own slot. This attempt paused for longer than
 * the lease of its idempotency key.
 */
async function isCreated({ actor, books, idempotencyKey }: Call & BookStores, itemId: string): Promise<boolean> {
  return idempotencyKey !== null && (await books.findOwned(actor.id, [itemId])).length > 0
}

/** True if an earlier attempt of the same create has taken the slot. */
async function isSlotPending(ctx: Call & AccountStores, itemId: string): Promise<boolean> {
  const account = await ctx.accounts.byId(ctx.actor.id)
  return account?.pending.some((slot) => slot.itemId === itemId) ?? false
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
