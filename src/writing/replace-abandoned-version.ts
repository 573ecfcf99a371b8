import type { Manifest } from '../reading/manifest.ts'
import type { Clock } from '../core/context.ts'
import type { ContentStores } from '../reading/store.ts'
import type { WriteStores } from './store.ts'

interface AbandonedReplacement {
  ownerId: string
  /** The replacement. */
  manifest: Manifest
  /** A version that an ended import has sealed and not published. */
  abandoned: Manifest & { jobId: string }
}

/** Replaces the abandoned version of an import and removes its pages; false if it no longer exists. */
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
