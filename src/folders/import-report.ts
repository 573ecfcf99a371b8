import type { TallyRow } from './tally.ts'

/** The result of a folder import. */
export interface ImportReport {
  /** Number of files that could become books. */
  found: number
  /** Number of new books. */
  added: number
  /** Number of files that the library already had. */
  existing: number
  /** Number of files identical to another one in this import. */
  copies: number
  /** Number of new books whose import has not ended. */
  waiting: number
  /** Total pages of the imported books. */
  pages: number
  shelves: { created: number; placed: number; notMade: TallyRow[] }
  leftOut: TallyRow[]
  failed: TallyRow[]
  /** Files that were refused before a book was created. */
  refused: TallyRow[]
  /** Imported books that need attention, with the next step. */
  needAttention: TallyRow[]
  /** Catalogue data that the library cannot store. */
  notKept: TallyRow[]
  /** Why it stopped before the last file; null if it did not. */
  stopped: { code: 'INTERRUPTED' | 'PLAN_LIMIT_EXCEEDED'; message: string } | null
}

/** The progress of a folder import. */
export interface ImportProgress {
  /** Number of completed files. */
  done: number
  total: number
  pages: number
  /** Estimated seconds left; null if unknown. */
  secondsLeft: number | null
}
