import { upgradeUrl } from '../accounts/charge-reads.ts'
import { inLaunchWindow, type AccessibleBook } from '../books/access.ts'
import type { Book } from '../books/book.ts'
import { bookUrl } from './page-url.ts'
import type { Freshness, ReadItem } from './schema.ts'
import type { Clock, PublicAddress } from '../core/context.ts'

type Changes = Freshness['changesSinceLastRead']

/** How old the text of a book is, and what is new in it for the caller. */
export function freshnessOf({ version, contentUpdatedAt }: Book, changesSinceLastRead: Changes): Freshness {
  return { contentVersion: version, lastUpdatedAt: contentUpdatedAt.toISOString(), changesSinceLastRead }
}

/** The last page that the caller may read. */
export function lastPage({ pageCount, access }: AccessibleBook): number {
  return Math.min(pageCount, access.previewPages ?? pageCount)
}

/** What a reading call tells of how much of a book the caller may read. */
export function readingTerms(ctx: Clock & PublicAddress, book: AccessibleBook) {
  const totalPageCount = book.pageCount
  if (book.access.previewPages !== null) {
    return { proRestricted: true, previewPageCount: lastPage(book), totalPageCount, upgradeUrl: upgradeUrl(ctx) }
  }
  return { proRestricted: false, previewPageCount: null, totalPageCount, upgradeUrl: null, ...launchWindow(ctx, book) }
}

function launchWindow(ctx: Clock, book: AccessibleBook) {
  return inLaunchWindow(ctx, book) ? { launchWindow: true, freeUntil: book.freeUntil?.toISOString() ?? null } : {}
}

type Head = Omit<ReadItem, 'pages' | 'truncated'>

/** A book as a batch shows it, without its pages. */
export interface ShownBook {
  head: Head
  /** The head as JSON: what it costs, and whether it is still the same. */
  json: string
}

/** How each book that is in memory was shown last. */
const shownLast = new WeakMap<AccessibleBook, ShownBook>()

/** Shows a book in a batch. What depends on nothing but the book itself is worked out once. */
export function showBook(ctx: Clock & PublicAddress, book: AccessibleBook, changes: Changes): ShownBook {
  const lasting = changes === null && !book.proOnly
  const known = lasting ? shownLast.get(book) : undefined
  if (known) return known
  const head = headOf(ctx, book, changes)
  const shown = { head, json: JSON.stringify(head) }
  if (lasting) shownLast.set(book, shown)
  return shown
}

function headOf(ctx: Clock & PublicAddress, book: AccessibleBook, changes: Changes): Head {
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
    ...readingTerms(ctx, book),
    freshness: freshnessOf(book, changes),
    url: bookUrl(ctx, book),
    createdAt: book.createdAt.toISOString(),
    updatedAt: book.updatedAt.toISOString(),
  }
}
