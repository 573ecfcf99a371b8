import { AppError } from '../core/errors.ts'
import type { SupportReport, SupportStores } from './store.ts'
import type { Call } from '../core/context.ts'
import type { AccountStores } from '../accounts/store.ts'

/** A report and who sent it, for its reporter and for administrators; for everybody else there is none. */
export async function findReport(
  ctx: Call & SupportStores & AccountStores,
  id: string,
): Promise<{ report: SupportReport; reporter: string }> {
  const { account } = ctx.actor
  const report = await ctx.support.byId(account.admin ? null : account.id, id)
  if (!report) throw new AppError('NOT_FOUND', 'There is no such report, or it is of somebody else.')
  const sender = report.accountId === account.id ? account : await ctx.accounts.byId(report.accountId)
  return { report, reporter: sender ? `${sender.name} (${sender.email})` : 'a former user' }
}
