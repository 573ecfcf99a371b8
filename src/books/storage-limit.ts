import { upgradeUrl } from '../accounts/charge-reads.ts'
import type { PlanServices } from '../accounts/plans.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import { AppError } from '../core/errors.ts'
import type { Plan } from '../core/plan.ts'
import { systemOwner } from './book.ts'
import type { BookStores } from './store.ts'

const bytesPerMb = 1024 * 1024

/** The used and the allowed storage of an account with a limited plan, bytes. */
export interface StorageUse {
  usedBytes: number
  limitBytes: number
}

/** The storage use of an account; null if its plan has no limit. Includes reserved uploads. */
export async function storageUse(
  { books }: BookStores,
  accountId: string,
  { storageMb }: Plan,
): Promise<StorageUse | null> {
  if (storageMb === null || accountId === systemOwner) return null
  const { own } = await books.libraryCounts(accountId)
  return { usedBytes: own.storedBytes, limitBytes: storageMb * bytesPerMb }
}

/** The plan of a book's owner; null for built-in books, which have none. */
export async function planOfOwner(
  { accounts, plans }: AccountStores & PlanServices,
  ownerId: string,
): Promise<Plan | null> {
  if (ownerId === systemOwner) return null
  const owner = await accounts.byId(ownerId)
  return owner && plans.byTier(owner.tier)
}

/** Refuses with PLAN_LIMIT_EXCEEDED if `bytes` more exceed the caller's plan. */
export async function requireStorage(
  ctx: Call & BookStores & AccountStores & PublicAddress,
  bytes: number,
): Promise<void> {
  const use = await storageUse(ctx, ctx.actor.id, ctx.actor.plan)
  if (use && use.usedBytes + bytes > use.limitBytes) throw await storageFull(ctx, use)
}

/** Refuses with PLAN_LIMIT_EXCEEDED if `bytes` more of a book's text exceed its owner's plan. */
export async function requireStorageOfOwner(
  ctx: Call & BookStores & AccountStores & PlanServices & PublicAddress,
  ownerId: string,
  bytes: number,
): Promise<void> {
  if (ownerId === ctx.actor.id) return requireStorage(ctx, bytes)
  const plan = await planOfOwner(ctx, ownerId)
  const use = plan && (await storageUse(ctx, ownerId, plan))
  if (use && use.usedBytes + bytes > use.limitBytes) {
    const message = 'The owner of this book has no storage left for this change. Ask the owner to free some.'
    throw new AppError('PLAN_LIMIT_EXCEEDED', message)
  }
}

/** The refusal (PLAN_LIMIT_EXCEEDED) of an account whose storage is full. */
async function storageFull(
  ctx: Call & AccountStores & PublicAddress,
  { usedBytes, limitBytes }: StorageUse,
): Promise<AppError> {
  const { tier, itemLimit } = ctx.actor.plan
  const account = await ctx.accounts.byId(ctx.actor.id)
  const [storageUsedMb, storageMb] = [toMb(usedBytes), limitBytes / bytesPerMb]
  const message = `Your storage is full: ${storageUsedMb} of ${storageMb} MB are used, and this does not fit. Delete books, remove earlier versions of books (purge_item_version), or upgrade. ${upgradeUrl(ctx)}`
  const details = {
    tier,
    itemCount: account?.slots ?? 0,
    itemLimit,
    storageUsedMb,
    storageMb,
    upgradeUrl: upgradeUrl(ctx),
  }
  return new AppError('PLAN_LIMIT_EXCEEDED', message, { details })
}

/** Converts to megabytes with one decimal. */
export function toMb(bytes: number): number {
  return Math.round((bytes / bytesPerMb) * 10) / 10
}
