import type { AccessibleBook, BookAccessStores } from '../books/access.ts'
import { findWritableBook } from '../books/find-book.ts'
import type { PublicationStores } from '../books/publication.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import { loadToc } from './load-toc.ts'
import type { OutlineEntry } from './manifest.ts'
import type { ContentStores } from './store.ts'

/** The editable metadata of a book. */
export interface BookDetails {
  book: AccessibleBook
  toc: readonly OutlineEntry[]
}

/**
 * The metadata of a book that the caller may change. Refuses like `findWritableBook`. Free, because no text is read.
 */
export async function readDetails(
  ctx: Call & BookAccessStores & PublicationStores & PublicAddress & ContentStores,
  { id }: { id: string },
): Promise<BookDetails> {
  const book = await findWritableBook(ctx, id)
  const manifest = await ctx.contents.getManifest(id, book.version)
  return { book, toc: manifest ? await loadToc(ctx, book, manifest) : [] }
}
