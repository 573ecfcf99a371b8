import type { SendReport, SentReport } from './schema.ts'
import type { AttemptServices } from '../accounts/attempt-limiter.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { SupportStores } from './store.ts'

/**
 * Stores a report for the administrators of this server and returns the URL of its page. Refuses more than 50 reports a
 * day with RATE_LIMITED.
 */
export async function sendReport(
  ctx: Call & SupportStores & PublicAddress & AttemptServices,
  report: SendReport,
): Promise<SentReport> {
  await ctx.attemptLimiter.consume('report', ctx.actor.id)
  const id = ctx.newId()
  await ctx.support.add({ id, accountId: ctx.actor.id, ...report, createdAt: ctx.now() })
  return { id, url: `${ctx.baseUrl}/support/${id}` }
}
