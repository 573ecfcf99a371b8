import type { Book } from './book.ts'

/**
 * Whether a book has a cover picture: `file` if there is one at `coverPath`, `none` if not, `unknown` for an EPUB that
 * was imported before this was recorded, until its cover is requested. An uploaded cover takes precedence over that of
 * the file. The first page of a PDF counts as its cover unless drawing it fails.
 */
export function coverOf({ ownCover, cover, sourceType, original, version }: CoverFields): 'file' | 'none' | 'unknown' {
  if (ownCover) return 'file'
  if (!original || version === 0 || sourceType === 'markdown') return 'none'
  return cover ?? (sourceType === 'pdf' ? 'file' : 'unknown')
}

export type CoverFields = Pick<Book, 'ownCover' | 'cover' | 'sourceType' | 'original' | 'version'>

/** The URL path of a book's cover picture; null if it has none. Needs no query, so it is suitable for lists. */
export function coverPath(book: CoverFields & Pick<Book, 'id'>): string | null {
  return coverOf(book) === 'file' ? `/books/${encodeURIComponent(book.id)}/cover` : null
}
