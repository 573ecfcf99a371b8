import { coverPath } from '../../../books/cover.ts'
import type { LibraryPage } from '../../../library/browse-library.ts'
import { describeBooks } from '../../../library/describe-books.ts'
import { findReadingPositions } from '../../../reading/reading-positions.ts'
import type { BookCard } from '../../components/book-card.ts'
import type { SignedInVisit } from '../../visit.ts'

/** What the cards of a page of books show, with a constant number of queries. */
export async function loadCards(
  ctx: SignedInVisit['ctx'],
  { books, isLocked }: Pick<LibraryPage, 'books' | 'isLocked'>,
): Promise<BookCard[]> {
  const ids = books.map(({ id }) => id)
  const [surroundingsOf, positions] = await Promise.all([describeBooks(ctx, books), findReadingPositions(ctx, ids)])
  return books.map((book) => ({
    book,
    ...surroundingsOf(book.id),
    locked: isLocked(book),
    progress: positions.get(book.id) ?? null,
    importState: null,
    pictureUrl: coverPath(book),
  }))
}
