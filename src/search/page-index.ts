import { analyseInSteps } from '../text/words/analyse.ts'
import type { Language } from '../text/words/languages.ts'
import type { Token } from '../text/words/token.ts'
import { stripMarkdownInSteps } from './strip-markdown.ts'
import { termHash } from './term-hash.ts'
import { pushVarint, readVarint, type ByteCursor } from './varint.ts'

/*
 * Maps terms to positions in a run of pages. The entry of a term has, for each page with it: the distance to the
 * previous page, twice the number of occurrences (plus one when one is in a heading), and the distances between its
 * positions.
 */

/** The pages with a term, while they are added. */
interface TermEntry {
  /** The last page that `bytes` has. */
  lastOrdinal: number
  bytes: number[]
  /** Of the page that is added now: its occurrences, the last position and the distances between them. */
  count: number
  inHeading: boolean
  lastPosition: number
  distances: number[]
}

/** A word as it stands in the text. */
interface WordEntry {
  term: string
  entry: TermEntry
  count: number
}

export interface PageIndex {
  entries: Map<number, TermEntry>
  /** The same by term: terms are hashed once. */
  terms: Map<string, TermEntry>
  words: Map<string, WordEntry>
  /** Number of words of each page, in order. */
  lengths: number[]
}

/** Creates an empty index. */
export function createPageIndex(): PageIndex {
  return { entries: new Map(), terms: new Map(), words: new Map(), lengths: [] }
}

/** Terms between two steps. */
const termsPerStep = 1024

/** A page to be indexed, in Markdown. */
export interface PageText {
  markdown: string
  language: Language
}

/** Adds the next page, in steps. */
export function* addPage(index: PageIndex, { markdown, language }: PageText): Generator<void, void> {
  yield* addText(index, { ...(yield* stripMarkdownInSteps(markdown)), language })
}

/** A text without markup to be indexed, in NFC. */
export interface TextToIndex {
  text: string
  language: Language
  /** Ranges of headings in `text`, ascending. */
  headings?: readonly [start: number, end: number][]
}

/** Adds plain text as the next page, in steps. */
export function* addText(index: PageIndex, { text, language, headings = [] }: TextToIndex): Generator<void, void> {
  const ordinal = index.lengths.length
  const onPage: TermEntry[] = []
  let next = 0
  const visit = (token: Token) => {
    const { start, kind } = token
    while (next < headings.length && (headings[next] as [number, number])[1] <= start) next++
    const inHeading = next < headings.length && start >= (headings[next] as [number, number])[0]
    const entry = entryOf(index, token)
    if (entry.count === 0) onPage.push(entry)
    // A single character of a script without spaces is only looked up alone: its first position is enough.
    if (entry.count === 0 || kind !== 'unigram') addPosition(entry, token.position)
    if (inHeading) entry.inHeading = true
  }
  index.lengths.push(yield* analyseInSteps(text, visit, language))
  for (const [at, entry] of onPage.entries()) {
    finishPage(entry, ordinal)
    if (at % termsPerStep === 0) yield
  }
}

/** The entry of a token's term; counts its word. */
function entryOf(index: PageIndex, { term, word, kind }: Token): TermEntry {
  const known = index.words.get(word)
  if (known?.term === term) {
    known.count++
    return known.entry
  }
  const entry = index.terms.get(term) ?? addTerm(index, term)
  const isWord = kind === 'word' || kind === 'part' || kind === 'compound'
  if (!known && isWord) index.words.set(word, { term, entry, count: 1 })
  return entry
}

/** Terms with the same hash have the same entry. */
function addTerm({ terms, entries }: PageIndex, term: string): TermEntry {
  const hash = termHash(term)
  let entry = entries.get(hash)
  if (!entry) {
    entry = { lastOrdinal: 0, bytes: [], count: 0, inHeading: false, lastPosition: 0, distances: [] }
    entries.set(hash, entry)
  }
  terms.set(term, entry)
  return entry
}

function addPosition(entry: TermEntry, position: number): void {
  pushVarint(entry.distances, Math.max(0, position - entry.lastPosition))
  entry.lastPosition = position
  entry.count++
}

/** Moves what was added of a page to the bytes of the entry. */
function finishPage(entry: TermEntry, ordinal: number): void {
  const { bytes, distances } = entry
  pushVarint(bytes, ordinal - entry.lastOrdinal)
  pushVarint(bytes, entry.count * 2 + (entry.inHeading ? 1 : 0))
  for (let at = 0; at < distances.length; at++) bytes.push(distances[at] as number)
  entry.lastOrdinal = ordinal
  entry.count = 0
  entry.inHeading = false
  entry.lastPosition = 0
  entry.distances = []
}

/** The finished entries, as `forEachPosting` reads them. */
export function finalizeEntries({ entries }: PageIndex): Map<number, number[]> {
  return new Map([...entries].map(([hash, { bytes }]) => [hash, bytes]))
}

/** The occurrences of a term on one page. */
export interface Posting {
  ordinal: number
  count: number
  inHeading: boolean
  /** How much it counts for its concept, from 0 to 1. */
  weight: number
  /** Offset of its positions in `bytes`. */
  at: number
  bytes: Uint8Array
}

/** Calls `visit` for each page of an entry, ascending. */
export function forEachPosting(entry: Uint8Array, visit: (posting: Posting) => void): void {
  const cursor: ByteCursor = { bytes: entry, at: 0 }
  let ordinal = 0
  while (cursor.at < entry.length) {
    ordinal += readVarint(cursor)
    const packed = readVarint(cursor)
    const count = packed >>> 1
    visit({ ordinal, count, inHeading: (packed & 1) === 1, weight: 1, at: cursor.at, bytes: entry })
    for (let remaining = count; remaining > 0; remaining--) while ((entry[cursor.at++] as number) > 0x7f);
  }
}

/** The positions of a term on a page, ascending. */
export function positionsOf({ bytes, at, count }: Posting): number[] {
  const cursor: ByteCursor = { bytes, at }
  const positions: number[] = []
  let position = 0
  for (let i = 0; i < count; i++) {
    position += readVarint(cursor)
    positions.push(position)
  }
  return positions
}
