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
  /** Hex; null until the whole file was read. */
  sha256: string | null
}

export interface Prompt {
  prompt: string
  context?: string
  multiBook?: boolean
}

/** What can be read of a book while its first import runs: the pages that one attempt has stored so far. */
export interface UnfinishedPages {
  jobId: string
  /** Of the job, from 1; an earlier attempt never replaces what a later one has recorded. */
  attempt: number
  /** Under which the pages are stored. */
  revision: string
  /** Pages that are stored, from the first on without gaps. */
  pages: number
  /** Of how many; null: the format does not tell. */
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
  /** How its text came about: pages as they are printed, text that flows, or text that can be edited. */
  sourceType: SourceType
  /** What its file is; absent: what `sourceType` says. */
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
  /** Only some plans read it in full; the others get a preview. */
  proOnly: boolean
  /** Book of the week until then, readable in full by every subscriber; null: not featured. */
  featuredUntil: Date | null
  /** End of the launch window, in which every subscriber reads a Pro book in full; null: no window. */
  freeUntil: Date | null
  language: string | null
  publisher: string | null
  isbn: string | null
  original: OriginalFile | null
  /** The last import or reprocessing job, running or ended. */
  jobId: string | null
  /** What can be read while the first import runs; absent or null: nothing yet, or it has ended. See `unfinishedPagesOf`. */
  unfinished?: UnfinishedPages | null
  /** Id of a table of contents from the owner, which survives reprocessing; null: use the one of the file. */
  tocId: string | null
  prompts: Prompt[]
  sampleQuestion: string | null
  outcomes: string[]
  enrichedAt: Date | null
  metadataConfirmedAt: Date | null
  /** Id of the last change that the search index lacks; empty: the index is up to date. */
  indexDue: string
  /** True once a team has written its text or metadata; absent: never, or before this was recorded. */
  teamWritten?: boolean
  /** Whether its file has a picture for the cover; absent: not known yet, see `coverOf`. */
  cover?: 'file' | 'none'
  /**
   * Whether the text of its file has formulas in LaTeX between dollar signs, which pages set; absent: not known, and dollar signs
   * are shown as they are.
   */
  hasFormulas?: boolean
  /** When the owner last put it on the marketplace; absent or null: never, or before this was recorded. */
  publishedAt?: Date | null
  /**
   * Stored bytes: original file (reserved before it arrives), text and tables of contents of all versions. Absent in a row
   * of an earlier version, and then not counted, until the cleanup counts them.
   */
  storedBytes?: number
  /**
   * Sort keys of title and author, from `sortKeysOf`. Absent in a row of an earlier version, which sorts before all others
   * until the first list by title or author computes them.
   */
  titleKey?: string
  authorKey?: string
  /** A picture that goes before that of its file; absent: none. `sha256` is that of the picture as it was given. */
  ownCover?: { storageKey: string; mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'; sha256: string }
  /** What an import out of a catalogue of somebody else knows it by, from `originOf`; absent: it came otherwise. */
  origin?: string
  createdAt: Date
  updatedAt: Date
}
