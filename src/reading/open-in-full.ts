import type { AccessibleBook } from '../books/access.ts'
import { itemNotFound } from '../books/find-book.ts'
import { chargeReads } from '../accounts/charge-reads.ts'
import { recordReads } from '../research/record-reads.ts'
import type { Call } from '../core/context.ts'
import { openBooks } from './open-books.ts'
import { previewOnlyError } from './preview-only-error.ts'
import type { ReadingStores } from './stores.ts'

/**
 * A book that the caller may read in full. Refuses an unknown book with NOT_FOUND, a locked book with ITEM_LOCKED, and
 * the reader of a preview with FORBIDDEN.
 */
export async function openInFull(ctx: Call & ReadingStores, id: string): Promise<AccessibleBook> {
  const { open } = await openBooks(ctx, [id])
  const [book] = open
  if (!book) throw itemNotFound()
  if (book.access.previewPages !== null) throw previewOnlyError(ctx, book)
  return book
}

/**
 * Charges and records one read of a whole book. Further parts of an interrupted download, and the same book again on
 * the same day (UTC), are not charged again.
 */
export async function chargeWholeBook(
  ctx: Call & ReadingStores,
  { id, title, pageCount }: AccessibleBook,
  { words, isFirstPart }: { words: number; isFirstPart: boolean },
): Promise<void> {
  const day = ctx.now().toISOString().slice(0, 10)
  await chargeReads(ctx, 1, `whole:${day}:${id}`)
  if (isFirstPart) await recordReads(ctx, [{ itemId: id, title, depth: 'content', pages: pageCount, words }])
}
