import { unpackCharacterTokens } from './character-tokens.ts'
import {
  firstProbe,
  hashLetter,
  innerSeed,
  lastBit,
  maxLengthInFilter,
  probes,
  probeStep,
  startSeed,
} from './letter-filter.ts'
import { unpackTokenWords } from './token-words.ts'

/** Tokens per UTF-16 code unit in running text, for the ranges that start at each code unit (measured with o200k). */
const tokensFromCodeUnit: readonly (readonly [from: string, tokens: number])[] = [
  ['\0', 1],
  [' ', 0],
  ['\u0080', 1],
  ['\u00c0', 1],
  ['\u0180', 1.8],
  ['\u0370', 1.1],
  ['\u03ac', 0.6],
  ['\u0400', 0.9],
  ['\u0430', 0.53],
  ['\u0500', 1.4],
  ['\u0590', 1],
  ['\u0620', 1],
  ['\u0660', 2],
  ['\u066a', 1],
  ['\u06f0', 2],
  ['\u06fa', 1],
  ['\u0700', 2],
  ['\u0900', 0.95],
  ['\u0966', 2],
  ['\u0970', 0.95],
  ['\u0d80', 1.3],
  ['\u0e00', 0.95],
  ['\u0e80', 2],
  ['\u1000', 1.4],
  ['\u10a0', 1],
  ['\u1100', 2.7],
  ['\u1e00', 1.2],
  ['\u1f00', 2.2],
  ['\u2000', 1],
  ['\u2028', 2],
  ['\u2c00', 3],
  ['\u3000', 1.14],
  ['\u3100', 2.7],
  ['\u4e00', 1],
  ['\ua000', 3],
  ['\uac00', 1.2],
  // Surrogates: 2 tokens each, but 1.4 for emoji.
  ['\ud800', 2],
  ['\ud83c', 1.4],
  ['\ud83f', 2],
  ['\udc00', 2],
  ['\ue000', 3],
  ['\uff00', 1.5],
  ['\uff10', 2],
  ['\uff1a', 1.5],
]

const tokensPerCodeUnit = new Float32Array(0x10000)
for (const [at, [from, tokens]] of tokensFromCodeUnit.entries()) {
  tokensPerCodeUnit.fill(tokens, from.charCodeAt(0), tokensFromCodeUnit[at + 1]?.[0].charCodeAt(0))
}
// A character that is two or three tokens alone costs the same in running text, because no longer token contains it.
for (const [unit, tokens] of unpackCharacterTokens().entries()) {
  if (tokens > 1) tokensPerCodeUnit[unit] = Math.max(tokensPerCodeUnit[unit] as number, tokens)
}

const tokenWords = unpackTokenWords()

// Kinds of code units. They are separate constants, because reading them from an array makes the estimate 1.5 times as
// slow.
const otherKind = 0
const punctuationKind = 1
const blankKind = 2
const lineEndKind = 3
const digitKind = 4
const uppercaseKind = 5
const lowercaseKind = 6

const kinds = new Uint8Array(0x10000)
kinds.fill(punctuationKind, 0x21, 0x7f)
kinds.fill(digitKind, 0x30, 0x3a)
kinds.fill(uppercaseKind, 0x41, 0x5b)
kinds.fill(lowercaseKind, 0x61, 0x7b)
kinds[0x20] = blankKind
kinds[0x09] = blankKind
kinds[0x0a] = lineEndKind
kinds[0x0d] = lineEndKind

/**
 * Estimates the number of o200k tokens of a text; it is rarely more than 5% too low. It follows o200k's
 * pre-tokenization: words with the punctuation or space before them, groups of three digits, runs of punctuation, white
 * space. It splits words of small Latin letters into the longest tokens in a Bloom filter, and counts everything else
 * per code unit.
 */
export function estimateTokens(text: string): number {
  let sum = 0
  /** Length of the current run of code units of one kind; in a word, the distance from its first letter. */
  let run = 0
  /** Number of consecutive Greek or Cyrillic consonants. */
  let consonants = 0
  let previousUnit = 0x0a
  let previous = lineEndKind
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    const kind = kinds[unit] as number
    const continues = kind === previous || (kind === lowercaseKind && previous === uppercaseKind)
    if (kind === lowercaseKind) {
      const end = endOfWord(text, i)
      if (!continues) sum += startOfWord(previous, run)
      // Small letters after several capitals rarely share a token with them.
      else if (run > 1) sum += 0.6
      sum += restOfWord(text, continues && run === 1 ? i - 1 : i, end)
      run = continues ? run + end - i : end - i
      i = end - 1
      previous = lowercaseKind
      previousUnit = text.charCodeAt(i)
      consonants = 0
      continue
    } else if (kind === uppercaseKind) sum += continues ? 0.64 : startOfWord(previous, run)
    else if (kind === digitKind) {
      if (!continues || run % 3 === 0) sum += 1
      // A space before a digit is a separate token.
      if (previous === blankKind) sum += 1
    } else if (kind === punctuationKind)
      sum += continues ? (unit === previousUnit ? 0.4 : 0.92) : previous >= digitKind ? 0.88 : 0.95
    else if (kind === blankKind) {
      // The last space belongs to the word that follows; the spaces before it are one token.
      if ((continues && run === 1) || unit === 0x09) sum += 0.9
    } else if (kind === lineEndKind) {
      if (!continues) sum += previous === punctuationKind ? 0.4 : 0.94
    } else {
      sum += otherTokens(unit, previousUnit, previous)
      consonants = isConsonant(unit) ? consonants + 1 : 0
      // Long runs of consonants are rare in words and common in text that is not words.
      if (consonants > 2) sum += 0.85
    }
    if (kind !== otherKind) consonants = 0
    run = continues ? run + 1 : 1
    previous = kind
    previousUnit = unit
  }
  return sum
}

/** The end of the run of small letters that begins at `from`. */
function endOfWord(text: string, from: number): number {
  let end = from + 1
  while (end < text.length && text.charCodeAt(end) > 0x60 && text.charCodeAt(end) < 0x7b) end++
  return end
}

/** The cost of a word after its first token: it is split into the longest tokens in the filter. */
function restOfWord(text: string, start: number, end: number): number {
  let sum = 0
  let from = endOfPiece(text, start, end)
  for (; from < end; sum++) from = endOfPiece(text, from, end)
  sum *= 1.15
  return text.charCodeAt(start) < 0x61 ? sum + 0.2 : sum
}

/** The hashes of the prefixes of a piece, by their length. */
const hashes = new Int32Array(maxLengthInFilter + 1)

/** The end of the longest token in the filter, or of the first letter if there is none. */
function endOfPiece(text: string, from: number, end: number): number {
  const length = Math.min(end - from, maxLengthInFilter)
  let hash = hashLetter(text.charCodeAt(from - 1) === 0x20 ? startSeed : innerSeed, text.charCodeAt(from) | 0x20)
  for (let at = 1; at < length; at++) {
    hash = hashLetter(hash, text.charCodeAt(from + at))
    hashes[at] = hash
  }
  let at = length - 1
  while (at > 0 && !isInFilter(hashes[at] as number)) at--
  return from + at + 1
}

function isInFilter(hash: number): boolean {
  const step = probeStep(hash)
  let bit = firstProbe(hash)
  for (let left = probes; left > 0; left--) {
    if (((tokenWords[bit >> 3] as number) & (1 << (bit & 7))) === 0) return false
    bit = (bit + step) & lastBit
  }
  return true
}

function startOfWord(previous: number, run: number): number {
  if (previous === punctuationKind && run === 1) return 0.55
  // Follows a letter of another script or with an accent.
  return previous === otherKind ? 0.8 : 0.96
}

const vowels = new Set([...'αάεέηήιίϊΐοόυύϋΰωώаеёиоуыэюяіїєьъ'].map((letter) => letter.charCodeAt(0)))

/** True for a small Greek or Cyrillic consonant. */
function isConsonant(unit: number): boolean {
  return unit >= 0x3ac && unit <= 0x45f && !vowels.has(unit)
}

function otherTokens(unit: number, previousUnit: number, previous: number): number {
  // The second surrogate of a pair costs as much as the first.
  if (unit >= 0xdc00 && unit <= 0xdfff) return tokensPerCodeUnit[previousUnit] as number
  const tokens = tokensPerCodeUnit[unit] as number
  if (previous !== blankKind || unit < 0xc0) return tokens
  // The space before rarer characters is a separate token, and so is a short word.
  return unit < 0x370 ? tokens + 0.1 : unit < 0x660 || unit >= 0x3000 ? tokens + 0.5 : tokens
}
