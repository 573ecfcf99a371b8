/** What every book format hands back: pages in reading order and what the file says about itself. No I/O happens here. */
export interface BookReader {
  /** What the file says about itself; null where it says nothing. Known before the first page. */
  readonly info: BookInfo
  /** How many pages there will be, where the format knows it beforehand (PDF); progress is counted against it. */
  readonly pageCount: number | null
  /** The pages, in order, each produced when it is asked for. May throw a `FormatError`. */
  pages(): AsyncIterable<ExtractedPage>
  /** The table of contents in reading order; call it after the last page. `page` starts at 1. Empty when the book has none. */
  toc(): Promise<TocEntry[]>
  /** Gives back what the reader holds (workers, buffers). Safe to call twice. */
  close(): Promise<void>
}

export interface BookInfo {
  title: string | null
  author: string | null
  /** BCP 47 language tag as the file gives it, for example `en` or `pt-BR`. */
  language: string | null
  publisher: string | null
  isbn: string | null
  description: string | null
}

export interface ExtractedPage {
  /** Markdown. Empty for a blank page. */
  content: string
  /** The printed page label (`iv`, `12`) where it differs from the position or the file names one; else null. */
  label: string | null
  /** True when the page shows a picture that covers most of it: with no text it is a scan. */
  picture: boolean
  /** Share (0 to 1) of characters that no reader can use: private-use, control and replacement characters. */
  garbled: number
}

export interface TocEntry {
  title: string
  page: number
  level: number
}

/** Bounds that a reader keeps to, whatever the file claims. Bytes unless the name says otherwise. */
export interface FormatLimits {
  /** Uncompressed bytes of one file inside an archive. */
  entryBytes: number
  /** Uncompressed bytes of all files read from an archive together. */
  totalBytes: number
  /** Files an archive may list. */
  entries: number
  /** Pages a book may have. */
  pages: number
}

export const defaultLimits: FormatLimits = {
  entryBytes: 16 * 1024 * 1024,
  totalBytes: 512 * 1024 * 1024,
  entries: 20_000,
  pages: 50_000,
}

/** Why a file could not be read, in a closed list; each maps to one sentence for the owner with the next step. */
export type FormatErrorCode =
  | 'ENCRYPTED' // needs a password
  | 'DRM' // copy protection
  | 'BROKEN' // not a file of this format, truncated, or damaged beyond reading
  | 'TOO_LARGE' // passes a FormatLimits bound
  | 'EMPTY' // a valid file with no page in it

/** A refusal by a reader. `message` is for the log; people see the sentence that belongs to `code`. */
export class FormatError extends Error {
  readonly code: FormatErrorCode

  constructor(code: FormatErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'FormatError'
    this.code = code
  }
}

/** Opens one book file of a format. Throws `FormatError` when the bytes are not a readable file of it. */
export type OpenBook = (bytes: Uint8Array, limits: FormatLimits) => Promise<BookReader>
