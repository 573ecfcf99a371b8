import type { Segment, SegmentHeader, SegmentRowKey } from '../index/library-index-store.ts'
import { segmentRowId } from '../index/library-index-store.ts'
import type { Language } from '../../text/words/languages.ts'
import { forEachBook } from '../index/merge-rows.ts'
import type { Concept } from '../query/parse-query.ts'
import type { OpenedSource } from './open-libraries.ts'
import { entryOf, hasCachedUnit, cachedTerm, numberUnits, cacheEntry } from './posting-cache.ts'
import { mayContain } from './term-languages.ts'
import { findEntry, shardOf } from '../words/shards.ts'
import type { SearchStore } from '../store.ts'

/** How often the books of a segment contain a concept. */
export interface BookCodes {
  /** The code of each book (`term-counts.ts`); 0 if the book does not contain the concept. */
  codes: Uint8Array
  /** The weight of the concept in each book, from 0 to 1; null: 1 in all books. */
  shares: Float32Array | null
}

/** A segment with its books and its entries for the query's terms. */
export interface LoadedSegment {
  ownerId: string
  segment: Segment
  header: SegmentHeader
  /** 1 for each book that is live and included in the search, else 0. */
  live: Uint8Array
  /** The entries that were read, by the hash of their term. */
  entries: Map<number, Uint8Array>
  /** The codes of each concept of the query. */
  concepts: BookCodes[]
}

/** Loads the segments of some libraries with their entries for the query's terms. */
export async function loadSegments(
  search: SearchStore,
  sources: readonly OpenedSource[],
  query: { concepts: readonly Concept[] },
): Promise<LoadedSegment[]> {
  const hashes = new Set(query.concepts.flatMap((concept) => concept.hashes))
  const loaded = (await Promise.all(sources.map((source) => loadSource(search, source, hashes)))).flat()
  for (const segment of loaded) segment.concepts = query.concepts.map((concept) => codesOf(segment, concept))
  return loaded
}

async function loadSource(
  { libraries }: SearchStore,
  { ownerId, includes, library }: OpenedSource,
  hashes: ReadonlySet<number>,
): Promise<LoadedSegment[]> {
  const { segments } = library
  const merged = segments.filter(({ bookId }) => bookId === null).map(({ id }) => id)
  const [headers, entries] = await Promise.all([
    libraries.readHeaders(ownerId, merged),
    readEntries(libraries, { ownerId, segments, hashes }),
  ])
  return segments.map((segment, at) => {
    const header = segment.bookId === null ? headers.get(segment.id) : headerOf(segment, segment.bookId)
    if (!header) throw new Error(`Segment ${segment.id} has no header`)
    const live = Uint8Array.from(header.ids, (book) => (includes === null || includes(book) ? 1 : 0))
    for (const position of segment.dead) live[position] = 0
    return { ownerId, segment, header, live, entries: entries[at] as SegmentEntries, concepts: [] }
  })
}

function headerOf(segment: Segment, bookId: string): SegmentHeader {
  const languages = languagesOfSegment(segment)
  return { ids: [bookId], words: [segment.words], ...(languages && { languages: [languages] }) }
}

/** Reads the entries of more terms into loaded segments. */
export async function loadTerms(
  { libraries }: SearchStore,
  segments: readonly LoadedSegment[],
  hashes: ReadonlySet<number>,
): Promise<void> {
  await Promise.all(
    [...Map.groupBy(segments, ({ ownerId }) => ownerId)].map(async ([ownerId, loaded]) => {
      const found = await readEntries(libraries, { ownerId, segments: loaded.map(({ segment }) => segment), hashes })
      for (const [at, { entries }] of loaded.entries())
        for (const [hash, entry] of found[at] as SegmentEntries) entries.set(hash, entry)
    }),
  )
}

type SegmentEntries = LoadedSegment['entries']

interface EntriesOfSegments {
  ownerId: string
  segments: readonly Segment[]
  hashes: ReadonlySet<number>
}

/** Returns the entries of some terms, one map per segment in the order of the segments. Uses the posting cache. */
async function readEntries(
  libraries: SearchStore['libraries'],
  { ownerId, segments, hashes }: EntriesOfSegments,
): Promise<SegmentEntries[]> {
  const { numbers } = numberUnits(undefined, () => segments.map(({ id }) => `${ownerId}:${id}`))
  const terms = Array.from(hashes, (hash) => ({ hash, cached: cachedTerm(hash) }))
  const keys: SegmentRowKey[] = []
  for (const [at, { id, bits }] of segments.entries())
    for (const { hash, cached } of terms)
      if (!hasCachedUnit(cached, numbers[at] as number)) keys.push({ segmentId: id, shard: shardOf(hash, bits) })
  const rows = keys.length === 0 ? new Map<string, Uint8Array>() : await libraries.readRows(ownerId, keys)
  return segments.map(({ id, bits }, at) => {
    const unit = numbers[at] as number
    const entries: SegmentEntries = new Map()
    for (const { hash, cached } of terms) {
      if (!hasCachedUnit(cached, unit)) {
        const row = rows.get(segmentRowId({ segmentId: id, shard: shardOf(hash, bits) }))
        if (row !== undefined) cacheEntry(cached, unit, findEntry(row, hash))
      }
      const entry = entryOf(cached, unit)
      if (entry) entries.set(hash, cached.bytes.subarray(entry.start, entry.end))
    }
    return entries
  })
}

/**
 * Returns how often each book of a segment contains a concept. The share of a book is the greatest weight among the terms that it contains.
 */
export function codesOf(
  { segment, header, entries }: Pick<LoadedSegment, 'segment' | 'header' | 'entries'>,
  { hashes, weights, termLanguages }: Pick<Concept, 'hashes' | 'weights' | 'termLanguages'>,
): BookCodes {
  const codes = new Uint8Array(segment.count)
  const shares = weights === undefined ? null : new Float32Array(segment.count)
  for (const [at, hash] of hashes.entries()) {
    const entry = entries.get(hash)
    const languages = termLanguages?.[at] ?? null
    if (!entry || !mayContain(languages, languagesOfSegment(segment))) continue
    const weight = weights?.[at] ?? 1
    forEachBook({ bytes: entry, start: 0, end: entry.length }, (position, code) => {
      if (!mayContain(languages, header.languages?.[position])) return
      codes[position] = mergeCodes(codes[position] as number, code)
      if (shares && weight > (shares[position] as number)) shares[position] = weight
    })
  }
  return { codes, shares }
}

/** Returns the languages of the books of a segment; undefined in rows of earlier versions. */
function languagesOfSegment({ languages }: Segment): Language[] | undefined {
  return languages && Object.keys(languages)
}

function mergeCodes(one: number, other: number): number {
  return ((one | other) & 0xf0) | Math.max(one & 0x0f, other & 0x0f)
}
