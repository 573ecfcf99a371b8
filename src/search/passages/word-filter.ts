import { joiners } from '../../text/words/join-parts.ts'
import type { WordScan } from '../../text/words/scan-words.ts'
import { beginningOf, changedBeginningsOf } from '../../text/words/terms.ts'
import type { Query } from '../query/parse-query.ts'

/** Returns true for a word of a text that cannot match a query. Only examines its letters. */
export type SkipsWord = (text: string, scan: Readonly<Pick<WordScan, 'start' | 'end'>>) => boolean

/** The number of ASCII letters. */
export const letters = 26
/**
 * Second letters of English terms, mapped to the different second letters that their words may have: "lying" (term "lie"), "tyre" ("tire"),
 * "sceptic" ("skeptic").
 */
const changedSecondLetters = new Map([
  ['i', 'y'],
  ['k', 'c'],
])

/**
 * Creates a test for words that cannot match a query, which are nearly all words of a text: ordinary ASCII words whose first two letters
 * differ from those of the query, and from the prefixes and mutations that stemming removes in the languages of the query. Returns null for
 * phrases, which need the position of every word.
 */
export function createWordFilter(query: Pick<Query, 'concepts' | 'languages' | 'phrases'>): SkipsWord | null {
  const wanted = filterBeginnings(query)
  if (wanted === null) return null
  const cannotMatch = (text: string, start: number, end: number) => {
    const [first, second] = [letterAt(text, start), letterAt(text, start + 1)]
    if (first < 0 || second < 0 || end - start < 2 || wanted[first * letters + second] === 1) return false
    return isLowerCase(text, start + 1, end)
  }
  return (text, { start, end }) => cannotMatch(text, start, end) && joinedCannotMatch(text, { start, end }, cannotMatch)
}

/**
 * Returns a lookup table by the first two letters of a word (26 times the first, plus the second): 1 if the word may be in the query. Null
 * like `createWordFilter`.
 */
export function filterBeginnings({
  concepts,
  languages,
  phrases,
}: Pick<Query, 'concepts' | 'languages' | 'phrases'>): Uint8Array | null {
  if (phrases.length > 0) return null
  const terms = concepts.filter(({ exact }) => !exact).flatMap((concept) => concept.terms)
  return wantedBeginnings([...terms.map(beginningOf), ...changedBeginningsOf(languages)])
}

/** Returns the lookup table for words that may have a term with one of the beginnings. */
function wantedBeginnings(beginnings: readonly string[]): Uint8Array {
  const wanted = new Uint8Array(letters * letters)
  const add = (first: number, second: number) => {
    if (second >= 0) wanted[first * letters + second] = 1
  }
  for (const beginning of beginnings) {
    const first = letterAt(beginning, 0)
    if (first < 0) continue
    if (beginning.length === 1) wanted.fill(1, first * letters, (first + 1) * letters)
    else add(first, letterAt(beginning, 1))
    add(first, letterAt(changedSecondLetters.get(beginning.charAt(1)) ?? '', 0))
  }
  return wanted
}

/** Returns the number of a Latin letter, from 0; -1 for any other character. */
function letterAt(text: string, at: number): number {
  const letter = (text.charCodeAt(at) | 0x20) - 0x61
  return letter >= 0 && letter < letters ? letter : -1
}

function isLowerCase(text: string, from: number, end: number): boolean {
  for (let at = from; at < end; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x61 || unit > 0x7a) return false
  }
  return true
}

const joiningUnits = new Set([...joiners, '/'].map((mark) => mark.charCodeAt(0)))
const [space, ampersand, point] = [0x20, 0x26, 0x2e]
/** A word that is longer than this, including the words joined to it, is looked up. */
const maxJoinedLength = 64

/** True if the words that may be joined to a word, such as "system" in "file-system", cannot match either. */
function joinedCannotMatch(
  text: string,
  { start, end }: Pick<WordScan, 'start' | 'end'>,
  cannotMatch: (text: string, start: number, end: number) => boolean,
): boolean {
  const from = boundaryOf(text, start - 1, -1) + 1
  const to = boundaryOf(text, end, 1)
  if (to - from > maxJoinedLength || !isBoundary(text, from - 1, -1) || !isBoundary(text, to, 1)) return false
  // ".net" is a different word from "net".
  if (text.charCodeAt(from) === point) return false
  for (let at = from; at < to; at++) {
    if (joiningUnits.has(text.charCodeAt(at))) continue
    const first = at
    while (at < to && letterAt(text, at) >= 0) at++
    if (first !== start && !cannotMatch(text, first, at)) return false
  }
  return true
}

/** Returns the first offset, in one direction, at which there is neither a letter nor a joiner. */
function boundaryOf(text: string, from: number, step: 1 | -1): number {
  let at = from
  for (let seen = 0; seen <= maxJoinedLength; seen++, at += step)
    if (letterAt(text, at) < 0 && !joiningUnits.has(text.charCodeAt(at))) break
  return at
}

/** True at the end of a text and at characters that end a word, but not at the spaces of "R & D". */
function isBoundary(text: string, at: number, step: 1 | -1): boolean {
  const unit = text.charCodeAt(at)
  if (unit === space) return text.charCodeAt(at + step) !== ampersand
  return Number.isNaN(unit) || (unit < 0x80 && !(unit >= 0x30 && unit <= 0x39))
}
