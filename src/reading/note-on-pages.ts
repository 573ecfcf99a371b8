import type { AccessibleBook } from '../books/access.ts'
import { isUnfinished } from '../books/unfinished.ts'
import { parsePageRange } from '../text/page-ranges.ts'

const maxParts = 5
const maxPartLength = 20

/** A note on the parts of a `pages` argument that name no page of the book, with the valid form; null if each names one. */
export function noteOnPages(book: AccessibleBook, pages: string | undefined): string | null {
  // A book without text, and one that is still being imported, say so themselves.
  if (pages === undefined || book.pageCount === 0) return null
  const last = isUnfinished(book) ? Number.MAX_SAFE_INTEGER : book.pageCount
  const parts = pages.split(',').map((part) => part.trim())
  const failed = parts.filter((part) => part !== '' && (parsePageRange(part)?.from ?? Infinity) > last)
  if (failed.length === 0) return null
  const shown = failed.slice(0, maxParts).map((part) => JSON.stringify(clip(part)))
  const more = failed.length > maxParts ? ` and ${failed.length - maxParts} more` : ''
  return `Nothing was read for ${shown.join(', ')}${more}: this book has pages 1 to ${book.pageCount}, and pages are named as in "1-5,10".`
}

function clip(part: string): string {
  return part.length > maxPartLength ? `${part.slice(0, maxPartLength - 1)}…` : part
}
