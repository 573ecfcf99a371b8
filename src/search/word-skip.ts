import { defaultLanguage } from '../text/words/languages.ts'
import { keepsScript } from '../text/words/terms.ts'
import { cachedTermsOf } from '../text/words/word-cache.ts'
import type { Query } from './parse-query.ts'
import type { WordFinder } from './query-words.ts'
import { fold } from '../text/words/fold.ts'
import { filterBeginnings, letters } from './word-filter.ts'

/** Moves over words of a text that no word of a query can be, from the end of a word or the beginning of the text; returns where it stops. */
export type SkipWords = (text: string, from: number) => number

/** What a UTF-16 unit is to words; 0: not looked at yet. */
const [other, separator, lower, upper, digit, joiner, foreign] = [1, 2, 3, 4, 5, 6, 7]
const kinds = new Uint8Array(0x10000)
const [space, ampersand, point] = [0x20, 0x26, 0x2e]
const ofWords = /[\p{L}\p{N}\p{M}\p{Cf}\p{Cs}]/u
/** What may belong to a word, as in `don't`, `C++`, `C#` and `AT&T`, or join two: left to the analysis. */
const ofNames = "'+#&’ʼ\u2010\u2011"

/** Finds out what a unit is, for once. */
function kindOf(unit: number): number {
  const text = String.fromCharCode(unit)
  kinds[unit] = kindOfLetter(text) ?? (ofWords.test(text) || ofNames.includes(text) ? other : separator)
  return kinds[unit]
}

function kindOfLetter(text: string): number | null {
  if (/[a-z]/.test(text)) return lower
  if (/[A-Z]/.test(text)) return upper
  if (/[0-9]/.test(text)) return digit
  if (/[-_./]/.test(text)) return joiner
  // A letter of another script, which is none in ASCII without its accents either.
  return /[\p{L}\p{M}]/u.test(text) && !/[\0-\x7f]/.test(fold(text)) && fold(text) !== '' ? foreign : null
}

interface Wanted {
  /** By their first two letters, 1 for words that may be of the query: 26 times the first letter, plus the second. */
  beginnings: Uint8Array
  /** By their first letter. */
  firsts: Uint8Array
  /** Whether a term of the query begins with a digit. */
  digits: boolean
  /** Whether words in other letters than those of ASCII may be of the query. */
  foreign: boolean
  /** True for a word of letters that is none of the query. */
  isNone(word: string): boolean
}

/**
 * Moves over the most frequent words of a text that are none of the query: those in ASCII of letters in the usual case, or of digits.
 * Nearly all are told by their first two letters and take a tenth of the time of a word that is scanned and tested. Null where every
 * word must be looked up, as for `createWordFilter`.
 */
export function createWordSkip(
  query: Pick<Query, 'concepts' | 'languages' | 'phrases'>,
  find: WordFinder,
): SkipWords | null {
  const beginnings = filterBeginnings(query)
  if (beginnings === null) return null
  const firsts = Uint8Array.from({ length: letters }, (_, first) =>
    beginnings.subarray(first * letters, (first + 1) * letters).includes(1) ? 1 : 0,
  )
  const terms = query.concepts.flatMap((concept) => concept.terms)
  const wanted = {
    beginnings,
    firsts,
    digits: terms.some((term) => /^\d/.test(term)),
    foreign: !query.languages.every(keepsScript) || terms.some((term) => !/^[\0-\x7f]*$/.test(term)),
    isNone: createNoneTest(find),
  }
  return (text, from) => skipWords(text, from, wanted)
}

/** The same for words of a text that are to be as they stand there, folded. */
export function createSpellingSkip(words: readonly string[]): SkipWords | null {
  const wanted = new Set(words)
  const concepts = [{ ...unnamed, terms: [...words] }]
  return createWordSkip({ concepts, languages: [], phrases: [] }, ({ word }) => (wanted.has(word) ? 0 : undefined))
}

const unnamed = { hashes: [], word: '', position: 0, phraseOnly: false, count: 1 }

/** Remembers what it has looked up. */
function createNoneTest(find: WordFinder): (word: string) => boolean {
  const none = new Set<string>()
  return (raw) => {
    if (none.has(raw)) return true
    const word = raw.toLowerCase()
    if (cachedTermsOf(word, defaultLanguage).some((term) => find({ word, term }) !== undefined)) return false
    none.add(raw)
    return true
  }
}

function skipWords(text: string, from: number, wanted: Wanted): number {
  const { length } = text
  let at = from
  if (from > 0) {
    while (text.charCodeAt(at) === point) at++
    if (kindAt(text, at) !== separator) return from
  }
  let done = from
  while (at < length) {
    while (kindAt(text, at) === separator) at++
    at = endOfWords(text, at, wanted)
    if (at < 0) return done
    done = at
  }
  return done
}

/** The end of a word and those that are joined to it, which begins here; -1 when one may be of the query, or is no ordinary one. */
function endOfWords(text: string, start: number, wanted: Wanted): number {
  let at = start
  for (;;) {
    const end = endOfWord(text, at, wanted)
    if (end < 0) return -1
    const next = kindAt(text, end)
    if (!isUnwanted(text, at, wanted)) {
      // A word that is joined to others may be of the query with them, and so may digits: "1,000".
      const isAlone = at === start && next !== joiner && kindAt(text, at) !== digit
      if (!isAlone || end - at > maxKnownLength || !wanted.isNone(text.slice(at, end))) return -1
    }
    at = end
    if (next === joiner) {
      while (kindAt(text, at) === joiner) at++
      const kind = kindAt(text, at)
      if (kind === lower || kind === upper || kind === digit) continue
    }
    if (at === text.length) return at
    if (kindAt(text, at) !== separator) return -1
    // In "R & D" the words are joined.
    return text.charCodeAt(at) === space && text.charCodeAt(at + 1) === ampersand ? -1 : at
  }
}

const maxKnownLength = 32

/** The end of digits, of letters of which the first or all may be capitals, or of letters of other scripts; -1 for what is none of these. */
function endOfWord(text: string, start: number, wanted: Wanted): number {
  const first = kindAt(text, start)
  if (first === separator || first === joiner || first === other) return -1
  let end = start + 1
  const second = kindAt(text, end)
  const rest = first === upper && second === lower ? lower : first
  while (kindAt(text, end) === rest) end++
  const next = kindAt(text, end)
  if (first === foreign) return !wanted.foreign && (next === separator || end === text.length) ? end : -1
  return next === lower || next === upper || next === digit ? -1 : end
}

/** True for a word that begins otherwise than all of the query. */
function isUnwanted(text: string, at: number, { beginnings, firsts, digits }: Wanted): boolean {
  const kind = kindAt(text, at)
  if (kind === foreign) return true
  if (kind === digit) return !digits
  const first = letterAt(text, at)
  const second = kindAt(text, at + 1)
  return second === lower || second === upper
    ? beginnings[first * letters + letterAt(text, at + 1)] !== 1
    : firsts[first] !== 1
}

function letterAt(text: string, at: number): number {
  return (text.charCodeAt(at) | 0x20) - 0x61
}

/** At the end of the text `other`. */
function kindAt(text: string, at: number): number {
  if (at >= text.length) return other
  const unit = text.charCodeAt(at)
  return kinds[unit] || kindOf(unit)
}
