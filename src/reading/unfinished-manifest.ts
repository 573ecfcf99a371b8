import type { Book } from '../books/book.ts'
import { unfinishedPagesOf } from '../books/unfinished.ts'
import { CachedPage } from './cached-page.ts'
import type { Manifest } from './manifest.ts'
import { MissingPageError, type ContentStores, type PageRef } from './store.ts'

/**
 * The readable text of an unfinished book, as version 0, a number that no real version has. It grows and has no table
 * of contents. Null for any other book, and before the first page.
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
    // The final number is not known yet.
    figures: { revision, count: 0, bytes: 0 },
    toc: [],
    createdAt: book.updatedAt,
    createdBy: book.ownerId,
    client: null,
    reason: 'import',
    jobId,
  }
}

/** The current text of a book: its current version, or the readable part of an unfinished book; null: no text yet. */
export async function currentManifest({ contents }: ContentStores, book: Book): Promise<Manifest | null> {
  return book.version > 0 ? contents.getManifest(book.id, book.version) : unfinishedManifest(book)
}

/** Loads pages of a text. Those of an unfinished book are not cached, because another attempt may replace them. */
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
 * The result of `read`, which is retried once if its pages are gone: a version may be removed, or an import restarted,
 * after the lookup; the second lookup handles that.
 */
export async function retryIfPagesMissing<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof MissingPageError) return read()
    throw error
  }
}
