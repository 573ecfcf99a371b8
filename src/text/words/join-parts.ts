import { fold } from './fold.ts'
import type { Language } from './languages.ts'
import { cachedTermsOf } from './word-cache.ts'
import type { Token, Visit } from './token.ts'

/** A word that may be a part of a longer one. */
export interface Part {
  /** The word in lower case. */
  word: string
  position: number
  start: number
  end: number
  /** True if a full stop precedes it, as in `.NET`. */
  dotted: boolean
}

/**
 * Signs between two words that also join them to one: apostrophes, hyphens, the dash of "1914–1918", the point of Catalan "col·lecció", the
 * non-joiner of Persian "می‌روند" and the gershayim of Hebrew "צה״ל".
 */
export const joiners: ReadonlySet<string> = new Set("'’ʼ-\u2010\u2011\u2013_.&·\u200c\u05f4\u066b")
const groupMarks = new Set([',', '\u066c', '.', "'", '’', ' ', '\u00a0', '\u2009', '\u202f'])
/** The signs between the parts of a range or a date, which mean something alone. */
const rangeMarks = /[-\u2010\u2011\u2013]/
const points = /^[.,\u066b]$/
const digits = /^\d+$/
const maxParts = 6

/** True if a word is joined to the next one: `e-mail`, `O'Reilly`, `node.js`, `R & D`, `1,000`, `1 000`, `I/O`. */
export function isJoined(
  text: string,
  last: Pick<Part, 'word' | 'start' | 'end'>,
  next: { start: number; raw: string; word: string },
): boolean {
  const gap = next.start - last.end
  if (gap < 1 || gap > 3) return false
  if (gap > 1) return gap === 3 && text.startsWith(' & ', last.end)
  if (text.charCodeAt(last.end) === 0x20 && !isDigit(next.raw)) return false
  const between = text.slice(last.end, next.start)
  if (joiners.has(between)) return true
  if (between === '/') return last.end - last.start === 1 && next.raw.length === 1
  if (!groupMarks.has(between) || !digits.test(last.word) || !digits.test(next.word)) return false
  return between === ',' || between === '\u066c' || (last.word.length <= 3 && next.raw.length === 3)
}

function isDigit(raw: string): boolean {
  const unit = raw.charCodeAt(0)
  return unit >= 0x30 && unit <= 0x39
}

interface JoinOptions {
  visit: Visit
  language: Language
}

/** Visits several joined parts as one word. */
export function joinParts(text: string, parts: readonly Part[], { visit, language }: JoinOptions): void {
  const [first, last] = [parts[0] as Part, parts.at(-1) as Part]
  if (parts.length > maxParts) return
  const place = { position: first.position, start: first.start, end: last.end }
  if (first.dotted) {
    const word = `.${first.word}`
    visit({ term: word, word, ...place, start: first.start - 1, end: first.end, kind: 'whole' })
  }
  if (parts.length === 1) return
  const word = joinWords(text, parts)
  const kind = kindOf(text, parts, word)
  // A name is indexed as it is, and also as an ordinary word, in case it is written as one.
  const terms =
    kind === 'name' ? new Set([fold(word), ...cachedTermsOf(word, language)]) : cachedTermsOf(word, language)
  for (const term of terms) visit({ term, word, ...place, kind })
}

/** Joins the parts without separators, but keeps the points of numbers that are not in groups: `1000`, `3.11`. */
function joinWords(text: string, parts: readonly Part[]): string {
  if (!parts.some(({ word }) => /\d/.test(word))) return parts.map(({ word }) => word).join('')
  let word = (parts[0] as Part).word.replace(/^v(?=\d)/, '')
  const isGrouped = /^\d{1,3}$/.test(word)
  for (const [at, part] of parts.entries()) {
    if (at === 0) continue
    const before = parts[at - 1] as Part
    const between = text.slice(before.end, part.start)
    const isPoint = points.test(between) && /\d$/.test(before.word) && /^\d/.test(part.word)
    word += isPoint && !(isGrouped && /^\d{3}$/.test(part.word)) ? `.${part.word}` : part.word
  }
  return word
}

function kindOf(text: string, parts: readonly Part[], joined: string): Token['kind'] {
  if (joined.includes('.')) return 'whole'
  const isRange = parts.some(({ start }, at) => at > 0 && rangeMarks.test(text[start - 1] as string))
  return (digits.test(joined) && !isRange) || isAbbreviation(text, parts) ? 'name' : 'compound'
}

/** True for `U.S.A.`, `Ph.D.`, `AT&T`, `I/O`: parts of one or two letters, separated by points or similar signs. */
function isAbbreviation(text: string, parts: readonly Part[]): boolean {
  return parts.every(({ word, start }, at) => {
    if (word.length > 2) return false
    const before = at === 0 ? '.' : text.slice((parts[at - 1] as Part).end, start).trim()
    return /^[.&/]$/.test(before) && !/\d/.test(word)
  })
}
