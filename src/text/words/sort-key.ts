import { fold } from './fold.ts'

const maxSortKeyLength = 120

/** Returns the sort key of a title: without case and accents, with punctuation replaced by spaces, at most 120 UTF-16 units. */
export function titleSortKey(title: string): string {
  const words: string[] = []
  for (const [word] of title.normalize('NFC').matchAll(/[\p{L}\p{N}\p{M}]+/gu)) words.push(fold(word))
  return words.join(' ').slice(0, maxSortKeyLength).toWellFormed()
}
