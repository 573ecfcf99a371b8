import type { ExtractionErrorCode } from './extract/extraction-error.ts'
import type { PageCounts } from '../text/page-counts.ts'
import { extractionMessages } from './extract/extraction-error.ts'
import { ocrAdvice, type OcrOutlook } from './ocr-service.ts'

/**
 * How usable the text of a book is: `ok`, or another value with one sentence that gives the reason and the next step.
 */
export interface BookHealth {
  health: 'ok' | 'partial' | 'empty' | 'unreadable' | 'failed'
  healthReason: string | null
}

const minCharactersPerPage = 50

/** Assesses the extracted text and says what text recognition can do about it. Never `ok` for a book without words. */
export function assessHealth({ counts, ocr = { state: 'off' } }: { counts: PageCounts; ocr?: OcrOutlook }): BookHealth {
  const { blankPages, captionPages, characters, garbledPages, pages, scannedPages, words } = counts
  const advice = ocrAdvice(ocr)
  if (words === 0 && captionPages === 0 && garbledPages === 0) return healthWithoutText(counts, ocr)
  if (garbledPages * 2 > pages - blankPages) {
    return toHealth('unreadable', `The fonts of ${pageShare(garbledPages, pages)} do not map to letters; ${advice}.`)
  }
  if (scannedPages * 2 > pages && characters < minCharactersPerPage * pages) {
    return toHealth(
      'unreadable',
      `The book is a scan: ${pageShare(scannedPages, pages)} are images with almost no text; ${advice}.`,
    )
  }
  if (blankPages * 2 > pages) {
    return toHealth('partial', `No text was found on ${pageShare(blankPages, pages)}; ${partialAdvice(ocr)}.`)
  }
  return { health: 'ok', healthReason: null }
}

/** The health of a book whose extraction failed with `code`. */
export function failedHealth(code: ExtractionErrorCode): BookHealth {
  return toHealth('failed', extractionMessages[code])
}

/** Advice about pages without text; they may be blank, because only scans are recognised. */
function partialAdvice(ocr: OcrOutlook): string {
  if (ocr.state === 'pending') return ocrAdvice(ocr)
  return 'if they are not blank in the file, run text recognition (OCR) on it and upload the result'
}

function healthWithoutText({ pages, scannedPages }: PageCounts, ocr: OcrOutlook): BookHealth {
  if (pages === 0)
    return toHealth('empty', 'The book has no pages yet; add text to it, or upload a file that has some.')
  if (scannedPages === 0) {
    return toHealth('empty', 'No text was found in the file; check that it is the right one and upload it again.')
  }
  return toHealth('empty', `The file contains page images and no text; ${ocrAdvice(ocr)}.`)
}

function toHealth(health: BookHealth['health'], healthReason: string): BookHealth {
  return { health, healthReason }
}

function pageShare(part: number, pages: number): string {
  return `${part} of ${pages} pages`
}
