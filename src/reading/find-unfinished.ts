import { findAccessibleBooks, type AccessibleBook, type BookAccessStores } from '../books/access.ts'
import { isUnfinished, pagesReadyOf, unfinishedFields } from '../books/unfinished.ts'
import type { Call } from '../core/context.ts'

/** The progress of a book's import, for people who wait for its pages. */
export interface ImportExtent {
  book: AccessibleBook
  /** False once the import has ended, successfully or not. */
  unfinished: boolean
  /** Number of readable pages. */
  pagesReady: number
  /** Expected number of pages; null: unknown, or the import has ended. */
  pagesExpected: number | null
  /** The message for people; empty if the import has ended successfully. */
  words: string
}

/** The import progress of a book; null for a book that the caller may not see. Charges no read. */
export async function findImportExtent(ctx: Call & BookAccessStores, id: string): Promise<ImportExtent | null> {
  const [book] = await findAccessibleBooks(ctx, [id])
  return book ? importExtentOf(book) : null
}

/** The import progress of a loaded book. */
export function importExtentOf(book: AccessibleBook): ImportExtent {
  const { pagesReady = book.pageCount, pagesExpected = null } = pagesReadyOf(book)
  const { status, healthReason } = book
  const words = unfinishedFields(book).unfinished ?? (status === 'FAILED' ? (healthReason ?? '') : '')
  return { book, unfinished: isUnfinished(book), pagesReady, pagesExpected, words }
}
