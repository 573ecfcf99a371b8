import { shield } from '../core/cancellation.ts'
import { AppError } from '../core/errors.ts'
import { monthEnd } from './read-meter.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { ReadStores } from './read-meter.ts'

/**
 * Charges one read per opened book, all or none. Refuses with READ_LIMIT_EXCEEDED if the charge exceeds the monthly
 * limit; throws ClientDisconnected and charges nothing if the client has disconnected. Call it last, when the answer is
 * complete, because nothing after it may fail. Of charges with the same id, only the first counts.
 */
export async function chargeReads(
  ctx: Call & ReadStores & PublicAddress,
  count: number,
  id: string = ctx.requestId,
): Promise<void> {
  shield()
  const limit = ctx.actor.plan.monthlyReadLimit
  const now = ctx.now()
  if (await ctx.readMeter.charge(ctx.actor.id, { id, count, limit, now })) return
  const resetsAt = monthEnd(now)
  throw new AppError('READ_LIMIT_EXCEEDED', readLimitMessage(ctx), {
    retryAfterSeconds: Math.max(1, Math.ceil((resetsAt.getTime() - now.getTime()) / 1000)),
    details: {
      tier: ctx.actor.plan.tier,
      used: await ctx.readMeter.used(ctx.actor.id, now),
      limit,
      upgradeUrl: upgradeUrl(ctx),
      resetsAt: resetsAt.toISOString(),
    },
  })
}

/** The message for a caller without enough reads left in this month. */
export function readLimitMessage(ctx: Call & PublicAddress): string {
  const { monthlyReadLimit, tierDisplay } = ctx.actor.plan
  const day = monthEnd(ctx.now()).toISOString().slice(0, 10)
  return (
    `You have used the ${monthlyReadLimit} monthly reads of the ${tierDisplay} plan, or too few are left for this call. ` +
    `The count resets on ${day}. Upgrade for more reads: ${upgradeUrl(ctx)}`
  )
}

/** The page on which people compare and change plans. */
export function upgradeUrl(ctx: PublicAddress): string {
  return `${ctx.baseUrl}/plans`
}
