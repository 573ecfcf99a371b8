import type { FlaggedItem, FlagItem } from './enrich-schema.ts'
import { findOwnBook } from './find-book.ts'
import type { Call } from '../core/context.ts'
import { quotedFromField, type BookAccessStores } from './access.ts'

/** Puts one of the caller's books into the enrichment queue. Idempotent. */
export async function flagItem(ctx: Call & BookAccessStores, { itemId }: FlagItem): Promise<FlaggedItem> {
  const book = await findOwnBook(ctx, itemId, 'Only the owner may flag a book')
  const { id, title, needsEnrichment } = book
  if (!needsEnrichment) {
    await ctx.books.change(ctx.actor.id, id, { set: { needsEnrichment: true, updatedAt: ctx.now() } })
  }
  return { item: { id, title, needsEnrichment: true, ...quotedFromField(book) } }
}
