import type { SourceType } from '../../src/books/file-formats.ts'

/** Number of pages that are stored at a time. */
export const pagesInBatch = 16

/** A book of equal pages that is written directly to the store. */
export interface StoredBook {
  ownerId: string
  page: string
  count: number
  sourceType: SourceType
}

/** An order for a measured server. */
export type Order = { kind: 'person' } | { kind: 'book'; book: StoredBook } | { kind: 'begin' } | { kind: 'report' }

/** The costs of a period for the server. */
export interface Measured {
  /** Difference between the peak memory of the process and its memory at the start of the period. */
  megabytes: number
  /** How long the event loop was blocked, in CPU time. */
  heldMs: { p99: number; max: number }
}
