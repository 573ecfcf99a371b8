import type { Book } from './book.ts'

/** Health of a Markdown book with this many words: `empty` for 0, otherwise `ok`. */
export function textHealth(words: number): Pick<Book, 'health' | 'healthReason'> {
  if (words > 0) return { health: 'ok', healthReason: null }
  return { health: 'empty', healthReason: 'This book has no text yet. Append pages to it.' }
}

/** True for a Markdown book without text: it waits for its first page, and nothing has failed. */
export function isUnwritten({ sourceType, health }: Pick<Book, 'sourceType' | 'health'>): boolean {
  return sourceType === 'markdown' && health === 'empty'
}
