import { joiners } from '../../text/words/join-parts.ts'
import { defaultLanguage } from '../../text/words/languages.ts'
import { beginningOf, hasNoAsciiTerms } from '../../text/words/terms.ts'
import { endOfText, type TextUnits } from '../../text/words/scan-words.ts'
import { cachedTermsOf } from '../../text/words/word-cache.ts'
import type { Query } from '../query/parse-query.ts'
import type { WordFinder } from '../query/query-words.ts'
import { fold } from '../../text/words/fold.ts'
import { filterBeginnings, letters } from './word-filter.ts'

/**
 * Skips words of a text that cannot match a query. Starts at the end of a word or at the beginning of the text, and returns the offset
 * where it stops, at most some thousand units further, so that a long text does not block the event loop.
 */
export type SkipWords = (source: Readonly<TextUnits>, from: number) => number

/** The classes of UTF-16 units; 0: not classified yet. */
const [other, separator, lower, upper, digit, joiner, foreign] = [1, 2, 3, 4, 5, 6, 7]
const kinds = new Uint8Array(0x10000)
kinds[endOfText] = other
/** The number of the letter, from 0, for each unit that is a Latin letter with or without accents. */
const latin = new Uint8Array(0x10000)
const [space, ampersand, plus, sharp] = [0x20, 0x26, 0x2b, 0x23]
const wordCharacter = /[\p{L}\p{N}\p{M}\p{Cf}\p{Cs}]/u
/** Characters that may join two words or belong to one, as in `don't`. */
const frequentJoiners = "-_./'’"

/** Classifies a unit and caches the result. */
function kindOf(unit: number): number {
  const text = String.fromCharCode(unit)
  // Words with rare joiners are left to the analysis.
  kinds[unit] = kindOfLetter(text) ?? (wordCharacter.test(text) || joiners.has(text) ? other : separator)
  return kinds[unit]
}

function kindOfLetter(text: string): number | null {
  if (/[0-9]/.test(text)) return digit
  if (frequentJoiners.includes(text)) return joiner
  const folded = fold(text)
  if (/^[a-z]$/.test(folded)) {
    latin[text.charCodeAt(0)] = folded.charCodeAt(0) - 0x61
    return caseOf(text)
  }
  // A letter of another script that remains non-ASCII without its accents.
  return /[\p{L}\p{M}]/u.test(text) && !/[\0-\x7f]/.test(folded) && folded !== '' ? foreign : null
}

/** Returns the class of a Latin letter; null if lower case or width folding makes it another letter. */
function caseOf(text: string): number | null {
  const small = text.toLowerCase()
  if (small.length !== 1 || small.normalize('NFKC') !== small || text.normalize('NFKC') !== text) return null
  if (/\p{Ll}/u.test(text)) return lower
  return /\p{Lu}/u.test(text) ? upper : null
}

interface Wanted {
  /** Indexed by the first two letters of a word (26 times the first, plus the second): 1 if the query may contain the word. */
  beginnings: Uint8Array
  /** Indexed by the first letter of a word: 1 if a term of the query begins with this letter. */
  firstLetters: Uint8Array
  /** True if a term of the query begins with a digit. */
  digits: boolean
  /** True if the query may contain words in letters other than Latin ones. */
  foreign: boolean
  /** True for a word of letters that is not in the query. */
  isNotInQuery(word: string): boolean
}

/**
 * Creates a function that skips the words of a text that are not in the query. It skips words of Latin letters and digits, and words of
 * other scripts if the query has none of these. It stops at rare kinds of words. For nearly all words it only checks the first two letters,
 * which takes a tenth of the time of scanning and testing a word. Returns null if every word must be looked up, like `createWordFilter`,
 * and for queries with words such as `.net`.
 */
export function createWordSkip(
  query: Pick<Query, 'concepts' | 'languages' | 'phrases'>,
  find: WordFinder,
): SkipWords | null {
  const beginnings = filterBeginnings(query)
  const terms = query.concepts.flatMap((concept) => concept.terms)
  if (beginnings === null || terms.some((term) => term.startsWith('.'))) return null
  const termBeginnings = terms.map(beginningOf)
  const initials = new Set(termBeginnings.map((beginning) => beginning.charCodeAt(0) - 0x61))
  const wanted = {
    beginnings,
    firstLetters: Uint8Array.from({ length: letters }, (_, first) => (initials.has(first) ? 1 : 0)),
    digits: termBeginnings.some((beginning) => /^\d/.test(beginning)),
    foreign: !query.languages.every(hasNoAsciiTerms) || terms.some((term) => !/^[\0-\x7f]*$/.test(term)),
    isNotInQuery: createNotInQueryTest(find),
  }
  return (source, from) => skipWords(source, from, wanted)
}

/** Like `createWordSkip`, for words that must match the folded words of a text exactly. */
export function createSpellingSkip(words: readonly string[]): SkipWords | null {
  const wanted = new Set(words)
  const concepts = [{ ...emptyConcept, terms: [...words] }]
  return createWordSkip({ concepts, languages: [], phrases: [] }, ({ word }) =>
    wanted.has(fold(word)) ? 0 : undefined,
  )
}

const emptyConcept = { hashes: [], word: '', position: 0, phraseOnly: false, count: 1 }

/** Creates a test for words that are not in the query. It caches these words. */
function createNotInQueryTest(find: WordFinder): (word: string) => boolean {
  const none = new Set<string>()
  return (raw) => {
    if (none.has(raw)) return true
    const word = raw.toLowerCase()
    if (cachedTermsOf(word, defaultLanguage).some((term) => find({ word, term }) !== undefined)) return false
    none.add(raw)
    return true
  }
}

/** The length of the text that one call skips, UTF-16 units. Words that begin like those of a query take a microsecond each. */
const maxSkipped = 4096

function skipWords(source: TextUnits, from: number, wanted: Wanted): number {
  const { units } = source
  const end = Math.min(source.text.length, from + maxSkipped)
  let at = from
  if (from > 0) {
    at = endOfJoiners(units, from)
    // A single mark may join the previous word to the next one.
    if (at < from + 2 && kindAt(units, at) !== separator) return from
  }
  let done = from
  while (at < end) {
    let kind = kindAt(units, at)
    while (kind === separator || kind === joiner) kind = kindAt(units, ++at)
    at = endOfWords(source, at, wanted)
    if (at < 0) return done
    done = at
  }
  return done
}

function endOfJoiners(units: Uint16Array, from: number): number {
  let at = from
  while (kindAt(units, at) === joiner) at++
  return at
}

/**
 * Returns the end of the word that begins at `start` and of the words joined to it; -1 if one of them may be in the query or is not an
 * ordinary word.
 */
function endOfWords({ text, units }: TextUnits, start: number, wanted: Wanted): number {
  let at = start
  for (;;) {
    const end = endOfWord(units, at, wanted)
    if (end < 0) return -1
    const next = endOfJoiners(units, end)
    const kind = kindAt(units, next)
    const isJoined = next > end && isWordKind(kind)
    if (!cannotMatch(units, at, wanted)) {
      // A word that is joined to others may be in the query together with them, and so may digits: "1,000".
      const isSingleWord = at === start && !isJoined && kindAt(units, at) !== digit
      if (!isSingleWord || end - at > maxKnownLength || !wanted.isNotInQuery(text.slice(at, end))) return -1
    }
    at = next
    if (isJoined) continue
    if (at === text.length) return at
    if (kind !== separator) return -1
    // The words of "R & D" are joined.
    return units[at] === space && units[at + 1] === ampersand ? -1 : at
  }
}

const maxKnownLength = 32

function isWordKind(kind: number): boolean {
  return kind === lower || kind === upper || kind === digit
}

/**
 * Returns the end of a word of letters and digits without a change of case as in `getUserById`, or of letters of other scripts; -1 for
 * anything else and for `C++`.
 */
function endOfWord(units: Uint16Array, start: number, wanted: Wanted): number {
  const first = kindAt(units, start)
  let end = start + 1
  if (first === foreign) {
    if (wanted.foreign) return -1
    while (kindAt(units, end) === foreign) end++
    return end
  }
  if (!isWordKind(first)) return -1
  let kind = kindAt(units, end)
  // The fast path for nearly all words.
  if (first !== digit) while (kind === lower) kind = kindAt(units, ++end)
  if (isWordKind(kind)) return endOfMixed(units, start)
  return end === start + 1 && (units[end] === plus || units[end] === sharp) ? -1 : end
}

/** Returns the end of a word of letters in either case and digits; -1 if the case changes inside. */
function endOfMixed(units: Uint16Array, start: number): number {
  let [before, last] = [0, 0]
  let at = start
  for (let kind = kindAt(units, at); isWordKind(kind); kind = kindAt(units, ++at)) {
    if (kind === upper ? last === lower : kind === lower && last === upper && before === upper) return -1
    before = last
    last = kind
  }
  return at
}

/** True for a word that begins differently from all words of the query. */
function cannotMatch(units: Uint16Array, at: number, { beginnings, firstLetters, digits }: Wanted): boolean {
  const kind = kindAt(units, at)
  if (kind === foreign) return true
  if (kind === digit) return !digits
  const first = latin[units[at] as number] as number
  const second = kindAt(units, at + 1)
  return second === lower || second === upper
    ? beginnings[first * letters + (latin[units[at + 1] as number] as number)] !== 1
    : firstLetters[first] !== 1
}

function kindAt(units: Uint16Array, at: number): number {
  const unit = units[at] as number
  return kinds[unit] || kindOf(unit)
}
