import { z } from 'zod'
import { addedAt, type AccessibleBook } from '../books/access.ts'
import { unknownCursor } from '../core/pagination.ts'

export const librarySorts = ['read', 'added', 'title', 'author'] as const
export type LibrarySort = (typeof librarySorts)[number]

/** A position in an ordered library; it stays valid when books are added, changed or deleted. */
export interface LibraryPosition {
  /** 0: a book that has been read, in the order `read`; 1: any other book. */
  rank: 0 | 1
  /** Milliseconds, most recent first; 0 in orders by text. */
  at: number
  /** Sort keys, in ascending byte order; empty in orders by time. */
  keys: readonly string[]
  id: string
}

/** A book with its position in the order. */
export interface PlacedBook {
  book: AccessibleBook
  position: LibraryPosition
}

/** Negative if `a` comes first. On a tie, orders by time put later ids first, and orders by text earlier ones. */
export function comparePositions(a: LibraryPosition, b: LibraryPosition): number {
  const byText = a.keys.map((key, at) => compareBytes(key, b.keys[at] ?? '')).find((order) => order !== 0)
  const byId = a.keys.length > 0 ? compareBytes(a.id, b.id) : compareBytes(b.id, a.id)
  return a.rank - b.rank || b.at - a.at || (byText ?? byId)
}

/** Compares texts like the store: by their UTF-8 bytes. */
function compareBytes(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** The position of a book in an order; only the order `read` uses `readAt`. */
export function placeBook(book: AccessibleBook, sort: LibrarySort, readAt?: Date): PlacedBook {
  return { book, position: { ...orderFields(book, sort, readAt), id: book.id } }
}

function orderFields(book: AccessibleBook, sort: LibrarySort, readAt: Date | undefined): Omit<LibraryPosition, 'id'> {
  if (sort === 'title') return { rank: 1, at: 0, keys: [book.titleKey ?? ''] }
  if (sort === 'author') return { rank: 1, at: 0, keys: [book.authorKey ?? '', book.titleKey ?? ''] }
  if (sort === 'read' && readAt) return { rank: 0, at: readAt.getTime(), keys: [] }
  return { rank: 1, at: addedAt(book).getTime(), keys: [] }
}

/** The position before the first book that was never read. */
export const firstUnread: LibraryPosition = { rank: 1, at: 8.64e15, keys: [], id: '' }

const maxCursorLength = 4000

const Cursor = z.tuple([
  z.enum(librarySorts),
  z.union([z.literal(0), z.literal(1)]),
  z.int().min(-8.64e15).max(8.64e15),
  z.array(z.string()).max(2),
  z.string(),
])

/** Formats an opaque cursor that is independent of the store. */
export function formatCursor(sort: LibrarySort, { rank, at, keys, id }: LibraryPosition): string {
  return Buffer.from(JSON.stringify([sort, rank, at, keys, id])).toString('base64url')
}

const keyCounts: Record<LibrarySort, number> = { read: 0, added: 0, title: 1, author: 2 }

/** Parses a cursor of this order; refuses any other text with INVALID_INPUT. */
export function parseCursor(sort: LibrarySort, cursor: string): LibraryPosition {
  const parsed = cursor.length > maxCursorLength ? null : Cursor.safeParse(decodeJson(cursor)).data
  if (!parsed || parsed[0] !== sort || parsed[3].length !== keyCounts[sort]) throw unknownCursor()
  const [, rank, at, keys, id] = parsed
  return { rank, at, keys, id }
}

function decodeJson(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return null
  }
}
