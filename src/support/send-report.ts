import type { Context } from '../core/context.ts'
import type { SendReport, SentReport } from './schema.ts'

/** Keeps a report for the administrators of this server and gives the page that shows it. */
export async function sendReport(ctx: Context, report: SendReport): Promise<SentReport> {
  const id = ctx.newId()
  await ctx.support.add({ id, accountId: ctx.actor.id, ...report, createdAt: ctx.now() })
  return { id, url: `${ctx.baseUrl}/support/${id}` }
}
