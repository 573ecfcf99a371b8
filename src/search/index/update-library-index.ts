import { setTimeout } from 'node:timers/promises'
import { newId } from '../../core/ids.ts'
import type { KnownLibrary, LibraryIndex, Segment } from './library-index-store.ts'
import { selectMerge } from './select-merge.ts'
import type { Clock } from '../../core/context.ts'
import type { SearchStores } from '../store.ts'
import { readerGraceMs } from './index-work-store.ts'

export type SegmentServices = Clock & SearchStores

const maxAttempts = 200

/**
 * Changes the segment list of a library atomically, and retries after concurrent changes. Returns false if `change` returns null. Throws
 * after 200 concurrent changes. At first, the list is the one that this process knows: if it is outdated, the write fails.
 */
export async function updateLibraryIndex(
  { search, now }: SegmentServices,
  ownerId: string,
  change: (library: LibraryIndex, since: KnownLibrary['since']) => Promise<Segment[] | null>,
): Promise<boolean> {
  const { libraries } = search
  let known = libraries.recall(ownerId)
  for (let attempt = 0; attempt < maxAttempts; attempt++, known = undefined) {
    const { library, since } = known ?? (await libraries.read(ownerId))
    const segments = await change(library ?? { ownerId, stamp: '', segments: [] }, since)
    if (segments === null) return false
    if (!library && segments.length === 0) return true
    const kept = new Set(segments.map(({ id }) => id))
    const removed = library?.segments.map(({ id }) => id).filter((id) => !kept.has(id)) ?? []
    const work = { id: newId(), ownerId, bookId: null, units: [], segments: removed }
    if (removed.length > 0) await search.work.add({ ...work, dueAt: new Date(now().getTime() + readerGraceMs) })
    const content = { segments, needsMerge: selectMerge(segments) !== null }
    if (await libraries.replace(ownerId, library?.stamp ?? null, content)) return true
    await setTimeout(Math.random() * 20 * Math.min(attempt, 10))
  }
  throw new Error(`The search index of ${ownerId} was changed concurrently ${maxAttempts} times`)
}
