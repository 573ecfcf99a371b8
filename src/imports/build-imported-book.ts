import type { BookChange } from '../books/store.ts'
import type { Book } from '../books/book.ts'
import { cleanLine } from './extract/clean-text.ts'
import type { ExtractionSummary } from './extract/extractor.ts'
import { looksLikeFileName } from './title-from-filename.ts'
import { assessHealth } from './assess-health.ts'
import type { OcrOutlook } from './ocr-service.ts'

/** The result of reading a file, and the state of text recognition for its unreadable pages. */
export interface ImportedText extends ExtractionSummary {
  ocr?: OcrOutlook
  /** Whether the figures were left out because reading failed with them. */
  figuresLeftOut?: boolean
}

const figuresLeftOutReason =
  'The figures were left out, because with them reading the file took too much time or memory; reprocess the book to try again.'

/**
 * The changes that an import makes to its book. Keeps a title or author that the owner has confirmed. `duplicate` is
 * another book with the same file.
 */
export function buildImportedBook(book: Book, summary: ImportedText, duplicate: Book | null): BookChange['set'] {
  const { info, hasCover, format, hasFormulas, pageCount, counts, ocr, figuresLeftOut } = summary
  const confirmed = book.metadataConfirmedAt !== null || book.enrichedAt !== null
  const extractedTitle = cleanLine(info.title, 200)
  const title = confirmed || extractedTitle === null || looksLikeFileName(extractedTitle) ? book.title : extractedTitle
  return {
    status: 'READY',
    title,
    author: confirmed ? book.author : (cleanLine(info.author, 200) ?? book.author),
    description: book.description ?? info.description,
    ...cataloguedFields(book, info),
    pageCount,
    // The first page of a PDF is its cover unless drawing it fails.
    cover: book.sourceType === 'pdf' || hasCover ? 'file' : 'none',
    hasFormulas,
    ...(format === null ? {} : { fileFormat: format }),
    ...withFiguresNote(
      confirmationHealth(assessHealth({ counts, ...(ocr ? { ocr } : {}) }), { title, confirmed, duplicate }),
      figuresLeftOut,
    ),
  }
}

/** Metadata from the book's source catalogue, such as Calibre, is kept together with a confirmed title. */
function cataloguedFields(
  { metadataConfirmedAt, ...book }: Book,
  { language, publisher, isbn }: ExtractionSummary['info'],
): Pick<Book, 'language' | 'publisher' | 'isbn'> {
  if (metadataConfirmedAt === null) return { language, publisher, isbn }
  return {
    language: book.language ?? language,
    publisher: book.publisher ?? publisher,
    isbn: book.isbn ?? isbn,
  }
}

type Health = Pick<Book, 'health' | 'healthReason'>

/** Adds a note about left-out figures to the health of a book whose text is good; any other reason takes precedence. */
function withFiguresNote(assessed: Health, leftOut = false): Health {
  return leftOut && assessed.healthReason === null ? { ...assessed, healthReason: figuresLeftOutReason } : assessed
}

/** Adds what the owner has to confirm to the health of a book whose text is good. */
export function confirmationHealth(
  extracted: Health,
  { title, confirmed, duplicate }: { title: string; confirmed: boolean; duplicate: Book | null },
): Health {
  if (extracted.health !== 'ok') return extracted
  if (duplicate) {
    return { health: 'needs_confirmation', healthReason: duplicateReason(duplicate.title) }
  }
  if (confirmed || !looksLikeFileName(title)) return extracted
  return {
    health: 'needs_confirmation',
    healthReason: 'The title looks like a file name; enrich the book with its real title.',
  }
}

function duplicateReason(title: string): string {
  return `The file is the same as that of "${title}"; delete one of the two, or enrich this one to keep both.`
}

/** The title of the book with the same file, from the reason why a book needs confirmation; null for other reasons. */
export function duplicateTitle(healthReason: string | null): string | null {
  return /^The file is the same as that of "(.*)"; delete one /s.exec(healthReason ?? '')?.[1] ?? null
}
