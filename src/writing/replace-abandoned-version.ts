import type { Manifest } from '../reading/manifest.ts'
import type { Clock } from '../core/context.ts'
import type { ContentStores } from '../reading/store.ts'
import type { WriteStores } from './store.ts'

interface AbandonedReplacement {
  ownerId: string
  /** What takes the place. */
  manifest: Manifest
  /** A version that an import has sealed and, having ended, will never publish. */
  abandoned: Manifest & { jobId: string }
}

/** Puts a version in the place of one that an import left, and removes the pages of that one; false when it is gone. */
export async function replaceAbandonedVersion(
  { contents, writes, now }: Clock & ContentStores & WriteStores,
  { ownerId, manifest, abandoned }: AbandonedReplacement,
): Promise<boolean> {
  const { itemId } = abandoned
  const revisions = [...new Set(abandoned.runs.map(({ revision }) => revision))]
  for (const revision of revisions) await writes.begin({ ownerId, itemId, revision, at: now() })
  if (!(await contents.replaceSealed(manifest, abandoned.jobId))) return false
  for (const revision of revisions) {
    await contents.discardPages(itemId, revision)
    await writes.end(itemId, revision)
  }
  return true
}
