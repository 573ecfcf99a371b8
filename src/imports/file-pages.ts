import type { Manifest } from '../reading/manifest.ts'
import { pageRefs, type PageRef } from '../reading/store.ts'
import { isAttemptRevision } from './end-processing.ts'

/**
 * The pages of a version by the page of the file that they come from, both from 1. Without those that somebody has written: they are no
 * longer what the file shows.
 */
export function refsByFilePage(manifest: Pick<Manifest, 'itemId' | 'runs'>): Map<number, PageRef> {
  const refs = new Map<number, PageRef>()
  let before = 0
  for (const { revision, start, count } of manifest.runs) {
    if (isAttemptRevision(revision))
      for (const ref of pageRefs(manifest, before + 1, before + count)) refs.set(start + ref.pageNum - before, ref)
    before += count
  }
  return refs
}
