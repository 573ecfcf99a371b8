import type { SendReport, SentReport } from './schema.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { SupportStores } from './store.ts'

/** Stores a report for the administrators of this server and returns the URL of its page. */
export async function sendReport(ctx: Call & SupportStores & PublicAddress, report: SendReport): Promise<SentReport> {
  const id = ctx.newId()
  await ctx.support.add({ id, accountId: ctx.actor.id, ...report, createdAt: ctx.now() })
  return { id, url: `${ctx.baseUrl}/support/${id}` }
}
