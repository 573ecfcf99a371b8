import { coverPath } from '../../../books/cover.ts'
import type { LibraryPage } from '../../../library/browse-library.ts'
import { describeBooks } from '../../../library/describe-books.ts'
import type { BookCard } from '../../components/book-card.ts'
import type { SignedInVisit } from '../../visit.ts'

/** What the cards of a page of books show, with a constant number of queries. */
export async function loadCards(
  ctx: SignedInVisit['ctx'],
  { books, isLocked }: Pick<LibraryPage, 'books' | 'isLocked'>,
): Promise<BookCard[]> {
  const surroundingsOf = await describeBooks(ctx, books)
  return books.map((book) => ({
    book,
    ...surroundingsOf(book.id),
    locked: isLocked(book),
    progress: null,
    importState: null,
    pictureUrl: coverPath(book),
  }))
}
