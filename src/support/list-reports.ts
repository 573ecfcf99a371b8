import type { AccountStores } from '../accounts/store.ts'
import type { Call } from '../core/context.ts'
import type { ListedReport, ReportPart, SupportStores } from './store.ts'

export interface ReportEntry extends ListedReport {
  /** The name of the sender. */
  reporter: string
}

/** The latest reports that the caller may read, newest first: for administrators those of all accounts. */
export async function listReports(ctx: Call & SupportStores & AccountStores, part: ReportPart): Promise<ReportEntry[]> {
  const { account } = ctx.actor
  const reports = await ctx.support.listLatest(account.admin ? null : account.id, part)
  const senders = await ctx.accounts.byIds([...new Set(reports.map(({ accountId }) => accountId))])
  const names = new Map(senders.map(({ id, name }) => [id, name]))
  return reports.map((report) => ({ ...report, reporter: names.get(report.accountId) ?? 'a former user' }))
}
