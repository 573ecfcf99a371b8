import { setTimeout } from 'node:timers/promises'
import { newId } from '../../core/ids.ts'
import type { LibraryIndex, Segment } from './library-index-store.ts'
import { selectMerge } from './select-merge.ts'
import type { Clock } from '../../core/context.ts'
import type { SearchStores } from '../store.ts'
import { readerGraceMs } from './index-work-store.ts'

export type SegmentServices = Clock & SearchStores

const maxAttempts = 200

/**
 * Changes the segment list of a library atomically, and retries after concurrent changes. Returns false if `change` returns null. Throws
 * after 200 concurrent changes.
 */
export async function updateLibraryIndex(
  { search, now }: SegmentServices,
  ownerId: string,
  change: (library: LibraryIndex) => Promise<Segment[] | null>,
): Promise<boolean> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const library = await search.libraries.find(ownerId)
    const segments = await change(library ?? { ownerId, stamp: '', segments: [] })
    if (segments === null) return false
    if (!library && segments.length === 0) return true
    const kept = new Set(segments.map(({ id }) => id))
    const removed = library?.segments.map(({ id }) => id).filter((id) => !kept.has(id)) ?? []
    const work = { id: newId(), ownerId, bookId: null, units: [], segments: removed }
    if (removed.length > 0) await search.work.add({ ...work, dueAt: new Date(now().getTime() + readerGraceMs) })
    const content = { segments, needsMerge: selectMerge(segments) !== null }
    if (await search.libraries.replace(ownerId, library?.stamp ?? null, content)) return true
    await setTimeout(Math.random() * 20 * Math.min(attempt, 10))
  }
  throw new Error(`The search index of ${ownerId} was changed concurrently ${maxAttempts} times`)
}
