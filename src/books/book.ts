/** Owner of the built-in books that everybody can read. */
export const systemOwner = 'system'

export type SourceType = 'pdf' | 'epub' | 'markdown'
export type BookStatus = 'DRAFT' | 'PROCESSING' | 'READY' | 'FAILED'
export type Health = 'ok' | 'partial' | 'empty' | 'unreadable' | 'failed' | 'stuck' | 'needs_confirmation'

/** The uploaded file behind a book. */
export interface OriginalFile {
  storageKey: string
  filename: string
  contentType: string
  bytes: number
  /** Hex; null until the file was read in full. */
  sha256: string | null
}

export interface Prompt {
  prompt: string
  context?: string
  multiBook?: boolean
}

export interface Book {
  id: string
  /** An account, or `systemOwner`. */
  ownerId: string
  title: string
  description: string | null
  author: string | null
  sourceType: SourceType
  status: BookStatus
  health: Health
  healthReason: string | null
  needsEnrichment: boolean
  enrichmentConfidence: number
  pageCount: number
  /** Content version, from 1; 0 before the first content. */
  version: number
  contentUpdatedAt: Date
  /** Read in full with the right plan only; otherwise as a preview. */
  proOnly: boolean
  /** Until when it is the book of the week, which everybody who has added it reads in full; null: it is not. */
  featuredUntil: Date | null
  /** Until when a Pro book may be read in full by everybody who has added it; null: no such window. */
  freeUntil: Date | null
  language: string | null
  publisher: string | null
  isbn: string | null
  original: OriginalFile | null
  /** The import or reprocessing that runs, or ran last. */
  jobId: string | null
  /** A table of contents that the owner has given the book; it survives reprocessing. */
  tocId: string | null
  prompts: Prompt[]
  sampleQuestion: string | null
  outcomes: string[]
  enrichedAt: Date | null
  metadataConfirmedAt: Date | null
  /** Empty when search knows the book as it is; else names the change that it has still to learn of. */
  indexDue: string
  createdAt: Date
  updatedAt: Date
}
