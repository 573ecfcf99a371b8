import { findAccessibleBooks, type AccessibleBook, type BookAccessStores } from '../books/access.ts'
import { isUnfinished, pagesReadyOf, unfinishedFields } from '../books/unfinished.ts'
import type { Call } from '../core/context.ts'

/** How far the import of a book is, for people who wait for its pages. */
export interface ImportExtent {
  book: AccessibleBook
  /** False once the import has ended, well or not. */
  unfinished: boolean
  /** Pages that can be read. */
  pagesReady: number
  /** Of how many; null: not known, or the import has ended. */
  pagesExpected: number | null
  /** Says so to people; empty when the import has ended well. */
  words: string
}

/** How far the import of a book is; null for a book that the caller may not see. Charges no read. */
export async function findImportExtent(ctx: Call & BookAccessStores, id: string): Promise<ImportExtent | null> {
  const [book] = await findAccessibleBooks(ctx, [id])
  return book ? importExtentOf(book) : null
}

/** How far the import of a book is that was looked up. */
export function importExtentOf(book: AccessibleBook): ImportExtent {
  const { pagesReady = book.pageCount, pagesExpected = null } = pagesReadyOf(book)
  const { status, healthReason } = book
  const words = unfinishedFields(book).unfinished ?? (status === 'FAILED' ? (healthReason ?? '') : '')
  return { book, unfinished: isUnfinished(book), pagesReady, pagesExpected, words }
}
