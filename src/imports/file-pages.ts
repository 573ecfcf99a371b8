import type { Manifest } from '../reading/manifest.ts'
import { pageRefs, type PageRef } from '../reading/store.ts'
import { isAttemptRevision } from './end-processing.ts'

/**
 * The pages of a version by their page number in the file (both from 1). Leaves out pages that a person or agent has
 * rewritten, because they differ from the file.
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
