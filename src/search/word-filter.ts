import { defaultLanguage } from '../text/words/languages.ts'
import type { WordScan } from '../text/words/scan-words.ts'
import { keptLetters } from '../text/words/terms.ts'
import type { Query } from './parse-query.ts'

/** True for a word of a text that cannot match a query, judged by its letters alone. */
export type PassesOver = (text: string, scan: Readonly<Pick<WordScan, 'start' | 'end'>>) => boolean

/** The letters of ASCII. */
export const letters = 26
/** Second letters of English words that are others in their terms: "lying" and "tyre", "sceptic". */
const changedSeconds = new Map([
  ['i', 'y'],
  ['k', 'c'],
])

/**
 * A test for the words that are passed over when those of a query are looked for, nearly all of a text: ordinary words in ASCII that
 * begin with other letters. Null where each must be looked up: for phrases, which need the number of every word, and in languages
 * whose terms begin otherwise than their words.
 */
export function createWordFilter(query: Pick<Query, 'concepts' | 'languages' | 'phrases'>): PassesOver | null {
  const wanted = filterBeginnings(query)
  if (wanted === null) return null
  const isUnwanted = (text: string, start: number, end: number) => {
    const [first, second] = [letterAt(text, start), letterAt(text, start + 1)]
    if (first < 0 || second < 0 || end - start < 2 || wanted[first * letters + second] === 1) return false
    return isLowerCase(text, start + 1, end)
  }
  return (text, { start, end }) => isUnwanted(text, start, end) && areUnwanted(text, { start, end }, isUnwanted)
}

/** By their first two letters, 1 for words that may be of the query (26 times the first letter, plus the second); null as for the filter. */
export function filterBeginnings({
  concepts,
  languages,
  phrases,
}: Pick<Query, 'concepts' | 'languages' | 'phrases'>): Uint8Array | null {
  const all = [defaultLanguage, ...languages]
  if (phrases.length > 0 || all.some((language) => keptLetters(language) === 0)) return null
  return wantedBeginnings(concepts.filter(({ exact }) => !exact).flatMap(({ terms }) => terms))
}

/** By their first two letters, the words that can have one of the terms. */
function wantedBeginnings(terms: readonly string[]): Uint8Array {
  const wanted = new Uint8Array(letters * letters)
  const add = (first: number, second: number) => {
    if (second >= 0) wanted[first * letters + second] = 1
  }
  for (const term of terms) {
    const first = letterAt(term, 0)
    if (first < 0) continue
    if (term.length === 1) wanted.fill(1, first * letters, (first + 1) * letters)
    else add(first, letterAt(term, 1))
    add(first, letterAt(changedSeconds.get(term.charAt(1)) ?? '', 0))
  }
  return wanted
}

/** From 0; -1 for anything but a Latin letter. */
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

/** What may join a word of letters to another, see `join-parts.ts`. */
const joiners = new Set(["'", '’', 'ʼ', '-', '\u2010', '\u2011', '_', '.', '&', '/'].map((mark) => mark.charCodeAt(0)))
const [space, ampersand, point] = [0x20, 0x26, 0x2e]
/** Longer words, with those that they are joined to, are looked up. */
const maxJoinedLength = 64

/** True when the words that a word may be joined to, such as "system" in "file-system", are unwanted too. */
function areUnwanted(
  text: string,
  { start, end }: Pick<WordScan, 'start' | 'end'>,
  isUnwanted: (text: string, start: number, end: number) => boolean,
): boolean {
  const from = edgeOf(text, start - 1, -1) + 1
  const to = edgeOf(text, end, 1)
  if (to - from > maxJoinedLength || !isEdge(text, from - 1, -1) || !isEdge(text, to, 1)) return false
  // ".net" is another word than "net".
  if (text.charCodeAt(from) === point) return false
  for (let at = from; at < to; at++) {
    if (joiners.has(text.charCodeAt(at))) continue
    const first = at
    while (at < to && letterAt(text, at) >= 0) at++
    if (first !== start && !isUnwanted(text, first, at)) return false
  }
  return true
}

/** The place from which on there are neither letters nor joiners, in one direction. */
function edgeOf(text: string, from: number, step: 1 | -1): number {
  let at = from
  for (let seen = 0; seen <= maxJoinedLength; seen++, at += step)
    if (letterAt(text, at) < 0 && !joiners.has(text.charCodeAt(at))) break
  return at
}

/** True for the end of a text and for marks that end a word, also in "R & D" none. */
function isEdge(text: string, at: number, step: 1 | -1): boolean {
  const unit = text.charCodeAt(at)
  if (unit === space) return text.charCodeAt(at + step) !== ampersand
  return Number.isNaN(unit) || (unit < 0x80 && !(unit >= 0x30 && unit <= 0x39))
}
