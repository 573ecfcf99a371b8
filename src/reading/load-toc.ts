import type { Book } from '../books/book.ts'
import type { Manifest, OutlineEntry } from './manifest.ts'
import type { ContentStores } from './store.ts'

/** The table of contents of a book: the owner's, otherwise the one of its text. */
export async function loadToc(ctx: ContentStores, book: Book, manifest: Manifest): Promise<readonly OutlineEntry[]> {
  if (book.tocId === null) return manifest.toc
  const toc = await ctx.contents.getOutline(book.tocId)
  // The text may have lost pages since. Returns the same array if nothing is dropped.
  const within = toc.filter(({ page }) => page <= manifest.pageCount)
  return within.length === toc.length ? toc : within
}
