import type { Book } from './book.ts'

/** The health of a book whose text is written by hand and has this many words: never `ok` without any. */
export function textHealth(words: number): Pick<Book, 'health' | 'healthReason'> {
  if (words > 0) return { health: 'ok', healthReason: null }
  return { health: 'empty', healthReason: 'This book has no text yet. Append pages to it.' }
}
