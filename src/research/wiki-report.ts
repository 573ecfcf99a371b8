import type { ValueReport } from './schema.ts'
import type { ReportDays } from './report-days.ts'
import type { Call } from '../core/context.ts'
import type { BookStores } from '../books/store.ts'

/** The sources of the report on manuscripts. */
export interface WikiSources {
  manuscripts: {
    /** The author's manuscripts, newest first. */
    list(accountId: string): Promise<readonly { itemId: string; createdAt: Date; status: string }[]>
  }
  contents: {
    /** The number of versions written from `start` until before `end`, and of pages in them. */
    countWritten(itemId: string, span: { start: Date; end: Date }): Promise<{ versions: number; pages: number }>
  }
}

/**
 * The caller's manuscripts in a window: their number (without archived ones), how often their books were changed since
 * they became manuscripts, and the number of pages written for that.
 */
export async function wikiReport(
  ctx: Call & WikiSources & BookStores,
  { start, end }: ReportDays,
): Promise<ValueReport['wiki']> {
  const manuscripts = await ctx.manuscripts.list(ctx.actor.id)
  // The list is newest first, so of two manuscripts of one book the older one remains in the map.
  const since = new Map(manuscripts.map(({ itemId, createdAt }) => [itemId, createdAt]))
  const books = since.size > 0 ? await ctx.books.findOwned(ctx.actor.id, [...since.keys()]) : []
  let updates = 0
  let pagesWritten = 0
  for (const { id, contentUpdatedAt } of books) {
    if (contentUpdatedAt < start) continue
    const from = new Date(Math.max(start.getTime(), since.get(id)?.getTime() ?? 0))
    const written = await ctx.contents.countWritten(id, { start: from, end })
    updates += written.versions
    pagesWritten += written.pages
  }
  return { manuscripts: manuscripts.filter(({ status }) => status !== 'ARCHIVED').length, updates, pagesWritten }
}
