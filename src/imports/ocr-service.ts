import type { Recogniser, RecogniserProblem } from './ocr/recogniser.ts'

/** Text recognition on this worker. */
export interface Ocr {
  recogniser: Recogniser | RecogniserProblem
  /** Maximum number of recognised pages per book; further pages stay unchanged. */
  maxPages: number
}

/** The outlook for pages without usable text, for the owner of the book. */
export type OcrOutlook =
  /** This server has no text recognition. */
  | { state: 'off' | 'missing' }
  /** Recognition is under way. */
  | { state: 'pending'; done: number; total: number }
  /** Recognition has ended; pages that still lack text keep lacking it. */
  | { state: 'done'; skipped: number; stopped: 'STORAGE_FULL' | null }

/** How many of its pages text recognition has read, from the reason of a book's health; null if it is not under way. */
export function recognitionProgress(healthReason: string | null): { done: number; total: number } | null {
  const [, done, total] = /has read (\d+) of the (\d+) pages that need it and continues/.exec(healthReason ?? '') ?? []
  return done === undefined || total === undefined ? null : { done: Number(done), total: Number(total) }
}

/** Half a sentence: what the owner can do about pages without text. */
export function ocrAdvice(outlook: OcrOutlook): string {
  switch (outlook.state) {
    case 'off':
      return 'run text recognition (OCR) on the file and upload the result'
    case 'missing':
      return 'run text recognition (OCR) on the file and upload the result, or have Tesseract installed on this server and reprocess the book'
    case 'pending':
      return `text recognition (OCR) has read ${outlook.done} of the ${outlook.total} pages that need it and continues; there is nothing to upload`
    case 'done':
      return doneAdvice(outlook)
  }
}

function doneAdvice({ skipped, stopped }: Extract<OcrOutlook, { state: 'done' }>): string {
  if (stopped === 'STORAGE_FULL')
    return 'text recognition (OCR) ended because the storage of the plan is full; delete books or upgrade, then reprocess the book or upload a file with text'
  if (skipped > 0)
    return `text recognition (OCR) left out ${skipped} pages beyond the limit of this server; upload the file in parts to have them read`
  return 'text recognition (OCR) found no text there; upload a clearer scan if there should be some'
}
