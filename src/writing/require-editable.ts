import type { Book } from '../books/book.ts'
import { formatOfBook } from '../books/file-formats.ts'
import { AppError } from '../core/errors.ts'

/** Refuses a book whose text cannot be changed with ITEM_NOT_EDITABLE: an imported book, and one without text yet. */
export function requireEditable(book: Book): void {
  if (book.sourceType !== 'markdown') {
    const message = `Item is not editable: only Markdown books are, and this one was imported from a file of type ${formatOfBook(book)}.`
    throw new AppError('ITEM_NOT_EDITABLE', message)
  }
  if (book.status !== 'READY') {
    throw new AppError('ITEM_NOT_EDITABLE', 'Item is not editable until its file is imported. See GET /api/v1/jobs.')
  }
}
