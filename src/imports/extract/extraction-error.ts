import type { FormatErrorCode } from '../formats/format.ts'

/** Why no book came out of a file: what its reader found, or what the reading process ran into. */
export type ExtractionErrorCode =
  | FormatErrorCode
  | 'OUT_OF_MEMORY' // passed the memory bound of one import
  | 'TIMED_OUT' // no page for too long, or too long in all
  | 'CRASHED' // the process ended or broke the protocol
  | 'CANCELLED' // the caller's signal, or the extractor was closed

/** The end of an extraction without a book. `message` is for the log; the owner reads `extractionMessages[code]`. */
export class ExtractionError extends Error {
  readonly code: ExtractionErrorCode

  constructor(code: ExtractionErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ExtractionError'
    this.code = code
  }
}

/** What the owner of the book reads: one sentence with the next step. */
export const extractionMessages: Record<ExtractionErrorCode, string> = {
  ENCRYPTED: 'The file is locked with a password; remove the password and upload it again.',
  DRM: 'The file is copy-protected (DRM) and cannot be read here; upload a copy without protection.',
  BROKEN:
    'The file is damaged or not of the type its name says; open it in another program to check it, then upload a good copy.',
  TOO_LARGE:
    'The file is larger than a book may be (50,000 pages, a million characters on one page, 512 MB of text); split it and upload the parts.',
  EMPTY: 'The file has no pages; check that it is the right one and upload it again.',
  OUT_OF_MEMORY:
    'The file needs more memory than an import may use; split it or save it with smaller pictures, then upload it again.',
  TIMED_OUT:
    'Reading the file took too long and was stopped; save it anew or split it in another program, then upload it again.',
  CRASHED: 'Reading the file stopped unexpectedly; reprocess the book, and report it if that fails again.',
  CANCELLED: 'The import was cancelled; reprocess the book to start it again.',
}
