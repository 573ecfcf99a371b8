import type { Context } from '../context.ts'
import { emailDomain, emailKind } from './email.ts'
import { readLimitMessage } from './charge-reads.ts'
import type { NoInput, Whoami } from './schema.ts'

/** The caller's account with plan, counts and this month's reads (contract, Account). */
export async function describeAccount(ctx: Context, _: NoInput): Promise<Whoami> {
  const { account, plan } = ctx.actor
  const now = ctx.now()
  const [ownedCount, used] = await Promise.all([ctx.books.count(account.id), ctx.reads.used(account.id, now)])
  const reached = plan.monthlyReadLimit !== null && used >= plan.monthlyReadLimit
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
    itemCount: ownedCount,
    ownedCount,
    subscribedCount: 0,
    monthlyReadLimit: plan.monthlyReadLimit,
    monthlyReadsUsed: used,
    readLimitMessage: reached ? readLimitMessage(ctx) : null,
    canPublishToMarketplace: plan.canPublish,
    trial: null,
  }
}
