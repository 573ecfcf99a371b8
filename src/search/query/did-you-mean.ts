import { analyse } from '../../text/words/analyse.ts'
import { fold } from '../../text/words/fold.ts'
import type { Token } from '../../text/words/token.ts'
import type { Query } from './parse-query.ts'

/** Collects words that may be shown as corrections of a query. */
export interface Suggester {
  /** Searches the words of a text for corrections. The caller must be allowed to read the text. Pass the best text first. */
  addWords(words: Iterable<SeenWord>): void
  /** Returns the query with the corrections that were found; null if there are none. */
  suggest(text: string): string | null
}

/** A word of a text, in lower case. */
export interface SeenWord {
  word: string
  /** False for a variant that differs from the spelling in the text. */
  isPlain: boolean
}

/** Returns the words of a short text. */
export function wordsIn(text: string): SeenWord[] {
  const words: SeenWord[] = []
  analyse(text.normalize('NFC'), ({ word, kind }) => words.push({ word, isPlain: isPlainKind(kind) }))
  return words
}

/** True for words that appear in the text exactly so. */
export function isPlainKind(kind: Token['kind']): boolean {
  return kind === 'word' || kind === 'part'
}

/** The maximum number of texts that are searched for corrections. */
const maxTexts = 100
/** The maximum number of words of a text that are searched. */
const maxWords = 5000

/**
 * Creates a suggester for a query. Word lists contain words of books and pages that the caller may not read. So only words of the passed
 * texts are suggested, in the spelling of the text.
 */
export function createSuggester({ concepts }: Query): Suggester {
  const corrections = new Map(
    concepts.flatMap(({ word, corrections: words = [] }) => (words.length > 0 ? [[word, words] as const] : [])),
  )
  const allCorrections = new Set([...corrections.values()].flat())
  /** The spelling of each correction that was found, by its folded form. */
  const seen = new Map<string, string>()
  let texts = 0
  return {
    addWords(words) {
      if (seen.size === allCorrections.size || ++texts > maxTexts) return
      let count = 0
      for (const { word, isPlain } of words) {
        if (++count > maxWords) return
        const folded = isPlain ? fold(word) : ''
        if (allCorrections.has(folded) && !seen.has(folded)) seen.set(folded, word)
      }
    },
    suggest(text) {
      const corrected = [...corrections].flatMap(([word, words]) => {
        const shown = words.find((each) => seen.has(each))
        return shown === undefined ? [] : [[word, seen.get(shown) as string] as const]
      })
      return corrected.length === 0 ? null : replaceWords(text, new Map(corrected))
    },
  }
}

function replaceWords(text: string, corrected: ReadonlyMap<string, string>): string {
  const plain = text.normalize('NFC')
  let result = ''
  let done = 0
  for (const { start, end, folded } of foldedWordsOf(plain)) {
    const word = corrected.get(folded)
    if (word === undefined) continue
    result += plain.slice(done, start) + matchCase(plain.slice(start, end), word)
    done = end
  }
  return result + plain.slice(done)
}

function foldedWordsOf(text: string) {
  const words: { start: number; end: number; folded: string }[] = []
  analyse(text, ({ start, end, word, kind }) => {
    if (kind === 'word') words.push({ start, end, folded: fold(word) })
  })
  return words
}

function matchCase(raw: string, word: string): string {
  const first = [...raw][0] ?? ''
  if (first === first.toLowerCase()) return word
  if (raw.length > 1 && raw === raw.toUpperCase()) return word.toUpperCase()
  const [initial = '', ...rest] = word
  return initial.toUpperCase() + rest.join('')
}
