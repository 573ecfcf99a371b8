import type { PlainWord } from './plain-word.ts'
import type { TextUnits } from './scan-words.ts'
import type { AnalysedWord } from './word-cache.ts'

/** An indexed term at its position in the text. */
export interface Token {
  term: string
  /** The word as it is written, in lower case. */
  word: string
  /** Word number; in scripts without spaces, character number. */
  position: number
  /** Range in the text, UTF-16 units. */
  start: number
  end: number
  /**
   * `word`; `part`: a word of `getUserById`, which is a `word` itself; then what stands at the position of its first word:
   * `compound`: another spelling, as the parts of `e-mail` in one, or a stem without accents; `name`: one whose parts say nothing
   * alone, as `usa` for `U.S.A.` and `1000` for `1,000`; `whole`: one that says more than its parts, as `3.11` and `.net`; `bigram`
   * and `unigram`: two neighbouring characters, or one, of a script without spaces.
   */
  kind: 'word' | 'part' | 'compound' | 'name' | 'whole' | 'bigram' | 'unigram'
}

export type Visit = (token: Token) => void

/** Takes the tokens of a text. */
export interface TokenSink {
  visit: Visit
  /**
   * Takes an ordinary word, one with a single term and no parts, in place of `visit`: nearly all words. The same word comes as the
   * same object most times, so that what was looked up for it can be kept in its `entry`.
   */
  plain?(word: PlainWord, position: number, start: number): void
  /** True for a word that is not analysed, and joined to no other: for texts in which few words are looked for. It counts as one word. */
  passesOver?(text: string, scan: Readonly<{ start: number; end: number }>): boolean
  /**
   * Moves over words that would be passed over, from the end of a word or the beginning of the text, and returns the end of the last
   * one, or `from`. These are not counted.
   */
  skip?(source: Readonly<TextUnits>, from: number): number
}

/** Words, or characters of a script without spaces, between two steps. */
export const wordsPerStep = 256

type Place = Pick<Token, 'position' | 'start' | 'end'>

/** Visits a word, its alternative forms, and the words that it is composed of. */
export function visitWord({ word, terms, parts }: AnalysedWord, { position, start, end }: Place, visit: Visit): void {
  // Nearly all words.
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
