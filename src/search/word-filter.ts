import { defaultLanguage } from '../text/words/languages.ts'
import type { WordScan } from '../text/words/scan-words.ts'
import { keptLetters } from '../text/words/terms.ts'
import type { Query } from './parse-query.ts'

/** True for a word of a text that no word of a query can be, judged by its letters alone. */
export type PassesOver = (text: string, scan: Readonly<Pick<WordScan, 'start' | 'end'>>) => boolean

const letters = 26
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
export function createWordFilter({
  concepts,
  languages,
  phrases,
}: Pick<Query, 'concepts' | 'languages' | 'phrases'>): PassesOver | null {
  const all = [defaultLanguage, ...languages]
  if (phrases.length > 0 || all.some((language) => keptLetters(language) === 0)) return null
  const wanted = wantedBeginnings(concepts.filter(({ exact }) => !exact).flatMap(({ terms }) => terms))
  return (text, { start, end }) => {
    const first = letterAt(text, start)
    if (first < 0 || end - start < 2) return false
    const second = letterAt(text, start + 1)
    if (second < 0 || wanted[first * letters + second] === 1) return false
    return isLowerCase(text, start + 1, end) && !isJoined(text, start, end)
  }
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

/** From 0; -1 for what is no Latin letter. */
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
const [space, ampersand] = [0x20, 0x26]

/** True when a word may be a part of a longer one; false for the last word of a sentence. */
function isJoined(text: string, start: number, end: number): boolean {
  const before = text.charCodeAt(start - 1)
  if (before === space ? text.charCodeAt(start - 2) === ampersand : joiners.has(before)) return true
  const behind = text.charCodeAt(end)
  if (behind === space) return text.charCodeAt(end + 1) === ampersand
  return joiners.has(behind) && !isGap(text.charCodeAt(end + 1))
}

/** True for white space and at the end of a text. */
function isGap(unit: number): boolean {
  return unit === space || unit === 0x0a || Number.isNaN(unit)
}
