import { newId } from '../core/ids.ts'
import { newPartId } from './build-units.ts'
import { updateLibraryIndex, type SegmentServices } from './update-library-index.ts'
import type { LibraryIndex, Segment } from './library-index-store.ts'
import { mergeRows } from './merge-rows.ts'

/** Segments are merged sixteen at a time with others of about their size, so each book is copied a few times at most. */
const mergeFactor = 16
const tierLimits = [32_000, 512_000, 8_000_000, 128_000_000]
/** Up to this size a merge takes milliseconds. */
export const maxInlineMergeBytes = 32_000

/** True when some segments should be merged. */
export function needsMerge(library: LibraryIndex): boolean {
  return selectMerge(library) !== null
}

/** The segments to merge next, the smallest first; null when all is well. */
function selectMerge({ segments }: LibraryIndex): Segment[] | null {
  let below = 0
  for (const limit of tierLimits) {
    const tier = segments.filter(({ bytes }) => bytes > below && bytes <= limit)
    if (tier.length >= mergeFactor) return tier
    below = limit
  }
  // One of which half the books are gone is written anew without them.
  const sparse = segments.find(({ count, dead }) => dead.length * 2 > count)
  return sparse ? [sparse] : null
}

/** Merges until nothing is left to merge, or what is left is larger than `limit` bytes a segment. */
export async function mergeSmallest(services: SegmentServices, first: LibraryIndex, limit: number): Promise<void> {
  let library: LibraryIndex | null = first
  while (library) {
    const inputs = selectMerge(library)
    if (!inputs || inputs.some(({ bytes }) => bytes > limit)) return
    await merge(services, library.ownerId, inputs)
    library = await services.search.libraries.find(library.ownerId)
  }
}

/** Merges what is due in a library, whatever its size. */
export async function mergeLibrary(services: SegmentServices, ownerId: string): Promise<void> {
  const library = await services.search.libraries.find(ownerId)
  if (library) await mergeSmallest(services, library, Infinity)
  await services.search.libraries.setNeedsMerge(ownerId, false)
}

const workTimeoutMs = 60 * 60 * 1000

async function merge(services: SegmentServices, ownerId: string, inputs: readonly Segment[]): Promise<void> {
  const { libraries, work } = services.search
  const id = newPartId()
  const intent = { id: newId(), ownerId, bookId: null, units: [], segments: [id] }
  await work.add({ ...intent, dueAt: new Date(services.now().getTime() + workTimeoutMs) })
  const heads = await libraries.readHeaders(
    ownerId,
    inputs.filter(({ bookId }) => bookId === null).map((segment) => segment.id),
  )
  const books = inputs.flatMap((segment) => liveBooks(segment, heads.get(segment.id)))
  const positions = new Map(books.map(({ segmentId, position }, at) => [`${segmentId}:${position}`, at]))
  const positionOf = (segmentId: string, position: number) => positions.get(`${segmentId}:${position}`)
  const { bits, bytes } = await mergeRows(libraries, { ownerId, id, inputs, positionOf })
  await libraries.writeHeader(ownerId, id, {
    ids: books.map(({ bookId }) => bookId),
    words: books.map(({ words }) => words),
  })
  const count = books.length
  const merged = { id, bits, bytes, count, words: books.reduce((sum, book) => sum + book.words, 0), bookId: null }
  let listed = false
  await updateLibraryIndex(services, ownerId, async ({ segments }) => {
    listed = false
    const current = inputs.map((input) => segments.find((segment) => segment.id === input.id))
    // Another process has merged one of them, or all its books are gone.
    if (current.some((segment) => segment === undefined)) return null
    const replaced = new Set(inputs.map((input) => input.id))
    const dead = current.flatMap((segment) => newlyDeleted(segment as Segment, positionOf))
    const rest = segments.filter((segment) => !replaced.has(segment.id))
    listed = dead.length < count
    return listed ? [{ ...merged, dead }, ...rest] : rest
  })
  // What was written for nothing is removed when its note is due.
  if (listed) await work.complete(ownerId, intent.id)
}

interface LiveBook {
  bookId: string
  words: number
  segmentId: string
  position: number
}

function liveBooks(segment: Segment, head: { ids: string[]; words: number[] } | undefined): LiveBook[] {
  const { id: segmentId, bookId, words, dead } = segment
  if (bookId !== null) return [{ bookId, words, segmentId, position: 0 }]
  if (!head) throw new Error(`Segment ${segmentId} has no head`)
  const gone = new Set(dead)
  return head.ids
    .map((id, position) => ({ bookId: id, words: head.words[position] as number, segmentId, position }))
    .filter(({ position }) => !gone.has(position))
}

/** Places in the merged segment of books that went while it was made. */
function newlyDeleted(
  { id, dead }: Segment,
  positionOf: (segmentId: string, place: number) => number | undefined,
): number[] {
  return dead.map((place) => positionOf(id, place)).filter((place) => place !== undefined)
}
