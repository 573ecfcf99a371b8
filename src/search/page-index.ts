import { analyseInSteps } from '../text/words/analyse.ts'
import { stripMarkdownInSteps } from './strip-markdown.ts'
import { termHash } from './term-hash.ts'
import { pushVarint, readVarint, type ByteCursor } from './varint.ts'

/*
 * Maps terms to positions in a run of pages. The entry of a term has, for each page with it: the distance to the
 * previous page, twice the number of occurrences (plus one when one is in a heading), and the distances between its
 * positions.
 */

export interface PageIndex {
  entries: Map<number, number[]>
  /** Number of words of each page, in order. */
  lengths: number[]
}

/** Creates an empty index. */
export function createPageIndex(): PageIndex {
  return { entries: new Map(), lengths: [] }
}

/** Terms between two steps. */
const termsPerStep = 256

interface Occurrences {
  positions: number[]
  inHeading: boolean
}

/** Adds the next page, in Markdown, in steps. */
export function* addPage(index: PageIndex, markdown: string): Generator<void, void> {
  const { text, headings } = yield* stripMarkdownInSteps(markdown)
  yield* addText(index, text, headings)
}

/** Adds plain text as the next page, in steps. */
export function* addText(
  index: PageIndex,
  text: string,
  headings: readonly [number, number][] = [],
): Generator<void, void> {
  const ordinal = index.lengths.length
  const found = new Map<number, Occurrences>()
  let next = 0
  const length = yield* analyseInSteps(text, ({ term, position, start, kind }) => {
    while (next < headings.length && (headings[next] as [number, number])[1] <= start) next++
    const inHeading = next < headings.length && start >= (headings[next] as [number, number])[0]
    const hash = termHash(term)
    const existing = found.get(hash)
    if (!existing) found.set(hash, { positions: [position], inHeading })
    // A single character of a script without spaces is only looked up alone: its first position is enough.
    else if (kind !== 'unigram') existing.positions.push(position)
    if (existing && inHeading) existing.inHeading = true
  })
  index.lengths.push(length)
  for (const [hash, occurrences] of found) {
    appendPosting(index.entries, { hash, ordinal, occurrences })
    if (index.entries.size % termsPerStep === 0) yield
  }
}

interface TermOccurrences {
  hash: number
  ordinal: number
  occurrences: Occurrences
}

/** Element 0 of an entry holds the last ordinal until `finalizeEntries`, because the bytes alone do not give it. */
function appendPosting(entries: Map<number, number[]>, { hash, ordinal, occurrences }: TermOccurrences): void {
  let entry = entries.get(hash)
  if (!entry) {
    entry = [0]
    entries.set(hash, entry)
  }
  pushVarint(entry, ordinal - (entry[0] as number))
  entry[0] = ordinal
  const { positions, inHeading } = occurrences
  pushVarint(entry, positions.length * 2 + (inHeading ? 1 : 0))
  let last = 0
  for (const position of positions) {
    pushVarint(entry, Math.max(0, position - last))
    last = position
  }
}

/** The finished entries, as `forEachPosting` reads them. */
export function finalizeEntries({ entries }: PageIndex): Map<number, number[]> {
  for (const entry of entries.values()) entry.shift()
  return entries
}

/** The occurrences of a term on one page. */
export interface Posting {
  ordinal: number
  count: number
  inHeading: boolean
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
    visit({ ordinal, count, inHeading: (packed & 1) === 1, at: cursor.at, bytes: entry })
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
