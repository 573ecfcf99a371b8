import type { Database } from '../db/connect.ts'
import type { FileStore } from '../files/store.ts'

/** A library that is stored somewhere: where a backup or a copy comes from. */
export interface StoredLibrary {
  database: Database
  /** The URL of MongoDB; undefined: the embedded store of `directory`. */
  url: string | undefined
  directory: string
  files: FileStore
  secret: string
}

/** Tells what is being done; `percent`: null where it is not known. */
export type Show = (stage: string, percent: number | null) => void
