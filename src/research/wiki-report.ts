import type { Context } from '../core/context.ts'
import type { ValueReport } from './schema.ts'
import type { Window } from './window.ts'

/**
 * What became of the caller's manuscripts in a window: how many there are (archived ones left out), how often their text
 * was changed since they are manuscripts, and how many pages were written for that.
 */
export async function wikiReport(ctx: Context, { start, end }: Window): Promise<ValueReport['wiki']> {
  const manuscripts = await ctx.manuscripts.list(ctx.actor.id)
  // Newest first: of two manuscripts of one book the older one stays.
  const since = new Map(manuscripts.map(({ itemId, createdAt }) => [itemId, createdAt]))
  const books = since.size > 0 ? await ctx.books.owned(ctx.actor.id, [...since.keys()]) : []
  let updates = 0
  let pagesWritten = 0
  for (const { id, contentUpdatedAt } of books) {
    if (contentUpdatedAt < start) continue
    const from = new Date(Math.max(start.getTime(), since.get(id)?.getTime() ?? 0))
    const written = await ctx.contents.written(id, { start: from, end })
    updates += written.versions
    pagesWritten += written.pages
  }
  return { manuscripts: manuscripts.filter(({ status }) => status !== 'ARCHIVED').length, updates, pagesWritten }
}
