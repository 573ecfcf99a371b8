import { fold } from './fold.ts'
import { ownCopy } from './own-copy.ts'
import { foldDigits } from './same-characters.ts'
import type { Language } from './languages.ts'
import type { TextUnits, WordScan } from './scan-words.ts'
import { termsOf } from './terms.ts'
import { hasUnspaced } from './scripts.ts'
import type { WordEntry } from './plain-word.ts'

/** A word of a text, analysed without its context. */
export interface AnalysedWord {
  /** The word in lower case, in NFC; empty if it is not a word. */
  word: string
  terms: readonly string[]
  /** The words of a name such as `getUserById`, with their ranges in it; empty for other words. */
  parts: readonly { word: string; term: string; start: number; end: number }[]
}

/** A word as written, with its analysis. */
export interface CachedWord extends AnalysedWord {
  raw: string
  /** The length of `raw` in UTF-16 units. */
  length: number
  language: Language
  /** True if it has characters of a script without spaces. */
  unspaced: boolean
  /** True for a word with a single term and no parts. */
  isPlain: boolean
  entry: WordEntry | null
}

/** A cache in which each slot holds the last word with its hash. Most words of a text repeat, and rare ones may be analysed again. */
const slots: (CachedWord | undefined)[] = Array.from({ length: 1 << 16 })
const maxCachedLength = 32
/** The hash and the UTF-16 units of the word in each slot, which are compared without reading the word. */
const slotHashes = new Int32Array(slots.length)
const slotUnits = new Uint16Array(slots.length * maxCachedLength)

/** Analyses the word at a place in a text. Copies no part of the text for cached words. */
export function analyseWordAt(
  { text, units }: TextUnits,
  { start, end, hash }: WordScan,
  language: Language,
): CachedWord {
  const slot = (hash ^ (hash >>> 16)) & (slots.length - 1)
  const length = end - start
  if (slotHashes[slot] === hash) {
    const known = slots[slot]
    if (known && known.length === length && known.language === language && isIn(slot, units, { start, length }))
      return known
  }
  const written = text.slice(start, end)
  const unspaced = hasUnspaced(written)
  const raw = unspaced && length > maxCachedLength ? written : ownCopy(written)
  const { word, terms, parts } = unspaced ? noWord : analyseWord(raw, language)
  const isPlain = terms.length === 1 && parts.length === 0
  const analysed = { length, raw, language, unspaced, word, terms, parts, isPlain, entry: null }
  if (length <= maxCachedLength) {
    slots[slot] = analysed
    slotHashes[slot] = hash
    for (let at = 0; at < length; at++) slotUnits[slot * maxCachedLength + at] = units[start + at] as number
  }
  return analysed
}

function isIn(slot: number, units: Uint16Array, { start, length }: { start: number; length: number }): boolean {
  const first = slot * maxCachedLength
  for (let at = 0; at < length; at++) if (slotUnits[first + at] !== units[start + at]) return false
  return true
}

/** A cache of terms with two generations: words looked up recently, and words from before that. */
interface TermCache {
  recent: Map<string, readonly string[]>
  earlier: Map<string, readonly string[]>
}

const termCaches = new Map<Language, TermCache>()
/** The maximum number of words in each generation. A word that is looked up again moves to the recent one. */
const maxRecentTerms = 25_000

/** Returns the terms of a word like `termsOf`, through a cache. */
export function cachedTermsOf(word: string, language: Language): readonly string[] {
  let cache = termCaches.get(language)
  if (!cache) termCaches.set(language, (cache = { recent: new Map(), earlier: new Map() }))
  const known = cache.recent.get(word)
  if (known) return known
  const terms = cache.earlier.get(word) ?? termsOf(word, language)
  if (cache.recent.size >= maxRecentTerms) {
    cache.earlier = cache.recent
    cache.recent = new Map()
  }
  if (word.length <= maxCachedLength) cache.recent.set(ownCopy(word), terms)
  return terms
}

const noParts: AnalysedWord['parts'] = []
/** Stands for a word of a script without spaces, whose characters or words are analysed instead (`unspaced.ts`). */
const noWord: AnalysedWord = { word: '', terms: [], parts: noParts }

/** Analyses a word, without the text around it. */
export function analyseWord(raw: string, language: Language): AnalysedWord {
  if (isSimple(raw)) {
    const word = raw.toLowerCase()
    return { word, terms: cachedTermsOf(word, language), parts: noParts }
  }
  const bare = withoutContraction(raw)
  const word = lowerCase(bare)
  return { word, terms: word === '' ? [] : cachedTermsOf(word, language), parts: splitName(bare, language) }
}

/**
 * True for short words of ASCII letters and digits without a change of case as in `getUserById`, which are nearly all words of Latin
 * letters. The patterns below find nothing in them.
 */
function isSimple(raw: string): boolean {
  if (raw.length === 0 || raw.length > maxCachedLength) return false
  let capitals = 0
  let before = 0
  for (let at = 0; at < raw.length; at++) {
    const unit = raw.charCodeAt(at)
    const isLower = unit >= 0x61 && unit <= 0x7a
    const isCapital = unit >= 0x41 && unit <= 0x5a
    if (isLower && capitals > 1) return false
    if (isCapital && before >= 0x61) return false
    if (!isLower && !isCapital && (unit < 0x30 || unit > 0x39)) return false
    capitals = isCapital ? capitals + 1 : 0
    before = unit
  }
  return true
}

const ascii = /^[\0-\x7f]*$/
const invisible = /\p{Cf}/gu
const maxWordLength = 128

/** Returns a word in lower case, with plain digits, without ligatures, differences of width and invisible characters. */
function lowerCase(word: string): string {
  const lower = word.slice(0, maxWordLength).toLowerCase()
  if (ascii.test(lower)) return lower
  const visible = foldDigits(lower.replaceAll(invisible, '').normalize('NFKC')).toWellFormed()
  return fold(visible) === '' ? '' : visible
}

const contractionPattern = /['’ʼ](s|t|d|m|re|ve|ll)$/i

/** Keeps `don't` as one word; reduces `John's` and `we'll` to the part before the apostrophe. */
function withoutContraction(raw: string): string {
  return raw.replace(contractionPattern, (_, ending: string) => (ending.toLowerCase() === 't' ? ending : ''))
}

// Raised digits and fractions are words of their own after a word or a number: `word²`, `2½`.
const partChange = /\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}|[\p{L}\p{Nd}][⁰¹²³⁴-⁹¼-¾⅐-⅞]/u
const partPattern = /[⁰¹²³⁴-⁹¼-¾⅐-⅞]+|\p{Lu}+(?!\p{Ll})|\p{Lu}?[^\p{Lu}⁰¹²³⁴-⁹¼-¾⅐-⅞]+/gu
const maxParts = 8

/** Splits a name into its words, each of which begins with a capital letter: `HTMLParser`, `getUserById`. Splits off raised digits. */
function splitName(bare: string, language: Language): AnalysedWord['parts'] {
  if (bare.length > 64 || !partChange.test(bare)) return []
  const parts = [...bare.matchAll(partPattern)].map(({ 0: part, index }) => {
    const word = lowerCase(part)
    return { word, term: cachedTermsOf(word, language)[0] as string, start: index, end: index + part.length }
  })
  return parts.length > 1 && parts.length <= maxParts && parts.every(({ word }) => word !== '') ? parts : []
}
