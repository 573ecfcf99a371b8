import { toMb } from '../books/storage-limit.ts'
import { emailDomain, emailKind } from '../accounts/email.ts'
import { readLimitMessage } from '../accounts/charge-reads.ts'
import type { NoInput, Whoami } from '../accounts/schema.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { ReadStores } from '../accounts/read-meter.ts'

/** The caller's account with plan, counts and this month's reads (contract, Account). */
export async function describeAccount(
  ctx: Call & BookAccessStores & ReadStores & PublicAddress,
  _: NoInput,
): Promise<Whoami> {
  const { account, plan } = ctx.actor
  const now = ctx.now()
  const [{ own }, subscribed, shared, used] = await Promise.all([
    ctx.books.libraryCounts(account.id),
    ctx.subscriptions.listByAccount(account.id, null),
    ctx.shares.visibleTo(account.id, null),
    ctx.readMeter.used(account.id, now),
  ])
  const others = shared.filter(({ ownerId }) => ownerId !== account.id)
  const granted = new Set([...subscribed, ...others].map(({ itemId }) => itemId))
  const limitReached = plan.monthlyReadLimit !== null && used >= plan.monthlyReadLimit
  return {
    id: account.id,
    email: account.email,
    name: account.name,
    emailKind: emailKind(account.email),
    emailDomain: emailDomain(account.email),
    tier: plan.tier,
    tierDisplay: plan.tierDisplay,
    pricingCohort: account.pricingCohort,
    itemLimit: plan.itemLimit,
    itemCount: own.books + granted.size,
    ownedCount: own.books,
    subscribedCount: subscribed.length,
    monthlyReadLimit: plan.monthlyReadLimit,
    monthlyReadsUsed: used,
    readLimitMessage: limitReached ? readLimitMessage(ctx) : null,
    storageMb: plan.storageMb,
    storageUsedMb: toMb(own.storedBytes),
    canPublishToMarketplace: plan.canPublish,
    trial: null,
  }
}
