import type { FileFormat } from '../../books/file-formats.ts'
import type { KeepFigure } from './figures.ts'

/** The result of every book format: pages in reading order and metadata. Implementations do no I/O. */
export interface BookReader {
  /** The format of the content, if it differs from the file name. */
  readonly format?: FileFormat
  /** The metadata of the file, with null for missing fields. Known before the first page. */
  readonly info: BookInfo
  /** The number of pages, if the format knows it in advance (PDF); the base of progress. */
  readonly pageCount: number | null
  /** Whether the file declares a picture as its cover (EPUB); absent for formats without covers. */
  readonly hasCover?: boolean
  /**
   * Whether the text contains LaTeX formulas between dollar signs, and escapes other dollar signs that could be read as
   * delimiters. Known after the last page. Absent for formats without formulas.
   */
  readonly hasFormulas?: boolean
  /** The pages in order, each produced on demand. May throw a `FormatError`. */
  pages(): AsyncIterable<ExtractedPage>
  /**
   * The table of contents in reading order, with one-based pages; empty if the book has none. Call it after the last
   * page.
   */
  toc(): Promise<TocEntry[]>
  /** Releases resources (workers, buffers). Idempotent. */
  close(): Promise<void>
}

export interface BookInfo {
  title: string | null
  author: string | null
  /** The BCP 47 language tag as in the file, for example `en` or `pt-BR`. */
  language: string | null
  publisher: string | null
  isbn: string | null
  description: string | null
}

export interface ExtractedPage {
  /** Markdown. Empty for a blank page. */
  content: string
  /** The printed page label (`iv`, `12`) if the file names one; otherwise null. */
  label: string | null
  /** Whether an image covers most of the page; without text such a page is a scan. */
  picture: boolean
  /** The share (0 to 1) of unreadable characters: private-use, control and replacement characters. */
  garbled: number
}

export interface TocEntry {
  title: string
  page: number
  level: number
}

/** Limits that a reader enforces, whatever the file claims; in bytes unless the name says otherwise. */
export interface FormatLimits {
  /** Maximum uncompressed bytes of one file in an archive. */
  entryBytes: number
  /** Maximum uncompressed bytes of all files that are read from an archive. */
  totalBytes: number
  /** Maximum number of files in an archive. */
  entries: number
  /** Maximum number of pages of a book. */
  pages: number
}

export const defaultLimits: FormatLimits = {
  entryBytes: 16 * 1024 * 1024,
  totalBytes: 512 * 1024 * 1024,
  entries: 20_000,
  pages: 50_000,
}

/** Why a file cannot be read; a closed list. `extractionMessages` has a sentence for the owner for each. */
export type FormatErrorCode =
  | 'ENCRYPTED' // needs a password
  | 'WRONG_PASSWORD' // the given one does not open it
  | 'DRM' // copy protection
  | 'BROKEN' // not a file of this format, truncated, or damaged beyond reading
  | 'UNREAD_OFFICE' // a presentation, spreadsheet or drawing
  | 'TOO_LARGE' // exceeds a limit of FormatLimits
  | 'TOO_DEEP' // elements nested beyond any real book
  | 'EMPTY' // a valid file without pages

/** An error of a format reader. `message` is for the log; people read the sentence for `code`. */
export class FormatError extends Error {
  readonly code: FormatErrorCode

  constructor(code: FormatErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'FormatError'
    this.code = code
  }
}

/** Options of a reader. */
export interface OpenOptions {
  /** Receives each figure before the first page that refers to it; without it, figures are described in words. */
  keepFigure?: KeepFigure | undefined
  /** Opens an encrypted file; null: no password was given. */
  password?: string | null
}

/** Opens one book file. Throws `FormatError` if the bytes are not a readable file of the format. */
export type OpenBook = (bytes: Uint8Array, limits: FormatLimits, options?: OpenOptions) => Promise<BookReader>
