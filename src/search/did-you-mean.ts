import { analyse } from '../text/words/analyse.ts'
import { fold } from '../text/words/fold.ts'
import type { Token } from '../text/words/token.ts'
import type { Query } from './parse-query.ts'

/** Decides which corrections of a query's words may be shown. */
export interface Suggester {
  /** Looks for them among the words of a text that the caller may read; for the best text first. */
  look(words: Iterable<SeenWord>): void
  /** The query with the words that are in these texts; null when there is nothing to correct. */
  suggest(text: string): string | null
}

/** A word of a text, in lower case. */
export interface SeenWord {
  word: string
  /** False for a word that the text has in another spelling. */
  isPlain: boolean
}

/** The words of a short text. */
export function wordsIn(text: string): SeenWord[] {
  const words: SeenWord[] = []
  analyse(text.normalize('NFC'), ({ word, kind }) => words.push({ word, isPlain: isPlainKind(kind) }))
  return words
}

/** True for words that stand in the text as they are. */
export function isPlainKind(kind: Token['kind']): boolean {
  return kind === 'word' || kind === 'part'
}

/** Maximum number of texts in which corrections are looked for. */
const maxTexts = 100
/** Maximum number of different words of a text. */
const maxWords = 5000

/**
 * A suggester for a query. Word lists know words of books and pages that the caller may not read: only a word that stands in a
 * text of the answer is suggested, as it is spelt there.
 */
export function createSuggester({ concepts }: Query): Suggester {
  const corrections = new Map(
    concepts.flatMap(({ word, corrections: words = [] }) => (words.length > 0 ? [[word, words] as const] : [])),
  )
  const meant = new Set([...corrections.values()].flat())
  /** Words that were seen, as they are spelt. */
  const seen = new Map<string, string>()
  let texts = 0
  return {
    look(words) {
      if (seen.size === meant.size || ++texts > maxTexts) return
      let count = 0
      for (const { word, isPlain } of words) {
        if (++count > maxWords) return
        const folded = isPlain ? fold(word) : ''
        if (meant.has(folded) && !seen.has(folded)) seen.set(folded, word)
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
  for (const { start, end, folded } of wordsOf(plain)) {
    const word = corrected.get(folded)
    if (word === undefined) continue
    result += plain.slice(done, start) + inCaseOf(plain.slice(start, end), word)
    done = end
  }
  return result + plain.slice(done)
}

function wordsOf(text: string) {
  const words: { start: number; end: number; folded: string }[] = []
  analyse(text, ({ start, end, word, kind }) => {
    if (kind === 'word') words.push({ start, end, folded: fold(word) })
  })
  return words
}

function inCaseOf(raw: string, word: string): string {
  const first = [...raw][0] ?? ''
  if (first === first.toLowerCase()) return word
  if (raw.length > 1 && raw === raw.toUpperCase()) return word.toUpperCase()
  const [initial = '', ...rest] = word
  return initial.toUpperCase() + rest.join('')
}
