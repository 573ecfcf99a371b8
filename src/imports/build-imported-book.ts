import type { BookChange } from '../books/store.ts'
import type { Book } from '../books/book.ts'
import { cleanLine } from './extract/clean-text.ts'
import type { ExtractionSummary } from './extract/extractor.ts'
import { looksLikeFileName } from './title-from-filename.ts'
import { assessHealth } from './assess-health.ts'
import type { OcrOutlook } from './ocr-service.ts'

/** What an import has read, and what recognition of text does about the rest. */
export interface ImportedText extends ExtractionSummary {
  ocr?: OcrOutlook
}

/**
 * The changes that an import makes to its book. Keeps a title or author that the owner has confirmed. `duplicate` is
 * another book with the same file.
 */
export function buildImportedBook(book: Book, summary: ImportedText, duplicate: Book | null): BookChange['set'] {
  const { info, hasCover, format, hasFormulas, pageCount, counts, ocr } = summary
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
    // The first page of a PDF is its cover until it turns out that it cannot be drawn.
    cover: book.sourceType === 'pdf' || hasCover ? 'file' : 'none',
    hasFormulas,
    ...(format === null ? {} : { fileFormat: format }),
    ...confirmationHealth(assessHealth({ counts, ...(ocr ? { ocr } : {}) }), { title, confirmed, duplicate }),
  }
}

/** What a catalogue that the book came from said of it, such as Calibre's, stays with a confirmed title. */
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

/** The health of a book with what its owner has to confirm, once its text is good. */
export function confirmationHealth(
  extracted: Pick<Book, 'health' | 'healthReason'>,
  { title, confirmed, duplicate }: { title: string; confirmed: boolean; duplicate: Book | null },
): Pick<Book, 'health' | 'healthReason'> {
  if (extracted.health !== 'ok') return extracted
  if (duplicate) {
    const healthReason = `The file is the same as that of "${duplicate.title}"; delete one of the two, or enrich this one to keep both.`
    return { health: 'needs_confirmation', healthReason }
  }
  if (confirmed || !looksLikeFileName(title)) return extracted
  return {
    health: 'needs_confirmation',
    healthReason: 'The title looks like a file name; enrich the book with its real title.',
  }
}
