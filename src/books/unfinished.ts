import type { Book, UnfinishedPages } from './book.ts'

/** True until the first import of a book has ended. */
export function isUnfinished({ status, version }: Pick<Book, 'status' | 'version'>): boolean {
  return status === 'PROCESSING' && version === 0
}

/** The readable part of an unfinished book; null for any other book, and before the first page. */
export function unfinishedPagesOf(book: Book): UnfinishedPages | null {
  const { unfinished } = book
  if (!unfinished || !isUnfinished(book) || unfinished.jobId !== book.jobId || unfinished.pages === 0) return null
  return unfinished
}

/** The number of pages of a book; for an unfinished book, of readable pages. */
export function pageCountOf(book: Book): number {
  return unfinishedPagesOf(book)?.pages ?? book.pageCount
}

/**
 * The number of readable pages of an unfinished book, and the expected total if it is known; empty for any other book.
 */
export function pagesReadyOf(book: Book): { pagesReady?: number; pagesExpected?: number } {
  if (!isUnfinished(book)) return {}
  const { pages = 0, total = null } = unfinishedPagesOf(book) ?? {}
  return { pagesReady: pages, ...(total === null ? {} : { pagesExpected: total }) }
}

/** The fields of an answer that mark an unfinished book; empty for any other book. */
export function unfinishedFields(book: Book): ReturnType<typeof pagesReadyOf> & { unfinished?: string } {
  const ready = pagesReadyOf(book)
  const { pagesReady, pagesExpected } = ready
  return pagesReady === undefined ? {} : { ...ready, unfinished: unfinishedMessage(pagesReady, pagesExpected) }
}

/** The message about the progress of an unfinished book and the next step. */
function unfinishedMessage(pages: number, total: number | undefined): string {
  const of = total === undefined ? '' : ` of ${total}`
  const ready = pages === 0 ? 'no page can be read yet' : `pages 1 to ${pages}${of} can be read`
  return `The import of this book is not finished: ${ready}. More pages and the table of contents follow; ask again in a moment.`
}
