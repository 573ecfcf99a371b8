import { countOf, fields } from './term-counts.ts'
import type { LibraryIndex, Segment, SegmentHead } from './library-index-store.ts'
import { readBooks } from './merge-rows.ts'
import type { Query } from './parse-query.ts'
import type { Shelf } from './list-search-sources.ts'
import { segmentRowId } from './library-index-store.ts'
import { lookUp, shardOf } from './shards.ts'
import type { SearchStore } from './store.ts'

export interface MatchedBook {
  bookId: string
  ownerId: string
  score: number
}

/** Every book that has at least half of the words, and all of each phrase; the best first. From book-level counts alone. */
export async function matchBooks(search: SearchStore, shelves: readonly Shelf[], query: Query): Promise<MatchedBook[]> {
  const parts = (await Promise.all(shelves.map((shelf) => loadShelf(search, shelf, query)))).flat()
  const books = parts.reduce((sum, part) => sum + part.live.reduce((count, live) => count + live, 0), 0)
  const words = parts.reduce((sum, { segment }) => sum + segment.words, 0)
  const average =
    words /
    Math.max(
      1,
      parts.reduce((sum, { segment }) => sum + segment.count, 0),
    )
  const weights = query.concepts.map((_, concept) => rarity(parts, concept, books))
  const found = parts.flatMap((part) => scorePart(part, query, { weights, average: Math.max(1, average) }))
  return found.sort((a, b) => b.score - a.score || (a.bookId < b.bookId ? -1 : 1))
}

/** A segment with what it says about the words of a query. */
interface Part {
  ownerId: string
  segment: Segment
  head: SegmentHead
  /** For each book 1 when it counts. */
  live: Uint8Array
  /** For each concept the code of each book, 0 where it does not have it. */
  codes: Uint8Array[]
}

async function loadShelf({ libraries }: SearchStore, shelf: Shelf, query: Query): Promise<Part[]> {
  const { ownerId } = shelf
  const library = await libraries.find(ownerId)
  if (!library) return []
  const merged = library.segments.filter(({ bookId }) => bookId === null).map(({ id }) => id)
  const hashes = [...new Set(query.concepts.flatMap((concept) => concept.hashes))]
  const keys = library.segments.flatMap(({ id, bits }) =>
    hashes.map((hash) => ({ segmentId: id, shard: shardOf(hash, bits) })),
  )
  const [heads, rows] = await Promise.all([libraries.heads(ownerId, merged), libraries.rows(ownerId, keys)])
  return library.segments.map((segment) => partOf(segment, { library, shelf, heads, rows, query }))
}

interface Loaded {
  library: LibraryIndex
  shelf: Shelf
  heads: ReadonlyMap<string, SegmentHead>
  rows: ReadonlyMap<string, Uint8Array>
  query: Query
}

function partOf(segment: Segment, { library, shelf, heads, rows, query }: Loaded): Part {
  const { id, bits, bookId, words, count, dead } = segment
  const head = bookId === null ? heads.get(id) : { ids: [bookId], words: [words] }
  if (!head) throw new Error(`Segment ${id} has no head`)
  const { accepts } = shelf
  const live = Uint8Array.from(head.ids, (book) => (accepts === null || accepts(book) ? 1 : 0))
  for (const place of dead) live[place] = 0
  const codes = query.concepts.map(({ hashes }) => {
    const all = new Uint8Array(count)
    for (const hash of hashes) {
      const row = rows.get(segmentRowId({ segmentId: id, shard: shardOf(hash, bits) }))
      const entry = row && lookUp(row, hash)
      if (entry) readBooks(entry, (place, code) => (all[place] = mergeCodes(all[place] as number, code)))
    }
    return all
  })
  return { ownerId: library.ownerId, segment, head, live, codes }
}

function mergeCodes(one: number, other: number): number {
  return ((one | other) & 0xf0) | Math.max(one & 0x0f, other & 0x0f)
}

/** Inverse document frequency as in BM25, never negative. */
function rarity(parts: readonly Part[], concept: number, books: number): number {
  let having = 0
  for (const { live, codes } of parts) {
    const own = codes[concept] as Uint8Array
    for (let place = 0; place < own.length; place++) if (own[place] !== 0 && live[place] === 1) having++
  }
  return Math.log(1 + (books - having + 0.5) / (having + 0.5))
}

interface Scale {
  weights: readonly number[]
  /** Words of a book. */
  average: number
}

const saturation = 6
const lengthShare = 0.5
const fieldCounts = [
  [fields.title, 24],
  [fields.author, 16],
  [fields.outline, 8],
  [fields.description, 6],
] as const

/** BM25F: fields count as so many times in the text, and more of the same counts less and less. */
function scorePart(part: Part, query: Query, { weights, average }: Scale): MatchedBook[] {
  const { ownerId, head, live, codes } = part
  const all = query.concepts.reduce((sum, { light }, at) => sum + (light ? 0 : (weights[at] as number)), 0)
  const found: MatchedBook[] = []
  for (let place = 0; place < live.length; place++) {
    if (live[place] !== 1 || !fulfils(codes, place, query)) continue
    const length = 1 - lengthShare + (lengthShare * (head.words[place] as number)) / average
    let score = 0
    let covered = 0
    for (let at = 0; at < codes.length; at++) {
      const code = (codes[at] as Uint8Array)[place] as number
      if (code === 0 || query.concepts[at]?.light) continue
      let count = countOf(code) / length
      for (const [field, worth] of fieldCounts) if (code & field) count += worth
      score += ((weights[at] as number) * count) / (saturation + count)
      covered += weights[at] as number
    }
    found.push({ bookId: head.ids[place] as string, ownerId, score: score * (covered / all) })
  }
  return found
}

function fulfils(codes: readonly Uint8Array[], place: number, { concepts, phrases, needed }: Query): boolean {
  let having = 0
  for (let at = 0; at < codes.length; at++) {
    if (codes[at]?.[place] !== 0 && !concepts[at]?.light) having++
  }
  if (having < needed) return false
  return phrases.every((phrase) => phrase.concepts.every((concept) => codes[concept]?.[place] !== 0))
}
