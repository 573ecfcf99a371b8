import { AppError } from '../../core/errors.ts'
import type { Call } from '../../core/context.ts'
import { createPacer, type Pacer } from '../../runtime/turns.ts'
import { createSlots, type Slots } from '../../runtime/slots.ts'
import type { Query } from '../query/parse-query.ts'

/** The maximum number of simultaneous searches of an account, and of all accounts together. Further searches wait in a queue. */
const accountSlots = 2
const processSlots = 16
const maxWaiting = 8
const maxWaitMs = 10_000

/** The maximum number of word positions that a search may read. Ordinary searches of large libraries need a tenth of it. */
const maxPositions = 20_000_000
/** The maximum size of the index entries that a search may hold, in bytes. */
const maxEntryBytes = 32_000_000
/** The maximum number of words of word lists that are compared with words of the query: about 1.5 s. */
const maxListedWords = 10_000_000
/** The maximum number of characters of pages in which a search may look for passages. */
const maxPassageLength = 600_000

/** The work that one search may still do. The best books come first, and books beyond the limit are omitted. */
export interface SearchWork {
  pacer: Pacer
  positions: number
  entryBytes: number
  listedWords: number
  passageLength: number
}

/** A query, and the work that its search may do. */
export interface SearchRequest {
  query: Query
  work: SearchWork
  /** The page to find similar pages for. The results omit it, and books without similar pages. */
  liked?: { bookId: string; page: number } | undefined
  /** The maximum number of pages listed per book. Default: 3. */
  pagesPerBook?: number | undefined
  /** The number of searched books per matching book, so that the rarity of a word refers to all searched books. Default: 1. */
  booksPerMatch?: number
  /** The searched books that are not ranked by their pages, most of them because they have none of the words, and their words. Default: none. */
  unranked?: { books: number; words: number }
}

/** Returns the limits of a search that begins now and is cancelled by `signal`. */
export function newSearchWork(signal: AbortSignal): SearchWork {
  return {
    pacer: createPacer(signal),
    positions: maxPositions,
    entryBytes: maxEntryBytes,
    listedWords: maxListedWords,
    passageLength: maxPassageLength,
  }
}

/** True if the work is used up. The search then continues with the results that it has. */
export function isExhausted({ positions, entryBytes }: SearchWork): boolean {
  return positions <= 0 || entryBytes <= 0
}

/** Creates the slots for searches in this process. */
export function createSearchSlots(): Slots {
  return createSlots({ perKey: accountSlots, total: processSlots, maxWaitingPerKey: maxWaiting, maxWaitMs })
}

/**
 * Takes a slot for a search and returns its release function. Throws RATE_LIMITED if too many searches of the account wait, or if this one
 * waits too long.
 */
export async function takeSearchSlot({ actor, signal }: Call, slots: Slots): Promise<() => void> {
  const release = await slots.take(actor.id, signal)
  if (release) return release
  throw new AppError(
    'RATE_LIMITED',
    `Too many searches at a time: ${accountSlots} run for an account and ${maxWaiting} wait. Retry in 2s, or search less at once.`,
    { retryAfterSeconds: 2 },
  )
}
