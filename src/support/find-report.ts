import { AppError } from '../core/errors.ts'
import type { SupportReport, SupportStores } from './store.ts'
import type { Call } from '../core/context.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { AuditServices } from '../accounts/audit.ts'

/** A report and its sender. Throws NOT_FOUND unless the caller sent the report or is an administrator. */
export async function findReport(
  ctx: Call & SupportStores & AccountStores & AuditServices,
  id: string,
): Promise<{ report: SupportReport; reporter: string }> {
  const { account } = ctx.actor
  const report = await ctx.support.byId(account.admin ? null : account.id, id)
  if (!report) throw new AppError('NOT_FOUND', 'Report not found, or not yours.')
  if (report.accountId !== account.id)
    await ctx.audit.record({ type: 'report_read', by: ctx, accountId: report.accountId, detail: { report: id } })
  const sender = report.accountId === account.id ? account : await ctx.accounts.byId(report.accountId)
  return { report, reporter: sender ? `${sender.name} (${sender.email})` : 'a former user' }
}
