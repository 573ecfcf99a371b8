import { coverPath } from '../../../books/cover.ts'
import { findImports, isActive } from '../../../imports/list-imports.ts'
import type { LibraryPage } from '../../../library/browse-library.ts'
import { describeBooks } from '../../../library/describe-books.ts'
import { isImporting } from '../../../library/library-filter.ts'
import { findReadingPositions } from '../../../reading/reading-positions.ts'
import type { BookCard } from '../../components/book-card.ts'
import { importStatus } from '../../components/import-status.ts'
import type { SignedInVisit } from '../../visit.ts'

/** Loads the data for the cards of a page of books, with a constant number of queries. */
export async function loadCards(
  ctx: SignedInVisit['ctx'],
  { books, isLocked }: Pick<LibraryPage, 'books' | 'isLocked'>,
): Promise<BookCard[]> {
  const jobIds = books.filter(isImporting).flatMap(({ jobId }) => jobId ?? [])
  const [surroundingsOf, positions, imports] = await Promise.all([
    describeBooks(ctx, books),
    findReadingPositions(
      ctx,
      books.map(({ id }) => id),
    ),
    findImports(ctx, jobIds),
  ])
  return books.map((book) => {
    const state = imports.get(book.jobId ?? '')
    return {
      book,
      ...surroundingsOf(book.id),
      locked: isLocked(book),
      progress: positions.get(book.id) ?? null,
      importState: state && isActive(state) ? importStatus(state, { title: book.title }) : null,
      pictureUrl: coverPath(book),
    }
  })
}
