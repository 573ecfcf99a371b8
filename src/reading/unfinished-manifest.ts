import type { Book } from '../books/book.ts'
import { unfinishedPagesOf } from '../books/unfinished.ts'
import { CachedPage } from './cached-page.ts'
import type { Manifest } from './manifest.ts'
import { MissingPageError, type ContentStores, type PageRef } from './store.ts'

/**
 * The text of a book that is still being imported, as far as it can be read, as version 0, which no book has: it grows, and
 * has no table of contents. Null for any other book, and before the first page.
 */
export function unfinishedManifest(book: Book): Manifest | null {
  const ready = unfinishedPagesOf(book)
  if (!ready) return null
  const { jobId, revision, pages, bytes, words } = ready
  return {
    itemId: book.id,
    version: 0,
    runs: [{ revision, start: 0, count: pages }],
    pageCount: pages,
    bytes,
    words,
    // How many there will be is not known yet.
    figures: { revision, count: 0, bytes: 0 },
    toc: [],
    createdAt: book.updatedAt,
    createdBy: book.ownerId,
    client: null,
    reason: 'import',
    jobId,
  }
}

/** The current text of a book: its current version, or what can be read of an unfinished one; null: no text yet. */
export async function currentManifest({ contents }: ContentStores, book: Book): Promise<Manifest | null> {
  return book.version > 0 ? contents.getManifest(book.id, book.version) : unfinishedManifest(book)
}

/** Pages of a text. Those of an unfinished book are not kept in memory: another attempt may store others in their place. */
export async function loadPages(
  { contents }: ContentStores,
  { version }: Pick<Manifest, 'version'>,
  refs: readonly PageRef[],
): Promise<CachedPage[]> {
  if (version > 0) return contents.getPages(refs)
  const pages = await contents.passPages(refs)
  return pages.map((page) => (page instanceof CachedPage ? page : new CachedPage(page, () => undefined)))
}

/**
 * The result of `read`, which is called again if its pages are gone: a version may be removed, or an import begin anew, after
 * it was looked up; the second look-up says so.
 */
export async function againIfGone<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof MissingPageError) return read()
    throw error
  }
}
