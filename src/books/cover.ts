import type { Book } from './book.ts'

/**
 * Whether a book has a picture for its cover: `file` if there is one at `coverPath`, `none` if not, `unknown` for an EPUB that was imported
 * before this was recorded, until its cover is asked for. A picture of its own goes before that of the file. The first page of a PDF is one until it turns out that it cannot be drawn.
 */
export function coverOf({ ownCover, cover, sourceType, original, version }: CoverFields): 'file' | 'none' | 'unknown' {
  if (ownCover) return 'file'
  if (!original || version === 0 || sourceType === 'markdown') return 'none'
  return cover ?? (sourceType === 'pdf' ? 'file' : 'unknown')
}

export type CoverFields = Pick<Book, 'ownCover' | 'cover' | 'sourceType' | 'original' | 'version'>

/** The address of the picture of a book's cover; null if it has none. Needs no query: for lists. */
export function coverPath(book: CoverFields & Pick<Book, 'id'>): string | null {
  return coverOf(book) === 'file' ? `/books/${encodeURIComponent(book.id)}/cover` : null
}
