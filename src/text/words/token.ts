import type { PlainWord } from './plain-word.ts'
import type { TextUnits } from './scan-words.ts'
import type { AnalysedWord } from './word-cache.ts'

/** An indexed term at its position in the text. */
export interface Token {
  term: string
  /** The word as written, in lower case. */
  word: string
  /** The number of the word in the text; in scripts without spaces, of the character. */
  position: number
  /** The range in the text, UTF-16 units. */
  start: number
  end: number
  /**
   * `word`: any word. `part`: a word within `getUserById`, which is itself a `word`. Tokens of the other kinds have the position of their
   * first word or character. `compound`: another spelling, such as the joined parts of `e-mail`, or a stem without accents. `name`: joined
   * parts that mean nothing alone, such as `usa` for `U.S.A.` and `1000` for `1,000`. `whole`: joined parts that mean more than each alone,
   * such as `3.11` and `.net`. `bigram` and `unigram`: two neighbouring characters, or one, of a script without spaces.
   */
  kind: 'word' | 'part' | 'compound' | 'name' | 'whole' | 'bigram' | 'unigram'
}

export type Visit = (token: Token) => void

/** Receives the tokens of a text. */
export interface TokenSink {
  visit: Visit
  /**
   * Receives ordinary words (those with a single term and no parts, nearly all words) instead of `visit`. A repeated word is usually the
   * same object, so that its `entry` can cache lookups.
   */
  plain?(word: PlainWord, position: number, start: number): void
  /**
   * True for a word that is not analysed and not joined to others, for texts in which few words are searched for. It counts as one word.
   */
  skipsWord?(text: string, scan: Readonly<{ start: number; end: number }>): boolean
  /**
   * Skips words for which `skipsWord` would be true, from the end of a word or the beginning of the text. Returns the end of the last
   * skipped word, or `from`. Skipped words are not counted.
   */
  skip?(source: Readonly<TextUnits>, from: number): number
}

/** The number of words, or of characters of a script without spaces, between two steps. */
export const wordsPerStep = 256

type Place = Pick<Token, 'position' | 'start' | 'end'>

/** Visits a word, its alternative forms, and the words that it is composed of. */
export function visitWord({ word, terms, parts }: AnalysedWord, { position, start, end }: Place, visit: Visit): void {
  // The fast path for nearly all words.
  if (terms.length === 1 && parts.length === 0) {
    visit({ term: terms[0] as string, word, position, start, end, kind: 'word' })
    return
  }
  for (const [at, term] of terms.entries()) {
    visit({ term, word, position, start, end, kind: at === 0 ? 'word' : 'compound' })
  }
  for (const [at, part] of parts.entries()) {
    visit({
      term: part.term,
      word: part.word,
      position: position + at,
      start: start + part.start,
      end: start + part.end,
      kind: 'part',
    })
  }
}
