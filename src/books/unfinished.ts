import type { Book, UnfinishedPages } from './book.ts'

/** True until the first import of a book has ended. */
export function isUnfinished({ status, version }: Pick<Book, 'status' | 'version'>): boolean {
  return status === 'PROCESSING' && version === 0
}

/** What can be read of an unfinished book; null for any other, and before the first page. */
export function unfinishedPagesOf(book: Book): UnfinishedPages | null {
  const { unfinished } = book
  if (!unfinished || !isUnfinished(book) || unfinished.jobId !== book.jobId || unfinished.pages === 0) return null
  return unfinished
}

/** The number of pages that a book has: of an unfinished one, those that can be read. */
export function pageCountOf(book: Book): number {
  return unfinishedPagesOf(book)?.pages ?? book.pageCount
}

/** How many pages of an unfinished book can be read, and of how many if that is known; nothing for any other book. */
export function pagesReadyOf(book: Book): { pagesReady?: number; pagesExpected?: number } {
  if (!isUnfinished(book)) return {}
  const { pages = 0, total = null } = unfinishedPagesOf(book) ?? {}
  return { pagesReady: pages, ...(total === null ? {} : { pagesExpected: total }) }
}

/** The fields of an answer that mark an unfinished book; none for any other. */
export function unfinishedFields(book: Book): ReturnType<typeof pagesReadyOf> & { unfinished?: string } {
  const ready = pagesReadyOf(book)
  const { pagesReady, pagesExpected } = ready
  return pagesReady === undefined ? {} : { ...ready, unfinished: unfinishedMessage(pagesReady, pagesExpected) }
}

/** Says how far the import of an unfinished book is, and what to do. */
function unfinishedMessage(pages: number, total: number | undefined): string {
  const of = total === undefined ? '' : ` of ${total}`
  const ready = pages === 0 ? 'no page can be read yet' : `pages 1 to ${pages}${of} can be read`
  return `The import of this book is not finished: ${ready}. More pages and the table of contents follow; ask again in a moment.`
}
