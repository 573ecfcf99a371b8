import { decodeCount, fieldBits } from './term-counts.ts'
import type { LibraryIndex, Segment, SegmentHeader } from './library-index-store.ts'
import { forEachBook } from './merge-rows.ts'
import { runSteps } from '../runtime/turns.ts'
import type { Query } from './parse-query.ts'
import type { SearchRequest } from './search-work.ts'
import type { SearchSource } from './list-search-sources.ts'
import { segmentRowId } from './library-index-store.ts'
import { findEntry, shardOf } from './shards.ts'
import type { SearchStore } from './store.ts'

export interface MatchedBook {
  bookId: string
  ownerId: string
  score: number
  /** Number of its words. */
  words: number
}

/** Every book with any of the words and all words of each phrase, best first. Uses book-level counts only. */
export async function matchBooks(
  search: SearchStore,
  sources: readonly SearchSource[],
  { query, work }: SearchRequest,
): Promise<MatchedBook[]> {
  const segments = (await Promise.all(sources.map((source) => loadSegments(search, source, query)))).flat()
  const books = segments.reduce((sum, part) => sum + part.live.reduce((count, live) => count + live, 0), 0)
  const words = segments.reduce((sum, { segment }) => sum + segment.words, 0)
  const average =
    words /
    Math.max(
      1,
      segments.reduce((sum, { segment }) => sum + segment.count, 0),
    )
  const weights = query.concepts.map(({ count }, concept) => count * inverseDocumentFrequency(segments, concept, books))
  const stats = { weights, average: Math.max(1, average) }
  let found: MatchedBook[] = []
  for (const part of segments) found = found.concat(await runSteps(work.pacer, scoreSegment(part, query, stats)))
  return found.sort((a, b) => b.score - a.score || (a.bookId < b.bookId ? -1 : 1))
}

/** A segment with its codes for the query's terms. */
interface LoadedSegment {
  ownerId: string
  segment: Segment
  header: SegmentHeader
  /** 1 for each book that counts, else 0. */
  live: Uint8Array
  /** For each concept the code of each book; 0: the book lacks it. */
  codes: Uint8Array[]
}

async function loadSegments({ libraries }: SearchStore, source: SearchSource, query: Query): Promise<LoadedSegment[]> {
  const { ownerId } = source
  const library = await libraries.find(ownerId)
  if (!library) return []
  const merged = library.segments.filter(({ bookId }) => bookId === null).map(({ id }) => id)
  const hashes = [...new Set(query.concepts.flatMap((concept) => concept.hashes))]
  const keys = library.segments.flatMap(({ id, bits }) =>
    hashes.map((hash) => ({ segmentId: id, shard: shardOf(hash, bits) })),
  )
  const [headers, rows] = await Promise.all([libraries.readHeaders(ownerId, merged), libraries.readRows(ownerId, keys)])
  return library.segments.map((segment) => decodeSegment(segment, { library, source, headers, rows, query }))
}

interface LoadedIndex {
  library: LibraryIndex
  source: SearchSource
  headers: ReadonlyMap<string, SegmentHeader>
  rows: ReadonlyMap<string, Uint8Array>
  query: Query
}

function decodeSegment(segment: Segment, { library, source, headers, rows, query }: LoadedIndex): LoadedSegment {
  const { id, bits, bookId, words, count, dead } = segment
  const header = bookId === null ? headers.get(id) : { ids: [bookId], words: [words] }
  if (!header) throw new Error(`Segment ${id} has no header`)
  const { includes } = source
  const live = Uint8Array.from(header.ids, (book) => (includes === null || includes(book) ? 1 : 0))
  for (const position of dead) live[position] = 0
  const codes = query.concepts.map(({ hashes }) => {
    const all = new Uint8Array(count)
    for (const hash of hashes) {
      const row = rows.get(segmentRowId({ segmentId: id, shard: shardOf(hash, bits) }))
      const entry = row && findEntry(row, hash)
      if (entry) forEachBook(entry, (position, code) => (all[position] = mergeCodes(all[position] as number, code)))
    }
    return all
  })
  return { ownerId: library.ownerId, segment, header, live, codes }
}

function mergeCodes(one: number, other: number): number {
  return ((one | other) & 0xf0) | Math.max(one & 0x0f, other & 0x0f)
}

/** Inverse document frequency as in BM25, never negative. */
function inverseDocumentFrequency(segments: readonly LoadedSegment[], concept: number, books: number): number {
  let documentFrequency = 0
  for (const { live, codes } of segments) {
    const bookCodes = codes[concept] as Uint8Array
    for (let at = 0; at < bookCodes.length; at++) if (bookCodes[at] !== 0 && live[at] === 1) documentFrequency++
  }
  return Math.log(1 + (books - documentFrequency + 0.5) / (documentFrequency + 0.5))
}

interface ScoringStats {
  weights: readonly number[]
  /** Average number of words of a book. */
  average: number
}

const saturation = 6
const lengthWeight = 0.5
const fieldWeights = [
  [fieldBits.title, 24],
  [fieldBits.author, 16],
  [fieldBits.outline, 8],
  [fieldBits.description, 6],
] as const

/** Books between two steps. */
const booksPerStep = 256

/** BM25F: a field counts as a number of occurrences in the text, and each further occurrence counts less. */
function* scoreSegment(
  segment: LoadedSegment,
  query: Query,
  { weights, average }: ScoringStats,
): Generator<void, MatchedBook[]> {
  const { ownerId, header, live, codes } = segment
  const all = query.concepts.reduce((sum, { phraseOnly }, at) => sum + (phraseOnly ? 0 : (weights[at] as number)), 0)
  const found: MatchedBook[] = []
  for (let position = 0; position < live.length; position++) {
    if (position % booksPerStep === 0) yield
    if (live[position] !== 1 || !matchesQuery(codes, position, query)) continue
    const length = 1 - lengthWeight + (lengthWeight * (header.words[position] as number)) / average
    let score = 0
    let covered = 0
    for (let at = 0; at < codes.length; at++) {
      const code = (codes[at] as Uint8Array)[position] as number
      if (code === 0 || query.concepts[at]?.phraseOnly) continue
      let count = decodeCount(code) / length
      for (const [field, weight] of fieldWeights) if (code & field) count += weight
      score += ((weights[at] as number) * count) / (saturation + count)
      covered += weights[at] as number
    }
    const words = header.words[position] as number
    found.push({ bookId: header.ids[position] as string, ownerId, score: score * Math.sqrt(covered / all), words })
  }
  return found
}

function matchesQuery(codes: readonly Uint8Array[], position: number, { concepts, phrases }: Query): boolean {
  const hasAny = codes.some((code, at) => code[position] !== 0 && !concepts[at]?.phraseOnly)
  return hasAny && phrases.every((phrase) => phrase.concepts.every((concept) => codes[concept]?.[position] !== 0))
}
