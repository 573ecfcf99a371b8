import type { FileFormat, SourceType } from './file-formats.ts'

/** Owner id of the built-in books, which everybody can read. */
export const systemOwner = 'system'

export type BookStatus = 'DRAFT' | 'PROCESSING' | 'READY' | 'FAILED'
export type Health = 'ok' | 'partial' | 'empty' | 'unreadable' | 'failed' | 'stuck' | 'needs_confirmation'

/** The uploaded file behind a book. */
export interface OriginalFile {
  storageKey: string
  filename: string
  contentType: string
  bytes: number
  /** Hexadecimal; null until the whole file has been read. */
  sha256: string | null
}

export interface Prompt {
  prompt: string
  context?: string
  multiBook?: boolean
}

/** The readable part of a book while its first import runs: the pages that one attempt has stored so far. */
export interface UnfinishedPages {
  jobId: string
  /** Number of the attempt, from 1; an earlier attempt never replaces what a later one has recorded. */
  attempt: number
  /** The revision under which the pages are stored. */
  revision: string
  /** Number of stored pages, from page 1 on without gaps. */
  pages: number
  /** Expected number of pages; null: the format does not declare it. */
  total: number | null
  /** UTF-8 bytes of these pages. */
  bytes: number
  words: number
}

export interface Book {
  id: string
  /** An account, or `systemOwner`. */
  ownerId: string
  title: string
  description: string | null
  author: string | null
  /** The kind of source: printed pages, reflowable text, or editable text. */
  sourceType: SourceType
  /** The format of its file; absent: that of `sourceType`. */
  fileFormat?: FileFormat
  status: BookStatus
  health: Health
  healthReason: string | null
  needsEnrichment: boolean
  enrichmentConfidence: number
  pageCount: number
  /** Content version, from 1; 0: no content yet. */
  version: number
  contentUpdatedAt: Date
  /** True if only some plans read it in full; the others get a preview. */
  proOnly: boolean
  /** Featured as book of the week until then, and readable in full by every subscriber; null: not featured. */
  featuredUntil: Date | null
  /** End of the launch window, in which every subscriber reads a Pro book in full; null: no window. */
  freeUntil: Date | null
  language: string | null
  publisher: string | null
  isbn: string | null
  original: OriginalFile | null
  /** The last import or reprocessing job, running or ended. */
  jobId: string | null
  /**
   * The readable part while the first import runs; absent or null: nothing yet, or the import has ended. See
   * `unfinishedPagesOf`.
   */
  unfinished?: UnfinishedPages | null
  /** Id of a table of contents from the owner, which survives reprocessing; null: use the one of the file. */
  tocId: string | null
  prompts: Prompt[]
  sampleQuestion: string | null
  outcomes: string[]
  enrichedAt: Date | null
  metadataConfirmedAt: Date | null
  /** Id of the last change that is missing in the search index; empty: the index is up to date. */
  indexDue: string
  /** True once a team has changed its text or metadata; absent: never, or before this was recorded. */
  teamWritten?: boolean
  /** Whether its file contains a cover picture; absent: not known yet, see `coverOf`. */
  cover?: 'file' | 'none'
  /**
   * Whether the text of its file contains LaTeX formulas between dollar signs, which pages render; absent: not known,
   * and dollar signs are shown literally.
   */
  hasFormulas?: boolean
  /** When the owner last put it on the marketplace; absent or null: never, or before this was recorded. */
  publishedAt?: Date | null
  /**
   * Stored bytes: original file (reserved before it arrives), text and tables of contents of all versions. Absent, and
   * not counted, in a row of an earlier version until the cleanup counts them.
   */
  storedBytes?: number
  /**
   * Sort keys of title and author, from `sortKeysOf`. Absent in a row of an earlier version, which sorts before all others
   * until the first list by title or author computes them.
   */
  titleKey?: string
  authorKey?: string
  /**
   * A cover picture that takes precedence over that of its file; absent: none. `sha256` is that of the picture as
   * uploaded.
   */
  ownCover?: { storageKey: string; mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'; sha256: string }
  /**
   * True once another call than the one that added the row relies on its library slot; then a create that is undone keeps
   * the row. Absent: never.
   */
  slotConfirmed?: true
  /**
   * Identifies the book in the foreign catalogue that it was imported from; see `originOf`. Absent: it came in another
   * way.
   */
  origin?: string
  createdAt: Date
  updatedAt: Date
}
