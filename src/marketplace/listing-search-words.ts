import { analyse } from '../text/words/analyse.ts'
import { fold } from '../text/words/fold.ts'
import { termOf } from '../text/words/terms.ts'

const maxPrefixes = 16

/** The distinct words of the texts, without case and accents; for scripts without spaces, pairs of characters. */
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
 * The prefixes that a listing's words must begin with: at most 16, longest first. Uses the stem of an English word
 * where the word begins with it, so that `systems` finds `system` as well.
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
