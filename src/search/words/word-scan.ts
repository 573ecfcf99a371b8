import { LRUCache } from 'lru-cache'
import { readVarint, type ByteCursor } from './varint.ts'
import { readWord, termAt, type WordCursor } from './word-list.ts'

/** A decoded row of a word list. A scan can skip most of its words without comparing them. */
export interface ScannedRow {
  row: Uint8Array
  /** All words, concatenated. */
  text: string
  /** The start of each word in `text`, then the end of the last word. */
  starts: Uint32Array
  /** A bit mask of the letters of each word. Letters with the same five lowest bits share a bit. */
  letters: Int32Array
  /** The byte offset in the row of each word's encoded term. */
  codes: Uint32Array
}

const maxBytes = 16 * 1024 * 1024
const bytesPerWord = 12

/** A cache of decoded rows. The keys are the rows, which are cached objects themselves. Evicts the least recently used. */
const scanned = new LRUCache<Uint8Array, ScannedRow>({
  maxSize: maxBytes,
  sizeCalculation: ({ text, starts }, row) => row.length + 2 * text.length + bytesPerWord * starts.length + 500,
})

/** The number of words between two steps. */
const wordsPerStep = 4096

/** Returns a decoded row, through the cache, in steps. The row must never change. */
export function* scanWords(row: Uint8Array): Generator<void, ScannedRow> {
  const known = scanned.get(row)
  if (known) return known
  const [starts, letters, codes]: [number[], number[], number[]] = [[0], [], []]
  const parts: string[] = []
  const cursor: WordCursor = { bytes: row, at: 0, units: [] }
  let length = 0
  while (cursor.at < row.length) {
    codes.push(readWord(cursor))
    letters.push(lettersOf(cursor.units))
    parts.push(String.fromCharCode(...cursor.units))
    length += cursor.units.length
    starts.push(length)
    if (codes.length % wordsPerStep === 0) yield
  }
  const found = {
    row,
    text: parts.join(''),
    starts: Uint32Array.from(starts),
    letters: Int32Array.from(letters),
    codes: Uint32Array.from(codes),
  }
  scanned.set(row, found)
  return found
}

function lettersOf(units: readonly number[]): number {
  let letters = 0
  for (const unit of units) letters |= 1 << (unit & 31)
  return letters
}

/** The words to search for in a row. */
export interface ScanFor {
  word: string
  /** The maximum edit distance. */
  edits: number
  /** True to include words that begin with it. */
  completes: boolean
  /** True to include compounds that begin or end with it. */
  isPart: boolean
}

/** The minimum length of the other part of a compound, UTF-16 units. */
const minOtherPart = 3

/** True if a word may be a compound that begins or ends with the other. */
export function isCompoundOf(word: string, part: string): boolean {
  return word.length >= part.length + minOtherPart && (word.startsWith(part) || word.endsWith(part))
}

/**
 * Calls `visit`, in order, for each word of a row that may be similar to a word or contain it, in steps. Some visited words do neither.
 */
export function* forEachLikeWord(
  { row, text, starts, letters, codes }: ScannedRow,
  { word, edits, completes, isPart }: ScanFor,
  visit: (word: string, count: number, term: () => string) => void,
): Generator<void, void> {
  const wanted = lettersOf(Array.from(word, (_, at) => word.charCodeAt(at)))
  const [minLength, maxLength] = [word.length - edits, word.length + edits]
  const hasWord = ({ start, end }: { start: number; end: number }): boolean =>
    ((completes || isPart) && text.startsWith(word, start)) || (isPart && text.startsWith(word, end - word.length))
  for (let at = 0; at < letters.length; at++) {
    if (at % wordsPerStep === wordsPerStep - 1) yield
    const found = letters[at] as number
    const missing = wanted & ~found
    const start = starts[at] as number
    const end = starts[at + 1] as number
    const length = end - start
    // Adding, leaving out or changing a letter affects at most one letter of each word. Swapping two letters affects none.
    const isNear =
      length >= minLength &&
      length <= maxLength &&
      hasAtMost(missing, edits) &&
      hasAtMost(found & ~wanted, edits) &&
      edits > 0
    if (!isNear && !(missing === 0 && length > word.length && hasWord({ start, end }))) continue
    const listed = text.slice(start, end)
    const code: ByteCursor = { bytes: row, at: codes[at] as number }
    const term = termAt(code, listed)
    visit(listed, readVarint(code), term)
  }
}

/** True if at most `max` bits are set; `max` is at most 2. */
function hasAtMost(bits: number, max: number): boolean {
  const withoutFirst = bits & (bits - 1)
  return bits === 0 || (max > 0 && withoutFirst === 0) || (max > 1 && (withoutFirst & (withoutFirst - 1)) === 0)
}
