import type { Database } from '../db/connect.ts'
import type { FileStore } from '../files/store.ts'

/** A stored library: the source of a backup or a copy. */
export interface StoredLibrary {
  database: Database
  /** The URL of MongoDB; undefined: the embedded store of `directory`. */
  url: string | undefined
  directory: string
  files: FileStore
  secret: string
}

/** Reports the current step; `percent`: null if unknown. */
export type Show = (stage: string, percent: number | null) => void
