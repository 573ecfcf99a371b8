import type { GivenMetadata } from '../imports/add-local-file.ts'
import type { Tally } from './tally.ts'

/** A file that could become a book. */
export interface FoundFile {
  path: string
  /** Below the folder that is imported, with `/` between folders: for messages. */
  name: string
  bytes: number
  /** When it was changed last, ms since 1970. */
  modifiedAt: number
  /** Names of the shelves that its book belongs on. */
  shelves: readonly string[]
  /** The metadata from the catalogue; empty: those of the file are used. */
  metadata: GivenMetadata
  /** Its cover by a catalogue; absent: the one in the file counts. Refuses with an `AppError` what cannot be read. */
  readCover?: () => Promise<Uint8Array>
  /** Of a file on another server. */
  remote?: RemoteFile
}

/** A file that is not on this machine until it is fetched. */
export interface RemoteFile {
  /** Identifies the book among all books: the catalogue and the id of the book in it. */
  origin: string
  /** Brings it to `path`. Refuses with an `AppError`. */
  fetch(maxBytes: number): Promise<void>
}

/** Where books come from: a folder, a Calibre library, or the OPDS catalogue of another server. */
export interface BookSource {
  /** How many files and bytes `files` yields. */
  total: { files: number; bytes: number }
  files(): Iterable<FoundFile> | AsyncIterable<FoundFile>
  /** Files that are not books or cannot be read; complete when `files` has ended. */
  leftOut: Tally
  /** What a catalogue says and a library cannot hold; complete once `files` has ended. */
  notKept: Tally
  close(): Promise<void>
}
