import type { SourceType } from '../../src/books/file-formats.ts'

/** Pages that are stored at a time. */
export const pagesInBatch = 16

/** A book of equal pages, put straight into the store. */
export interface StoredBook {
  ownerId: string
  page: string
  count: number
  sourceType: SourceType
}

/** What a measured server is told to do. */
export type Order = { kind: 'person' } | { kind: 'book'; book: StoredBook } | { kind: 'begin' } | { kind: 'report' }

/** What a span cost the server. */
export interface Measured {
  /** By how much the largest memory of the process exceeds the memory at the beginning of the span. */
  megabytes: number
  /** For how long the event loop was held, in CPU time. */
  heldMs: { p99: number; max: number }
}
