import { upgradeUrl } from '../accounts/charge-reads.ts'
import { inLaunchWindow, quotedFromField, type AccessibleBook } from '../books/access.ts'
import type { Book } from '../books/book.ts'
import { unfinishedFields } from '../books/unfinished.ts'
import {
  appendAttachedJson,
  attachJson,
  encodeSplitAtProperty,
  hasAttachedJson,
  type SplitEncoding,
} from '../runtime/json-encoder.ts'
import type { Page } from '../text/page-ranges.ts'
import { bookUrl } from './page-url.ts'
import { ReadItem, type Freshness } from './schema.ts'
import type { Call, Clock, PublicAddress } from '../core/context.ts'

type Changes = Freshness['changesSinceLastRead']

/** The version and age of a book's text, and what has changed since the caller last read it. */
export function freshnessOf({ version, contentUpdatedAt }: Book, changesSinceLastRead: Changes): Freshness {
  return { contentVersion: version, lastUpdatedAt: contentUpdatedAt.toISOString(), changesSinceLastRead }
}

/** The last page that the caller may read. */
export function lastReadablePage({ pageCount, access }: AccessibleBook): number {
  return Math.min(pageCount, access.previewPages ?? pageCount)
}

/** The fields about how much of a book the caller may read. */
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

/** A book of a `read_items` answer, without its pages. */
interface PresentedBook {
  item: ReadItem
  cost: number
  /** The JSON of `item` around its pages. */
  json?: SplitEncoding
}

/** The last presentation of each book in memory. */
const presentedBooks = new WeakMap<AccessibleBook, PresentedBook & Pick<Call, 'budget'>>()

/** Presents a book for a `read_items` answer; cached as long as the result depends on the book only. */
export function presentBook(ctx: Call & PublicAddress, book: AccessibleBook, changes: Changes): PresentedBook {
  const cacheable = changes === null && !book.proOnly
  const cached = cacheable ? presentedBooks.get(book) : undefined
  if (cached?.budget === ctx.budget) return cached
  const header = bookHeader(ctx, book, changes)
  const item = ReadItem.parse({ ...header, pages: [], truncated: false })
  const presented = { item, cost: ctx.budget.cost(JSON.stringify(header)), budget: ctx.budget }
  if (cacheable) presentedBooks.set(book, presented)
  return presented
}

/** Adds a note about the request to a presented book. */
export function withNote(ctx: Pick<Call, 'budget'>, presented: PresentedBook, note: string | null): PresentedBook {
  if (note === null) return presented
  return { item: { ...presented.item, note }, cost: presented.cost + ctx.budget.cost(JSON.stringify({ note })) }
}

const [open, comma, close] = [Buffer.from('['), Buffer.from(','), Buffer.from(']')]

/** Adds pages to a presented book. If they are whole pages, their JSON and that of the book are copied into answers. */
export function withPages(presented: PresentedBook, pages: Page[]): ReadItem {
  const item = { ...presented.item, pages }
  if (!pages.every(hasAttachedJson)) return item
  return attachJson(item, (parts) => {
    presented.json ??= encodeSplitAtProperty(presented.item, 'pages')
    parts.push(presented.json.before, open)
    for (const [index, page] of pages.entries()) {
      if (index > 0) parts.push(comma)
      appendAttachedJson(page, parts)
    }
    parts.push(close, presented.json.after)
  })
}

function bookHeader(ctx: Clock & PublicAddress, book: AccessibleBook, changes: Changes): BookHeader {
  return {
    id: book.id,
    title: book.title,
    ...quotedFromField(book),
    description: book.description,
    sourceType: book.sourceType,
    status: book.status,
    health: book.health,
    healthReason: book.healthReason,
    ...unfinishedFields(book),
    metadata: {
      language: book.language,
      publisher: book.publisher,
      isbn: book.isbn,
      filename: book.original?.filename ?? null,
      sha256: book.original?.sha256 ?? null,
      bytes: book.original?.bytes ?? null,
      // The prompts of a book are only for its owner.
      prompts: book.access.kind === 'own' ? book.prompts : [],
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
