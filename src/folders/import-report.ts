import type { TallyRow } from './tally.ts'

/** What came of an import of a folder. */
export interface ImportReport {
  /** Files that could become books. */
  found: number
  /** Books that are new. */
  added: number
  /** Files that the library had before. */
  existing: number
  /** Files that are the same as another of this import. */
  copies: number
  /** New books whose text is still to be read. */
  waiting: number
  /** Of the books whose text was read. */
  pages: number
  shelves: { created: number; placed: number; notMade: TallyRow[] }
  leftOut: TallyRow[]
  failed: TallyRow[]
  /** Of those, files that were refused before they were books. */
  refused: TallyRow[]
  /** Books that were read, and what is to be done with them. */
  needAttention: TallyRow[]
  /** What a catalogue says and the library cannot hold. */
  notKept: TallyRow[]
  /** Why it ended before the last file; null: it did not. */
  stopped: { code: 'INTERRUPTED' | 'PLAN_LIMIT_EXCEEDED'; message: string } | null
}

/** How far an import of a folder is. */
export interface ImportProgress {
  /** Files that are done with. */
  done: number
  total: number
  pages: number
  /** Seconds; null while it cannot be told. */
  secondsLeft: number | null
}
