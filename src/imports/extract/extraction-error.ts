import type { FormatErrorCode } from '../formats/format.ts'

/** Why an extraction failed: an error of the format reader, or a failure of the process. */
export type ExtractionErrorCode =
  | FormatErrorCode
  | 'OUT_OF_MEMORY' // exceeded the memory limit of one import
  | 'TIMED_OUT' // no message for too long, or too long in total
  | 'CRASHED' // the process exited or violated the protocol
  | 'STORAGE_FULL' // the owner's plan has no room for the text
  | 'CANCELLED' // the caller's signal was aborted, or the extractor was closed

/** A failed extraction. `message` is for the log; the owner reads `extractionMessages[code]`. */
export class ExtractionError extends Error {
  readonly code: ExtractionErrorCode

  constructor(code: ExtractionErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ExtractionError'
    this.code = code
  }
}

/** The message for the book's owner: one sentence with the next step. */
export const extractionMessages: Record<ExtractionErrorCode, string> = {
  ENCRYPTED:
    'The file is password-protected; remove the password and upload it again, or reprocess the book and send the password of a PDF with it.',
  WRONG_PASSWORD: 'The password does not open the file; reprocess the book with the right one.',
  DRM: 'The file is copy-protected (DRM) and cannot be read here; upload a copy without protection.',
  BROKEN:
    'The file is damaged, or its content does not match its file name; check it in another program, then upload a good copy.',
  UNREAD_OFFICE:
    'The file is a presentation, spreadsheet or drawing, which cannot be read here; save it as PDF, then upload that copy.',
  TOO_LARGE:
    'The file exceeds the limits of a book (50,000 pages, 1,000,000 characters on one page, a text of 50 times the size of the file or 20 MB, and what the plan allows); split it and upload the parts.',
  TOO_DEEP:
    'Elements of the file are nested more deeply than in any book, so that it cannot be read safely; save it again in another program, then upload it.',
  EMPTY: 'The file has no pages; check that it is the right one and upload it again.',
  OUT_OF_MEMORY:
    'The file needs more memory than an import may use; split it or save it with smaller images, then upload it again.',
  TIMED_OUT:
    'Reading the file took too long and was stopped; save it again or split it in another program, then upload it.',
  CRASHED: 'Reading the file stopped unexpectedly; reprocess the book, and report the problem if that fails again.',
  STORAGE_FULL:
    'The text of the file does not fit into the storage of the plan; delete books or upgrade, then reprocess the book.',
  CANCELLED: 'The import was cancelled; reprocess the book to start it again.',
}
