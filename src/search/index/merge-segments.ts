import { newId } from '../../core/ids.ts'
import { newPartId } from './build-units.ts'
import { updateLibraryIndex, type SegmentServices } from './update-library-index.ts'
import { defaultLanguage, type Language } from '../../text/words/languages.ts'
import type { LibraryIndex, Segment, SegmentHeader } from './library-index-store.ts'
import { selectMerge } from './select-merge.ts'
import { countBooks } from './library-languages.ts'
import { mergeRows } from './merge-rows.ts'

/** The maximum size of a segment that is merged within a call, in bytes. Such a merge takes milliseconds. */
export const maxInlineMergeBytes = 32_000

/** Merges until nothing is left to merge or the next merge contains a segment over `limit` bytes. */
export async function mergeSmallest(services: SegmentServices, first: LibraryIndex, limit: number): Promise<void> {
  let library: LibraryIndex | null = first
  while (library) {
    const inputs = selectMerge(library.segments)
    if (!inputs || inputs.some(({ bytes }) => bytes > limit)) return
    await merge(services, library.ownerId, inputs)
    const { libraries } = services.search
    library = libraries.recall(library.ownerId)?.library ?? (await libraries.find(library.ownerId))
  }
}

/** Performs all due merges in a library, regardless of size. */
export async function mergeLibrary(services: SegmentServices, ownerId: string): Promise<void> {
  const library = await services.search.libraries.find(ownerId)
  if (!library) return
  if (selectMerge(library.segments)) await mergeSmallest(services, library, Infinity)
  // Earlier versions may leave the mark after the last merge. Each write sets it again.
  else await updateLibraryIndex(services, ownerId, async ({ segments }) => segments)
}

const workTimeoutMs = 60 * 60 * 1000

async function merge(services: SegmentServices, ownerId: string, inputs: readonly Segment[]): Promise<void> {
  const { libraries, work } = services.search
  const id = newPartId()
  const intent = { id: newId(), ownerId, bookId: null, units: [], segments: [id] }
  await work.add({ ...intent, dueAt: new Date(services.now().getTime() + workTimeoutMs) })
  const headers = await libraries.readHeaders(
    ownerId,
    inputs.filter(({ bookId }) => bookId === null).map((segment) => segment.id),
  )
  const books = inputs.flatMap((segment) => liveBooks(segment, headers.get(segment.id)))
  const positions = new Map(inputs.map((input) => [input.id, positionsIn(input, books)]))
  const rows = await mergeRows(libraries, { ownerId, id, inputs, positions })
  await libraries.writeHeader(ownerId, id, {
    ids: books.map(({ bookId }) => bookId),
    words: books.map(({ words }) => words),
    languages: books.map((book) => book.languages),
  })
  const count = books.length
  const words = books.reduce((sum, book) => sum + book.words, 0)
  const languages = countBooks(books.map((book) => book.languages))
  const merged = { id, ...rows, count, words, bookId: null, languages }
  let listed = false
  await updateLibraryIndex(services, ownerId, async ({ segments }) => {
    listed = false
    const current = inputs.map((input) => segments.find((segment) => segment.id === input.id))
    // Another process has merged one of the inputs, or all books of one were removed.
    if (current.some((segment) => segment === undefined)) return null
    const replaced = new Set(inputs.map((input) => input.id))
    const dead = current.flatMap((segment) => newlyDeleted(segment as Segment, positions))
    const rest = segments.filter((segment) => !replaced.has(segment.id))
    listed = dead.length < count
    return listed ? [{ ...merged, dead }, ...rest] : rest
  })
  // A segment that was not listed is removed when its work row is due.
  if (listed) work.complete(ownerId, intent.id)
}

interface LiveBook {
  bookId: string
  words: number
  languages: Language[]
  segmentId: string
  position: number
}

function liveBooks(segment: Segment, header: SegmentHeader | undefined): LiveBook[] {
  const { id: segmentId, bookId, words, dead } = segment
  const single = Object.keys(segment.languages ?? { [defaultLanguage]: 1 })
  if (bookId !== null) return [{ bookId, words, languages: single, segmentId, position: 0 }]
  if (!header) throw new Error(`Segment ${segmentId} has no header`)
  const removed = new Set(dead)
  return header.ids
    .map((id, position) => {
      const languages = header.languages?.[position] ?? [defaultLanguage]
      return { bookId: id, words: header.words[position] as number, languages, segmentId, position }
    })
    .filter(({ position }) => !removed.has(position))
}

/** Returns, for each book of a segment, its position in the merged segment. */
function positionsIn({ id, count }: Segment, books: readonly LiveBook[]): (number | undefined)[] {
  const positions = Array.from<number | undefined>({ length: count })
  for (const [at, { segmentId, position }] of books.entries()) if (segmentId === id) positions[position] = at
  return positions
}

/** Returns the positions in the merged segment of books that were removed during the merge. */
function newlyDeleted(
  { id, dead }: Segment,
  positions: ReadonlyMap<string, readonly (number | undefined)[]>,
): number[] {
  return dead.map((position) => positions.get(id)?.[position]).filter((position) => position !== undefined)
}
