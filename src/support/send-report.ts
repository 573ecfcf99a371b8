import type { SendReport, SentReport } from './schema.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { SupportStores } from './store.ts'

/** Keeps a report for the administrators of this server and gives the page that shows it. */
export async function sendReport(ctx: Call & SupportStores & PublicAddress, report: SendReport): Promise<SentReport> {
  const id = ctx.newId()
  await ctx.support.add({ id, accountId: ctx.actor.id, ...report, createdAt: ctx.now() })
  return { id, url: `${ctx.baseUrl}/support/${id}` }
}
