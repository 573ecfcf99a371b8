import { shardOf, type Shard } from './shards.ts'
import { hashOfBeginning, hashOfEnd, termHash } from './term-hash.ts'
import { readVarint, writeVarint, type ByteCursor } from './varint.ts'

/*
 * The words of a unit or of a segment, as they stand in the text but folded, each with its term. The rows of a segment are
 * chosen by the beginning and by the end of a word, which has its place in both: a word with one wrong letter has either
 * its beginning or its end right, so that two rows hold every word near to it.
 *
 * A row has its words in order. Each takes: the length of the beginning that it shares with the one before (times 16) plus
 * the length of the rest (15: the length follows), the rest in UTF-16 units, how the term differs from the word, and the
 * number of occurrences.
 */

/** A word in its spelling in books. */
export interface ListedWord {
  word: string
  /** What is indexed for it. */
  term: string
  /** Number of its occurrences. */
  count: number
}

const minLength = 3
/** The longest words that are listed, UTF-16 units. */
export const maxListedLength = 40
const letter = /\p{L}/u

/** True for words that are worth correcting others to: of 3 to 40 UTF-16 units, with a letter. */
export function isListable(word: string): boolean {
  if (word.length < minLength || word.length > maxListedLength) return false
  const first = word.charCodeAt(0)
  // Nearly all words of Latin letters.
  return (first >= 0x61 && first <= 0x7a) || letter.test(word)
}

const maxPackedRest = 15

/** The bytes of the row that is built. */
let scratch = new Uint8Array(1 << 16)
/** What a word takes at most beside its units and those of its term, and each of these. */
const [maxWordBytes, maxUnitBytes] = [25, 3]

/** Encodes words in the order of `listWords`. */
export function encodeWords(words: readonly ListedWord[]): Uint8Array {
  let length = 0
  let before = ''
  for (const { word, term, count } of words) {
    makeRoom(length + maxWordBytes + (word.length + term.length) * maxUnitBytes)
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

function makeRoom(length: number): void {
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

/** Writes how many units the term drops from the end of the word (times 4), plus the number of those that it adds (3: it follows). */
function writeTerm(start: number, word: string, term: string): number {
  const kept = sharedLength(word, term)
  const tail = term.length - kept
  let length = writeVarint(scratch, start, (word.length - kept) * 4 + Math.min(tail, maxPackedTail))
  if (tail >= maxPackedTail) length = writeVarint(scratch, length, tail)
  for (let at = kept; at < term.length; at++) length = writeVarint(scratch, length, term.charCodeAt(at))
  return length
}

/** A read position in a row, and the units of the word before it. */
export interface WordCursor extends ByteCursor {
  units: number[]
}

/** Reads a word of a row; returns where it says how its term differs from it. */
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

/** Tells the term of a word from what `readWord` has returned; the count of the word follows there. */
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

/** Calls `visit` for every word of a row, in order; the term is made when it is asked for, and only until `visit` returns. */
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

/** Words from this length on are found by three letters of their beginning or end, shorter ones by two. */
export const longWord = 7

/** The hash that the words with this beginning have in common; of two or three UTF-16 units. */
export function beginningHash(beginning: string): number {
  return termHash(`^${beginning}`)
}

/** The same for the end of words. */
export function endHash(end: string): number {
  return termHash(`${end}$`)
}

/** The keys of a word: the hashes of its beginning and of its end. */
export function placesOf(word: string): [number, number] {
  const length = word.length < longWord ? 2 : 3
  return [hashOfBeginning(word, length), hashOfEnd(word, length)]
}

export interface WordRows {
  bits: number
  rows: Shard[]
}

/** Words between two steps. */
const wordsPerStep = 1024
/** The approximate bytes of a word in a row. */
const bytesPerWord = 7

const targetRowBytes = 24_000
const maxBits = 14

/** Number of row bits for a list of so many bytes. */
export function wordBits(bytes: number): number {
  return Math.min(maxBits, Math.max(0, Math.ceil(Math.log2(bytes / targetRowBytes))))
}

/** The rows of the word list of a segment, in steps, from its words in the order of `listWords`; each is in one row or two. */
export function* buildWordRows(words: readonly ListedWord[]): Generator<void, WordRows> {
  const bytes = words.length * bytesPerWord
  // A list of a single row has every word once.
  const bits = wordBits(bytes) === 0 ? 0 : wordBits(bytes * 2)
  const byShard = new Map<number, ListedWord[]>()
  for (const [at, listed] of words.entries()) {
    if (at % wordsPerStep === 0) yield
    const [beginning, end] = placesOf(listed.word)
    const [one, other] = [shardOf(beginning, bits), shardOf(end, bits)]
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

/** Encodes the words of each row, which are in the order of `listWords`, in steps. */
export function* encodeRows(byShard: ReadonlyMap<number, ListedWord[]>): Generator<void, Shard[]> {
  const rows: Shard[] = []
  for (const [shard, words] of [...byShard].sort(([a], [b]) => a - b)) {
    rows.push({ shard, bytes: encodeWords(words) })
    yield
  }
  return rows
}
