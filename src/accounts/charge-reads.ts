import { shield } from '../core/cancellation.ts'
import { AppError } from '../core/errors.ts'
import { monthEnd } from './read-meter.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { ReadStores } from './read-meter.ts'

/**
 * Charges one read per opened book, all or none; refuses with READ_LIMIT_EXCEEDED when the month's limit would be
 * passed, and charges nothing when the client has gone. Call it last, when the answer is complete: nothing on our side may
 * fail after it.
 */
export async function chargeReads(ctx: Call & ReadStores & PublicAddress, count: number): Promise<void> {
  shield()
  const limit = ctx.actor.plan.monthlyReadLimit
  const now = ctx.now()
  if (await ctx.readMeter.charge(ctx.actor.id, { id: ctx.requestId, count, limit, now })) return
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

/** The sentence for people whose reads of this month are used up, or too few for what they asked. */
export function readLimitMessage(ctx: Call & PublicAddress): string {
  const { monthlyReadLimit, tierDisplay } = ctx.actor.plan
  const day = monthEnd(ctx.now()).toISOString().slice(0, 10)
  return (
    `The ${monthlyReadLimit} monthly reads of the ${tierDisplay} plan do not allow this call: they are used up or too few ` +
    `are left. They start anew on ${day}. Upgrade for more: ${upgradeUrl(ctx)}`
  )
}

/** Where plans are compared and changed. */
export function upgradeUrl(ctx: PublicAddress): string {
  return `${ctx.baseUrl}/plans`
}
