import type { ValueReport } from './schema.ts'
import type { ReportDays } from './report-days.ts'
import type { Call } from '../core/context.ts'
import type { ReadLogStores } from './read-log-store.ts'

const minReaders = 20

/**
 * The percentage of other readers who read fewer pages on the UTC days of a window. Null for a reader without pages,
 * and with fewer than 20 readers. The counts of others may be ten minutes old.
 */
export async function percentile(
  ctx: Call & ReadLogStores,
  window: ReportDays,
  ownPages: number,
): Promise<ValueReport['percentile']> {
  if (ownPages === 0) return null
  const all = await ctx.readLog.pagesByAccount(window)
  const others = [...all].filter(([accountId]) => accountId !== ctx.actor.id)
  if (others.length + 1 < minReaders) return null
  const fewer = others.filter(([, pages]) => pages < ownPages).length
  return { value: Math.round((100 * fewer) / others.length), basis: 'pagesRead' }
}
