import { upgradeUrl } from '../accounts/charge-reads.ts'
import { AppError } from '../core/errors.ts'
import { removeBook } from './remove-book.ts'
import { systemOwner } from './book.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { RemovalStores } from './remove-book.ts'
import type { AccountStores } from '../accounts/store.ts'

/**
 * Makes a book of the caller's within the plan's limit: the slot is taken before `make` runs, so that parallel calls
 * never pass the limit. When `make` refuses, nothing of the book stays and the slot is free at once. When it fails
 * otherwise the slot stays pending and the sweeper gives it back or settles it, because only the store knows whether
 * the book came to be. Built-in books take no slot.
 */
export async function withSlot<T>(
  ctx: Call & RemovalStores & PublicAddress,
  itemId: string,
  create: () => Promise<T>,
): Promise<T> {
  const { id: accountId, plan } = ctx.actor
  if (accountId === systemOwner) return create()
  const taken = await ctx.accounts.takeSlot(accountId, itemId, { limit: plan.itemLimit, at: ctx.now() })
  if (!taken && !(await isSlotPending(ctx, itemId))) throw await libraryFull(ctx)
  try {
    const created = await create()
    await ctx.accounts.confirmSlot(accountId, itemId)
    return created
  } catch (error) {
    if (error instanceof AppError) await removeBook(ctx, accountId, itemId)
    throw error
  }
}

/** A repeated create finds its own slot still pending. */
async function isSlotPending(ctx: Call & AccountStores, itemId: string): Promise<boolean> {
  const account = await ctx.accounts.byId(ctx.actor.id)
  return account?.pending.some((slot) => slot.itemId === itemId) ?? false
}

/** The refusal of a library without a free slot. */
export async function libraryFull(ctx: Call & AccountStores & PublicAddress): Promise<AppError> {
  const { tier, itemLimit } = ctx.actor.plan
  const account = await ctx.accounts.byId(ctx.actor.id)
  const message = `Your library is full. Upgrade to add more items. ${upgradeUrl(ctx)}`
  return new AppError('PLAN_LIMIT_EXCEEDED', message, {
    details: { tier, itemCount: account?.slots ?? itemLimit, itemLimit, upgradeUrl: upgradeUrl(ctx) },
  })
}
