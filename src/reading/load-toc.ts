import type { Book } from '../books/book.ts'
import type { Manifest, OutlineEntry } from './manifest.ts'
import type { ContentStores } from './store.ts'

/** The table of contents of a book: the one its owner has given it, else the one of its text. */
export async function loadToc(ctx: ContentStores, book: Book, manifest: Manifest): Promise<readonly OutlineEntry[]> {
  if (book.tocId === null) return manifest.toc
  const toc = await ctx.contents.getOutline(book.tocId)
  // The text may have become shorter since. What is whole stays the same object.
  const within = toc.filter(({ page }) => page <= manifest.pageCount)
  return within.length === toc.length ? toc : within
}
