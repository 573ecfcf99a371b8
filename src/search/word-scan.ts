import { LRUCache } from 'lru-cache'
import { readVarint, type ByteCursor } from './varint.ts'
import { readWord, termAt, type WordCursor } from './word-list.ts'

/** A row of a word list, unpacked as far as it takes to pass over most of its words without looking at them. */
export interface ScannedRow {
  /** All words, one behind the other. */
  text: string
  /** Where each word begins in `text`, and where the last one ends. */
  starts: Uint32Array
  /** Which letters each word has: a bit for all letters with the same five lowest bits. */
  letters: Int32Array
  /** Where it says in the row how the term of each word differs from it. */
  codes: Uint32Array
}

const maxBytes = 16 * 1024 * 1024
const bytesPerWord = 12

/** Rows come from memory; their unpacked forms are kept for as long as they are used, up to so many bytes. */
const scanned = new LRUCache<Uint8Array, ScannedRow>({
  maxSize: maxBytes,
  sizeCalculation: ({ text, starts }, row) => row.length + 2 * text.length + bytesPerWord * starts.length + 500,
})

/** Unpacks a row, which never changes. */
export function scanWords(row: Uint8Array): ScannedRow {
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
  }
  const found = {
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

/** What is asked of the words of a row. */
export interface ScanFor {
  word: string
  /** Letters that may be wrong. */
  edits: number
  /** Words that begin with it are asked for too. */
  completes: boolean
}

/** Calls `visit` for the words of a row that may be near to a word, or begin with it, in order; and for some that are not. */
export function forEachLikeWord(
  row: Uint8Array,
  { word, edits, completes }: ScanFor,
  visit: (word: string, count: number, term: () => string) => void,
): void {
  const { text, starts, letters, codes } = scanWords(row)
  const wanted = lettersOf(Array.from(word, (_, at) => word.charCodeAt(at)))
  const [least, most] = [word.length - edits, word.length + edits]
  for (let at = 0; at < letters.length; at++) {
    const found = letters[at] as number
    const missing = wanted & ~found
    const start = starts[at] as number
    const end = starts[at + 1] as number
    const length = end - start
    // A letter that is left out, added or changed takes one letter from either word at most; one that is swapped takes none.
    const isNear =
      length >= least && length <= most && hasAtMost(missing, edits) && hasAtMost(found & ~wanted, edits) && edits > 0
    if (!isNear && !(completes && missing === 0 && length > word.length && text.startsWith(word, start))) continue
    const listed = text.slice(start, end)
    const code: ByteCursor = { bytes: row, at: codes[at] as number }
    const term = termAt(code, listed)
    visit(listed, readVarint(code), term)
  }
}

/** True when a number has so many bits or fewer; up to two. */
function hasAtMost(bits: number, most: number): boolean {
  const withoutFirst = bits & (bits - 1)
  return bits === 0 || (most > 0 && withoutFirst === 0) || (most > 1 && (withoutFirst & (withoutFirst - 1)) === 0)
}
