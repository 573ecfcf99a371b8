import { analyseInSteps } from '../../text/words/analyse.ts'
import type { Language } from '../../text/words/languages.ts'
import type { PlainWord, WordEntry } from '../../text/words/plain-word.ts'
import type { Token } from '../../text/words/token.ts'
import { stripMarkdownInSteps } from './strip-markdown.ts'
import type { SortedEntries } from './shards.ts'
import { createHashNumbers, numberOfHash, sortHashes, type HashNumbers } from './hash-numbers.ts'
import { termHash } from './term-hash.ts'
import { maxVarintBytes, readVarint, writeVarint, type ByteCursor } from './varint.ts'

/*
 * An inverted index from terms to their positions in a run of pages. The entry (posting list) of a term has, for each page that contains
 * it: the distance from the previous page, twice the number of occurrences (plus one if one of them is in a heading), and the distances
 * between its positions. All are varints.
 */

/** An index under construction. Terms are numbered, and their occurrences stay in text order until all pages are added. */
export interface PageIndex {
  /** Unique among the indexes of this process. */
  id: number
  /** Assigns a number to the hash of each term. */
  numbers: HashNumbers
  words: Map<string, WordEntry>
  /** The number of words of each page, in order. */
  lengths: number[]
  /** For each term, 1 plus the last page on which it was added as a token. */
  lastPages: number[]
  /** Three numbers per occurrence: the term, its position, and four times the page plus flags. */
  occurrences: Uint32Array
  /** How many of these numbers are in use. */
  size: number
}

/** Flags of an occurrence: it is in a heading; it repeats a term of which the first position on the page is enough. */
const [headingMark, repeatMark] = [1, 2]

let created = 0

/** Creates an empty index. */
export function createPageIndex(): PageIndex {
  const empty = { numbers: createHashNumbers(), words: new Map(), lengths: [], lastPages: [] }
  return { id: ++created, ...empty, occurrences: new Uint32Array(3 * 1024), size: 0 }
}

/** A page to index, in Markdown. */
export interface PageText {
  markdown: string
  language: Language
}

/** Adds a Markdown text as the next page, in steps. */
export function* addPage(index: PageIndex, { markdown, language }: PageText): Generator<void, void> {
  yield* addText(index, { ...(yield* stripMarkdownInSteps(markdown)), language })
}

/** A text without markup to index, in NFC. */
export interface TextToIndex {
  text: string
  language: Language
  /** The ranges of headings in `text`, ascending. */
  headings?: readonly [start: number, end: number][]
}

/** Adds a plain text as the next page, in steps. */
export function* addText(index: PageIndex, { text, language, headings = [] }: TextToIndex): Generator<void, void> {
  const ordinal = index.lengths.length
  let next = 0
  const placeAt = (start: number): number => {
    while (next < headings.length && (headings[next] as [number, number])[1] <= start) next++
    const inHeading = next < headings.length && start >= (headings[next] as [number, number])[0]
    return ordinal * 4 + (inHeading ? headingMark : 0)
  }
  const sink = {
    visit: (token: Token) => addToken(index, token, placeAt(token.start)),
    plain(word: PlainWord, position: number, start: number) {
      const known = word.entry
      const entry = known !== null && known.index === index.id ? known : addWord(index, word)
      entry.count++
      addOccurrence(index, { number: entry.number, position }, placeAt(start))
    },
  }
  index.lengths.push(yield* analyseInSteps(text, sink, language))
}

function addToken(index: PageIndex, token: Token, place: number): void {
  const number = numberOf(index, token)
  const page = (place >>> 2) + 1
  // A single character of a script without spaces is only searched for alone, so its first position on a page is enough.
  const isRepeat = token.kind === 'unigram' && index.lastPages[number] === page
  index.lastPages[number] = page
  addOccurrence(index, { number, position: token.position }, isRepeat ? place + repeatMark : place)
}

function addOccurrence(
  index: PageIndex,
  { number, position }: { number: number; position: number },
  place: number,
): void {
  if (index.size === index.occurrences.length) grow(index)
  const { occurrences, size } = index
  occurrences[size] = number
  occurrences[size + 1] = position
  occurrences[size + 2] = place
  index.size = size + 3
}

/** Returns the entry of an ordinary word, cached in the word. Only the first term of a word is listed and counted in `words`. */
function addWord(index: PageIndex, plain: PlainWord): WordEntry {
  const { word } = plain
  const term = plain.terms[0] as string
  const known = index.words.get(word)
  const entry = known?.term === term ? known : { index: index.id, term, number: termNumber(index, term), count: 0 }
  if (known === undefined) index.words.set(word, entry)
  plain.entry = entry
  return entry
}

function grow(index: PageIndex): void {
  const larger = new Uint32Array(index.occurrences.length * 2)
  larger.set(index.occurrences)
  index.occurrences = larger
}

/** Returns the number of a token's term and counts its word. Characters of scripts without spaces are not listed. */
function numberOf(index: PageIndex, { term, word, kind }: Token): number {
  if (kind === 'unigram' || kind === 'bigram') return termNumber(index, term)
  const known = index.words.get(word)
  if (known?.term === term) {
    known.count++
    return known.number
  }
  const number = termNumber(index, term)
  const isWord = kind === 'word' || kind === 'part' || kind === 'compound'
  if (!known && isWord) index.words.set(word, { index: index.id, term, number, count: 1 })
  return number
}

/** Returns the number of a term. Terms with the same hash share a number. */
function termNumber({ numbers, lastPages }: PageIndex, term: string): number {
  const number = numberOfHash(numbers, termHash(term))
  if (number === lastPages.length) lastPages.push(0)
  return number
}

/** The number of terms between two steps. */
const termsPerStep = 1024
/** The number of occurrences between two steps. */
const occurrencesPerStep = 32_768

/** The finished entries in the format of `forEachPosting`, with totals by term. */
export interface FinishedIndex extends SortedEntries {
  /** The number of occurrences of each term. */
  counts: Uint32Array
  /** 1 for each term that occurs in a heading. */
  headings: Uint8Array
}

/** Finishes an index, in steps. */
export function* finishIndex(index: PageIndex): Generator<void, FinishedIndex> {
  const { starts, sorted } = yield* sortByTerm(index)
  const { hashes, numbers } = sortHashes(index.numbers)
  yield
  const ends = new Uint32Array(hashes.length)
  const counts = new Uint32Array(hashes.length)
  const headings = new Uint8Array(hashes.length)
  const out: EntryBytes = { bytes: new Uint8Array(4096), length: 0 }
  for (let at = 0; at < hashes.length; at++) {
    const number = numbers[at] as number
    const { count, heading } = encodeEntry(out, sorted, { from: starts[number], to: starts[number + 1] } as Range)
    ends[at] = out.length
    counts[at] = count
    headings[at] = heading
    if (at % termsPerStep === termsPerStep - 1) yield
  }
  return { hashes, ends, bytes: out.bytes.subarray(0, out.length), counts, headings }
}

/** Groups occurrences by term in text order (counting sort). Two numbers each: the position, and four times the page plus flags. */
function* sortByTerm({ numbers, occurrences, size }: PageIndex) {
  const starts = new Uint32Array(numbers.size + 1)
  for (let at = 0; at < size; at += 3) {
    const next = (occurrences[at] as number) + 1
    starts[next] = (starts[next] as number) + 1
  }
  yield
  for (let number = 0; number < numbers.size; number++)
    starts[number + 1] = (starts[number + 1] as number) + (starts[number] as number)
  const ends = starts.slice()
  const sorted = new Uint32Array((size / 3) * 2)
  for (let at = 0; at < size; at += 3) {
    const number = occurrences[at] as number
    const end = ends[number] as number
    sorted[end * 2] = occurrences[at + 1] as number
    sorted[end * 2 + 1] = occurrences[at + 2] as number
    ends[number] = end + 1
    if (at % (occurrencesPerStep * 3) === 0) yield
  }
  return { starts, sorted }
}

/** A range of sorted occurrences. */
interface Range {
  from: number
  to: number
}

/** A growing buffer of encoded entries. */
interface EntryBytes {
  bytes: Uint8Array
  length: number
}

function ensureCapacity(out: EntryBytes, more: number): void {
  if (out.length + more <= out.bytes.length) return
  const larger = new Uint8Array(Math.max(out.bytes.length * 2, out.length + more))
  larger.set(out.bytes.subarray(0, out.length))
  out.bytes = larger
}

/** Appends the entry of a term. Returns the number of its occurrences, and 1 if it occurs in a heading. */
function encodeEntry(out: EntryBytes, sorted: Uint32Array, range: Range): { count: number; heading: number } {
  const [from, to] = [range.from * 2, range.to * 2]
  ensureCapacity(out, (to - from) * 2 * maxVarintBytes)
  const { bytes } = out
  let { length } = out
  let lastOrdinal = 0
  const all = { count: 0, heading: 0 }
  for (let at = from; at < to;) {
    const ordinal = (sorted[at + 1] as number) >>> 2
    let [end, count, heading] = [at, 0, 0]
    for (; end < to && (sorted[end + 1] as number) >>> 2 === ordinal; end += 2) {
      const place = sorted[end + 1] as number
      heading |= place & headingMark
      if ((place & repeatMark) === 0) count++
    }
    length = writeVarint(bytes, length, ordinal - lastOrdinal)
    length = writeVarint(bytes, length, count * 2 + heading)
    let lastPosition = 0
    for (; at < end; at += 2) {
      if (((sorted[at + 1] as number) & repeatMark) !== 0) continue
      const position = sorted[at] as number
      length = writeVarint(bytes, length, Math.max(0, position - lastPosition))
      lastPosition = position
    }
    lastOrdinal = ordinal
    all.count += count
    all.heading |= heading
  }
  out.length = length
  return all
}

/** The occurrences of a term on one page. */
export interface Posting {
  ordinal: number
  count: number
  inHeading: boolean
  /** The weight of the term for its concept, from 0 to 1. */
  weight: number
  /** The byte offset of its positions in `bytes`. */
  at: number
  bytes: Uint8Array
  /** The decoded positions, once they have been requested. */
  positions: readonly number[] | null
}

/** Calls `visit` for each page of an entry, ascending. The entry is all of `bytes` or a range of them. */
export function forEachPosting(
  bytes: Uint8Array,
  visit: (posting: Posting) => void,
  { start, end }: { start: number; end: number } = { start: 0, end: bytes.length },
): void {
  const cursor: ByteCursor = { bytes, at: start }
  let ordinal = 0
  while (cursor.at < end) {
    ordinal += readVarint(cursor)
    const packed = readVarint(cursor)
    const count = packed >>> 1
    visit({ ordinal, count, inHeading: (packed & 1) === 1, weight: 1, at: cursor.at, bytes, positions: null })
    for (let remaining = count; remaining > 0; remaining--) while ((bytes[cursor.at++] as number) > 0x7f);
  }
}

/** Returns the positions of a term on a page, ascending. */
export function positionsOf(posting: Posting): readonly number[] {
  return (posting.positions ??= unpackPositions(posting))
}

function unpackPositions({ bytes, at, count }: Posting): number[] {
  const cursor: ByteCursor = { bytes, at }
  const positions: number[] = []
  let position = 0
  for (let i = 0; i < count; i++) {
    position += readVarint(cursor)
    positions.push(position)
  }
  return positions
}
