import type { GivenMetadata } from '../imports/add-local-file.ts'
import type { Tally } from './tally.ts'

/** A file that could become a book. */
export interface FoundFile {
  path: string
  /** Path below the imported folder, with `/` between folders; for messages. */
  name: string
  bytes: number
  /** Time of the last change, ms since 1970. */
  modifiedAt: number
  /** Names of the shelves for its book. */
  shelves: readonly string[]
  /** Metadata from the catalogue; if empty, those of the file are used. */
  metadata: GivenMetadata
  /**
   * Reads its cover from the catalogue; absent: the file's own cover is used. Throws an `AppError` if the cover cannot
   * be read.
   */
  readCover?: () => Promise<Uint8Array>
  /** For a file on another server. */
  remote?: RemoteFile
}

/** A file that must be downloaded first. */
export interface RemoteFile {
  /** Identifies the book globally: the catalogue and the id of the book in it. */
  origin: string
  /** Downloads it to `path`. Refuses with an `AppError`. */
  fetch(maxBytes: number): Promise<void>
}

/** A source of books: a folder, a Calibre library, or the OPDS catalogue of another server. */
export interface BookSource {
  /** Number and total size of the files in `files`. */
  total: { files: number; bytes: number }
  files(): Iterable<FoundFile> | AsyncIterable<FoundFile>
  /** Files that are not books or cannot be read; complete after the end of `files`. */
  leftOut: Tally
  /** Catalogue data that a library cannot store; complete after the end of `files`. */
  notKept: Tally
  close(): Promise<void>
}
