import { AppError } from '../core/errors.ts'
import type { Call } from '../core/context.ts'
import { createPacer, type Pacer } from '../runtime/turns.ts'
import { createSlots, type Slots } from '../runtime/slots.ts'
import type { Query } from './parse-query.ts'

/** Searches at a time: of an account, and of all together. Others wait in line. */
const accountPlaces = 2
const processPlaces = 16
const maxWaiting = 8
const maxWaitMs = 10_000

/** The positions of words that a search may look at; ordinary searches of large libraries need a tenth. */
const maxPositions = 20_000_000
/** The bytes of index entries that a search may hold. */
const maxEntryBytes = 32_000_000
/** The characters of pages in which a search may look for passages. */
const maxPassageLength = 600_000

/** The work that one search may still do. The best books come first; those beyond the limit are left out. */
export interface SearchWork {
  pacer: Pacer
  positions: number
  entryBytes: number
  passageLength: number
}

/** The query of a search, and the work that it may do. */
export interface SearchRequest {
  query: Query
  work: SearchWork
  /** The page to find similar pages for. It is left out, and so are books without similar pages. */
  liked?: { bookId: string; page: number } | undefined
  /** Pages of each book that are listed; 3 when left out. */
  pagesPerBook?: number | undefined
  /** How many books were searched for each that matches: a word is as rare as in all of them. 1 when left out. */
  booksPerMatch?: number
}

/** The work of a search that begins now and ends with its client. */
export function newSearchWork(signal: AbortSignal): SearchWork {
  const limits = { positions: maxPositions, entryBytes: maxEntryBytes, passageLength: maxPassageLength }
  return { pacer: createPacer(signal), ...limits }
}

/** True when the work is used up: the search goes on with what it has found. */
export function isUsedUp({ positions, entryBytes }: SearchWork): boolean {
  return positions <= 0 || entryBytes <= 0
}

/** Creates the slots for searches in this process. */
export function createSearchPlaces(): Slots {
  return createSlots({ perKey: accountPlaces, total: processPlaces, maxWaitingPerKey: maxWaiting, maxWaitMs })
}

/** Takes a slot for a search; refuses with RATE_LIMITED when the account has too many waiting searches or waits too long. */
export async function takeSearchPlace({ actor, signal }: Call, places: Slots): Promise<() => void> {
  const release = await places.take(actor.id, signal)
  if (release) return release
  throw new AppError(
    'RATE_LIMITED',
    `Too many searches at a time: ${accountPlaces} run for an account and ${maxWaiting} wait. Retry in 2s, or search less at once.`,
    { retryAfterSeconds: 2 },
  )
}
