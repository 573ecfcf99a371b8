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
export function lastReadablePage({ pageCount, access }: AccessibleBook): number {
  return Math.min(pageCount, access.previewPages ?? pageCount)
}

/** What a reading call tells of how much of a book the caller may read. */
export function accessFields(ctx: Clock & PublicAddress, book: AccessibleBook) {
  const totalPageCount = book.pageCount
  if (book.access.previewPages !== null) {
    return {
      proRestricted: true,
      previewPageCount: lastReadablePage(book),
      totalPageCount,
      upgradeUrl: upgradeUrl(ctx),
    }
  }
  return {
    proRestricted: false,
    previewPageCount: null,
    totalPageCount,
    upgradeUrl: null,
    ...launchWindowFields(ctx, book),
  }
}

function launchWindowFields(ctx: Clock, book: AccessibleBook) {
  return inLaunchWindow(ctx, book) ? { launchWindow: true, freeUntil: book.freeUntil?.toISOString() ?? null } : {}
}

type BookHeader = Omit<ReadItem, 'pages' | 'truncated'>

/** A book as a batch shows it, without its pages. */
export interface PresentedBook {
  header: BookHeader
  /** The head as JSON: what it costs, and whether it is still the same. */
  json: string
}

/** How each book that is in memory was shown last. */
const presentedBooks = new WeakMap<AccessibleBook, PresentedBook>()

/** Shows a book in a batch. What depends on nothing but the book itself is worked out once. */
export function presentBook(ctx: Clock & PublicAddress, book: AccessibleBook, changes: Changes): PresentedBook {
  const cacheable = changes === null && !book.proOnly
  const cached = cacheable ? presentedBooks.get(book) : undefined
  if (cached) return cached
  const header = bookHeader(ctx, book, changes)
  const presented = { header, json: JSON.stringify(header) }
  if (cacheable) presentedBooks.set(book, presented)
  return presented
}

function bookHeader(ctx: Clock & PublicAddress, book: AccessibleBook, changes: Changes): BookHeader {
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
    ...accessFields(ctx, book),
    freshness: freshnessOf(book, changes),
    url: bookUrl(ctx, book),
    createdAt: book.createdAt.toISOString(),
    updatedAt: book.updatedAt.toISOString(),
  }
}
