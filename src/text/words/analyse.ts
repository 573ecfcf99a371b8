import { fold } from './fold.ts'
import { termOf } from './stem-by-script.ts'

/** An indexed term at its position in the text. */
export interface Token {
  term: string
  /** Word number; in scripts without spaces, character number. */
  position: number
  /** Range in the text, UTF-16 units. */
  start: number
  end: number
  /**
   * `word`; `compound`: the parts of `e-mail` as one word, at the position of the first part; `bigram` and `unigram`:
   * two neighbouring characters, or one, of a script without spaces.
   */
  kind: 'word' | 'compound' | 'bigram' | 'unigram'
}

/** Matches `C++`, `C#`; else letters, digits and their marks, with an English contraction. */
const wordPattern =
  /(?<![\p{L}\p{N}])\p{L}(?:\+\+|#)(?![\p{L}\p{N}+#])|[\p{L}\p{N}\p{M}\p{Cf}]+(?:['’ʼ](?:s|t|d|m|re|ve|ll)(?![\p{L}\p{N}]))?/giu
const contractionPattern = /['’ʼ](s|t|d|m|re|ve|ll)$/i
const joiners = new Set(["'", '’', 'ʼ', '-', '\u2010', '\u2011', '_'])
const maxParts = 4

/**
 * Calls `visit` for every token of a text (in NFC), in order of position for each term. Returns the number of
 * positions.
 */
export function analyse(text: string, visit: (token: Token) => void): number {
  const steps = analyseInSteps(text, visit)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Words, or characters of a script without spaces, between two steps. */
const wordsPerStep = 256

/** The same, yielding every few hundred words, so that a long text need not hold the event loop. */
export function* analyseInSteps(text: string, visit: (token: Token) => void): Generator<void, number> {
  let position = 0
  let words = 0
  let parts: Part[] = []
  const flush = () => {
    if (parts.length > 1 && parts.length <= maxParts) visit(joinParts(parts))
    parts = []
  }
  for (const match of text.matchAll(wordPattern)) {
    if (++words % wordsPerStep === 0) yield
    const [raw] = match
    const start = match.index
    const last = parts.at(-1)
    if (last && !(start === last.end + 1 && joiners.has(text[last.end] as string))) flush()
    if (hasUnspaced(raw)) {
      flush()
      position = yield* analyseUnspaced(raw, { start, position }, visit)
      continue
    }
    const word = analyseWord(raw)
    if (word.folded === '') continue
    const part = { ...word, position, start, end: start + raw.length }
    visit({ term: part.term, position, start, end: part.end, kind: 'word' })
    parts.push(part)
    position++
  }
  flush()
  return position
}

interface Word {
  folded: string
  term: string
}

interface Part extends Word {
  position: number
  start: number
  end: number
}

function joinParts(parts: readonly Part[]): Token {
  const [first, last] = [parts[0] as Part, parts.at(-1) as Part]
  const term = termOf(parts.map(({ folded }) => folded).join(''))
  return { term, position: first.position, start: first.start, end: last.end, kind: 'compound' }
}

const wordCache = new Map<string, Word>()
const maxCachedWords = 50_000

/** Cached, because most words of a text repeat. */
function analyseWord(raw: string): Word {
  const hit = wordCache.get(raw)
  if (hit) return hit
  const folded = fold(withoutContraction(raw))
  const word = { folded, term: termOf(folded) }
  if (raw.length > 32) return word
  if (wordCache.size >= maxCachedWords) wordCache.clear()
  wordCache.set(raw, word)
  return word
}

/** Keeps `don't` as one word; reduces `John's` and `we'll` to the part before the apostrophe. */
function withoutContraction(raw: string): string {
  return raw.replace(contractionPattern, (_, ending: string) => (ending.toLowerCase() === 't' ? ending : ''))
}

/**
 * Thai, Lao, Myanmar, Khmer, Hangul, kana, Han: scripts without spaces, or with long words that people search by parts.
 */
const unspacedPattern =
  /[\p{sc=Thai}\p{sc=Lao}\p{sc=Myanmar}\p{sc=Khmer}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}\p{sc=Bopomofo}ー\uff9e\uff9f]/u
const stretchPattern = new RegExp(`(?:${unspacedPattern.source}\\p{M}*)+|(?:(?!${unspacedPattern.source}).)+`, 'gsu')
const characterPattern = /[^\p{M}\uff9e\uff9f][\p{M}\uff9e\uff9f]*/gu

function hasUnspaced(raw: string): boolean {
  for (let i = 0; i < raw.length; i++) if (raw.charCodeAt(i) >= 0x0e00) return unspacedPattern.test(raw)
  return false
}

type Start = Pick<Token, 'start' | 'position'>

function* analyseUnspaced(raw: string, at: Start, visit: (token: Token) => void): Generator<void, number> {
  let { position } = at
  for (const { 0: stretch, index } of raw.matchAll(stretchPattern)) {
    const start = at.start + index
    if (!unspacedPattern.test(stretch)) {
      const { folded, term } = analyseWord(stretch)
      if (folded === '') continue
      visit({ term, position, start, end: start + stretch.length, kind: 'word' })
      position++
      continue
    }
    const visitStretch = dictionaryPattern.test(stretch) ? visitSegments : visitCharacters
    position = yield* visitStretch(stretch, { start, position }, visit)
  }
  return position
}

/** Scripts whose words a dictionary tells: their characters, or two of them, say little. */
const dictionaryPattern = /^[\p{sc=Thai}\p{sc=Lao}\p{sc=Myanmar}\p{sc=Khmer}]/u
const segmenter = new Intl.Segmenter('th', { granularity: 'word' })

function* visitSegments(stretch: string, at: Start, visit: (token: Token) => void): Generator<void, number> {
  let { position } = at
  for (const { segment, index, isWordLike } of segmenter.segment(stretch)) {
    if (position % wordsPerStep === 0) yield
    const term = isWordLike ? fold(segment) : ''
    if (term === '') continue
    const start = at.start + index
    visit({ term, position, start, end: start + segment.length, kind: 'word' })
    position++
  }
  return position
}

function* visitCharacters(stretch: string, at: Start, visit: (token: Token) => void): Generator<void, number> {
  let { position } = at
  let before: { folded: string; start: number } | null = null
  for (const { 0: character, index } of stretch.matchAll(characterPattern)) {
    if (position % wordsPerStep === 0) yield
    const start = at.start + index
    const end = start + character.length
    const folded = fold(character)
    if (before)
      visit({ term: before.folded + folded, position: position - 1, start: before.start, end, kind: 'bigram' })
    visit({ term: folded, position, start, end, kind: 'unigram' })
    before = { folded, start }
    position++
  }
  return position
}
