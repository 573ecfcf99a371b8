import type { AccessibleBook, BookAccessStores } from '../books/access.ts'
import { findAccessibleBook } from '../books/find-book.ts'
import { unfinishedPagesOf } from '../books/unfinished.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { ReadStores } from '../accounts/read-meter.ts'
import type { ReadLogStores } from '../research/read-log-store.ts'
import type { SessionStores } from '../research/session-store.ts'
import { readOutline, type OutlineView } from './read-page.ts'
import type { ContentStores } from './store.ts'

/** A book, with its outline if it has text. */
export type BookDescription = { book: AccessibleBook; outline: OutlineView | null }

/**
 * A book for people, in the requested or the current version. Refuses and charges like `readOutline`. A book of the
 * caller's own without text, and an unfinished book, are described without an outline and free of charge.
 */
export async function describeBook(
  ctx: Call & BookAccessStores & ContentStores & ReadStores & PublicAddress & SessionStores & ReadLogStores,
  { id, version }: { id: string; version?: number | undefined },
): Promise<BookDescription> {
  const book = await findAccessibleBook(ctx, id)
  const isDescribedAlone = book.access.kind === 'own' || unfinishedPagesOf(book) !== null
  if (book.version === 0 && isDescribedAlone && version === undefined) return { book, outline: null }
  const outline = await readOutline(ctx, { id, version })
  return { book: outline.book, outline }
}
