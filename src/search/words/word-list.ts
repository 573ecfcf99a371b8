import { shardOf, type Shard } from './shards.ts'
import { hashOfBeginning, hashOfEnd, termHash } from './term-hash.ts'
import { readVarint, writeVarint, type ByteCursor } from './varint.ts'

/*
 * The words of a unit or of a segment as they appear in the text, but folded, each with its term. A segment stores a word in one or two
 * rows: one is selected by the beginning of the word, the other by its end. A word with one typo still has either its beginning or its end
 * right, so that two rows contain every similar word.
 *
 * The words of a row are sorted and prefix-compressed. Each has these varints: 16 times the length of the prefix that it shares with the
 * previous word, plus the length of the rest (15: the length follows); the rest in UTF-16 units; the difference between the term and the
 * word; and the number of occurrences.
 */

/** A word in the spelling of the books. */
export interface ListedWord {
  word: string
  /** The term under which it is indexed. */
  term: string
  /** The number of its occurrences. */
  count: number
}

const minLength = 3
/** The maximum length of listed words, UTF-16 units. */
export const maxListedLength = 40
const letter = /\p{L}/u

/** True for words that may be corrections of others: of 3 to 40 UTF-16 units, with a letter. */
export function isListable(word: string): boolean {
  if (word.length < minLength || word.length > maxListedLength) return false
  const first = word.charCodeAt(0)
  // An early exit for nearly all words of Latin letters.
  return (first >= 0x61 && first <= 0x7a) || letter.test(word)
}

const maxPackedRest = 15

/** A shared buffer for the row that is being encoded. */
let scratch = new Uint8Array(1 << 16)
/** The maximum number of bytes of a word without its units and those of its term, and of each of these units. */
const [maxWordBytes, maxUnitBytes] = [25, 3]

/** Encodes words that are sorted like those of `listWords`. */
export function encodeWords(words: readonly ListedWord[]): Uint8Array {
  let length = 0
  let before = ''
  for (const { word, term, count } of words) {
    ensureCapacity(length + maxWordBytes + (word.length + term.length) * maxUnitBytes)
    const shared = sharedLength(before, word)
    const rest = word.length - shared
    length = writeVarint(scratch, length, shared * 16 + Math.min(rest, maxPackedRest))
    if (rest >= maxPackedRest) length = writeVarint(scratch, length, rest)
    for (let at = shared; at < word.length; at++) length = writeVarint(scratch, length, word.charCodeAt(at))
    length = writeTerm(length, word, term)
    length = writeVarint(scratch, length, count)
    before = word
  }
  return scratch.slice(0, length)
}

function ensureCapacity(length: number): void {
  if (length <= scratch.length) return
  const larger = new Uint8Array(scratch.length * 2)
  larger.set(scratch)
  scratch = larger
}

function sharedLength(one: string, other: string): number {
  const limit = Math.min(one.length, other.length)
  let at = 0
  while (at < limit && one.charCodeAt(at) === other.charCodeAt(at)) at++
  return at
}

const maxPackedTail = 3

/**
 * Encodes a term as its difference from the word: 4 times the number of units to drop from the end of the word, plus the number of units to
 * append (3: the number follows), then these units. Returns the offset after it.
 */
function writeTerm(start: number, word: string, term: string): number {
  const kept = sharedLength(word, term)
  const tail = term.length - kept
  let length = writeVarint(scratch, start, (word.length - kept) * 4 + Math.min(tail, maxPackedTail))
  if (tail >= maxPackedTail) length = writeVarint(scratch, length, tail)
  for (let at = kept; at < term.length; at++) length = writeVarint(scratch, length, term.charCodeAt(at))
  return length
}

/** A read position in a row, and the UTF-16 units of the previous word. */
export interface WordCursor extends ByteCursor {
  units: number[]
}

/** Reads a word of a row into `cursor.units`. Returns the byte offset of its encoded term. */
export function readWord(cursor: WordCursor): number {
  const { units } = cursor
  const packed = readVarint(cursor)
  units.length = packed >>> 4
  readUnits(cursor, units, packed % 16 === maxPackedRest ? readVarint(cursor) : packed % 16)
  const { at } = cursor
  skipTerm(cursor)
  readVarint(cursor)
  return at
}

function skipTerm(cursor: ByteCursor): void {
  const code = readVarint(cursor)
  const tail = code % 4 === maxPackedTail ? readVarint(cursor) : code % 4
  for (let at = 0; at < tail; at++) readVarint(cursor)
}

/**
 * Returns a function that decodes the term of a word. `cursor` must be at the offset from `readWord`; it is moved to the count of the word.
 */
export function termAt(cursor: ByteCursor, word: string): () => string {
  const start = { ...cursor }
  skipTerm(cursor)
  return () => {
    const code = readVarint(start)
    const tail: number[] = []
    readUnits(start, tail, code % 4 === maxPackedTail ? readVarint(start) : code % 4)
    return word.slice(0, word.length - (code >>> 2)) + String.fromCharCode(...tail)
  }
}

/** Calls `visit` for every word of a row, in order. `term` decodes the term on demand and must not be called after `visit` has returned. */
export function forEachWord(row: Uint8Array, visit: (word: string, count: number, term: () => string) => void): void {
  const cursor: ByteCursor = { bytes: row, at: 0 }
  const [units, tail]: [number[], number[]] = [[], []]
  let word = ''
  let code = 0
  const termOf = () => word.slice(0, word.length - (code >>> 2)) + String.fromCharCode(...tail)
  while (cursor.at < row.length) {
    const packed = readVarint(cursor)
    units.length = packed >>> 4
    readUnits(cursor, units, packed % 16 === maxPackedRest ? readVarint(cursor) : packed % 16)
    code = readVarint(cursor)
    tail.length = 0
    readUnits(cursor, tail, code % 4 === maxPackedTail ? readVarint(cursor) : code % 4)
    const count = readVarint(cursor)
    word = String.fromCharCode(...units)
    visit(word, count, termOf)
  }
}

function readUnits(cursor: ByteCursor, units: number[], length: number): void {
  for (let at = 0; at < length; at++) units.push(readVarint(cursor))
}

/** Words of at least this length are selected by their first and last three letters, shorter words by two. */
export const longWord = 7

/** Returns the common hash of all words with this beginning of two or three UTF-16 units. */
export function beginningHash(beginning: string): number {
  return termHash(`^${beginning}`)
}

/** Returns the common hash of all words with this end. */
export function endHash(end: string): number {
  return termHash(`${end}$`)
}

/** Returns the hash of the beginning of a word, which selects one of its rows. */
export function beginningHashOf(word: string): number {
  return hashOfBeginning(word, keyLengthOf(word))
}

/** Returns the hash of the end of a word, which selects its other row. */
export function endHashOf(word: string): number {
  return hashOfEnd(word, keyLengthOf(word))
}

function keyLengthOf(word: string): number {
  return word.length < longWord ? 2 : 3
}

export interface WordRows {
  bits: number
  rows: Shard[]
}

/** The number of words between two steps. */
const wordsPerStep = 1024
/** The approximate size of a word in a row, in bytes. */
const bytesPerWord = 7

const targetRowBytes = 24_000
const maxBits = 14

/** Returns the number of row bits for a list of this size in bytes. */
export function wordBits(bytes: number): number {
  return Math.min(maxBits, Math.max(0, Math.ceil(Math.log2(bytes / targetRowBytes))))
}

/**
 * Builds the rows of a segment's word list, in steps. The words must be sorted like those of `listWords`. Each word is in one or two rows.
 */
export function* buildWordRows(words: readonly ListedWord[]): Generator<void, WordRows> {
  const bytes = words.length * bytesPerWord
  // A list with one row contains every word once.
  const bits = wordBits(bytes) === 0 ? 0 : wordBits(bytes * 2)
  const byShard = new Map<number, ListedWord[]>()
  for (let at = 0; at < words.length; at++) {
    if (at % wordsPerStep === 0) yield
    const listed = words[at] as ListedWord
    const one = shardOf(beginningHashOf(listed.word), bits)
    const other = shardOf(endHashOf(listed.word), bits)
    addToRow(byShard, one, listed)
    if (other !== one) addToRow(byShard, other, listed)
  }
  return { bits, rows: yield* encodeRows(byShard) }
}

function addToRow(rows: Map<number, ListedWord[]>, shard: number, listed: ListedWord): void {
  const row = rows.get(shard)
  if (row) row.push(listed)
  else rows.set(shard, [listed])
}

/** Encodes the words of each row, in steps. The words must be sorted like those of `listWords`. */
export function* encodeRows(byShard: ReadonlyMap<number, ListedWord[]>): Generator<void, Shard[]> {
  const rows: Shard[] = []
  for (const [shard, words] of [...byShard].sort(([a], [b]) => a - b)) {
    rows.push({ shard, bytes: encodeWords(words) })
    yield
  }
  return rows
}
