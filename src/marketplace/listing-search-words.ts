import { analyse } from '../text/words/analyse.ts'
import { fold, termOf } from '../text/words/fold.ts'

const maxPrefixes = 16
const maxTitleKeyLength = 120

/** The words of texts without case and accents, each once; of scripts without spaces pairs of characters. */
export function searchWords(texts: readonly (string | null)[]): string[] {
  const words = new Set<string>()
  for (const text of texts) {
    if (text === null) continue
    const plain = text.normalize('NFC')
    analyse(plain, ({ start, end }) => words.add(fold(plain.slice(start, end))))
  }
  words.delete('')
  return [...words]
}

/**
 * What the words of a search must begin with, at most 16 of them, the longest first: the words themselves or, where an English
 * word only goes on from its stem, the stem, so that `systems` finds `system` as well.
 */
export function searchPrefixes(search: string): string[] {
  const plain = search.normalize('NFC')
  const words: { text: string; start: number; end: number; single: boolean }[] = []
  analyse(plain, ({ start, end, kind }) => {
    const text = fold(plain.slice(start, end))
    if (kind !== 'compound' && text !== '') words.push({ text, start, end, single: kind === 'unigram' })
  })
  const paired = words.filter(({ single }) => !single)
  const isPaired = (at: number) => paired.some(({ start, end }) => start <= at && at < end)
  const unpaired = words.filter(({ single, start }) => !single || !isPaired(start))
  const prefixes = new Set(unpaired.map(({ text }) => stemPrefix(text)))
  return [...prefixes].sort((a, b) => b.length - a.length).slice(0, maxPrefixes)
}

function stemPrefix(word: string): string {
  const stem = termOf(word)
  return stem.length > 2 && word.startsWith(stem) ? stem : word
}

/** What titles are sorted by: the title without case and accents, and without marks before its first letter. */
export function titleSortKey(title: string): string {
  const words: string[] = []
  for (const [word] of title.normalize('NFC').matchAll(/[\p{L}\p{N}\p{M}]+/gu)) words.push(fold(word))
  return words.join(' ').slice(0, maxTitleKeyLength).toWellFormed()
}
