import type { Book } from '../books/store.ts'
import type { Freshness, ReadItem } from './schema.ts'

type Changes = Freshness['changesSinceLastRead']

/** How old the text of a book is, and what is new in it for the caller. */
export function freshnessOf({ version, contentUpdatedAt }: Book, changesSinceLastRead: Changes): Freshness {
  return { contentVersion: version, lastUpdatedAt: contentUpdatedAt.toISOString(), changesSinceLastRead }
}

/** What a reading call tells of a book that the caller may read in full. */
export function fullAccess({ pageCount }: Book) {
  return { proRestricted: false, previewPageCount: null, totalPageCount: pageCount, upgradeUrl: null }
}

/** A book as a batch shows it, without its pages. */
export function showBook(book: Book, changes: Changes): Omit<ReadItem, 'pages' | 'truncated'> {
  return {
    id: book.id,
    title: book.title,
    description: book.description,
    sourceType: book.sourceType,
    status: book.status,
    health: book.health,
    healthReason: book.healthReason,
    metadata: {
      language: book.language,
      publisher: book.publisher,
      isbn: book.isbn,
      filename: book.original?.filename ?? null,
      sha256: book.original?.sha256 ?? null,
      bytes: book.original?.bytes ?? null,
      prompts: book.prompts,
      sampleQuestion: book.sampleQuestion,
      outcomes: book.outcomes,
    },
    pageCount: book.pageCount,
    ...fullAccess(book),
    freshness: freshnessOf(book, changes),
    createdAt: book.createdAt.toISOString(),
    updatedAt: book.updatedAt.toISOString(),
  }
}
