import type { AccessibleBook } from '../books/access.ts'
import { unfinishedFields } from '../books/unfinished.ts'
import { AppError } from '../core/errors.ts'
import { counted } from '../text/counted.ts'

/**
 * The refusal (NOT_FOUND) of a page that a book with `pageCount` pages does not have. `advice` names a page that it has, for a
 * book with text whose import has ended.
 */
export function pageNotFoundError(book: AccessibleBook, pageCount: number, advice: string): AppError {
  const { unfinished } = unfinishedFields(book)
  const withoutText = book.healthReason ?? 'This book has no text.'
  const withText = `This book has ${counted(pageCount, 'page')}. ${advice}`
  return new AppError('NOT_FOUND', unfinished ?? (pageCount === 0 ? withoutText : withText))
}
