import type { Manifest } from '../reading/manifest.ts'
import type { Clock } from '../core/context.ts'
import type { ContentStores } from '../reading/store.ts'
import type { WriteStores } from './store.ts'

interface Replacement {
  ownerId: string
  /** What takes the place. */
  manifest: Manifest
  /** A version that an import has sealed and, having ended, will never publish. */
  leftover: Manifest & { jobId: string }
}

/** Puts a version in the place of one that an import left, and removes the pages of that one; false when it is gone. */
export async function replaceLeftover(
  { contents, writes, now }: Clock & ContentStores & WriteStores,
  { ownerId, manifest, leftover }: Replacement,
): Promise<boolean> {
  const { itemId } = leftover
  const revisions = [...new Set(leftover.segments.map(({ revision }) => revision))]
  for (const revision of revisions) await writes.begin({ ownerId, itemId, revision, at: now() })
  if (!(await contents.replace(manifest, leftover.jobId))) return false
  for (const revision of revisions) {
    await contents.discard(itemId, revision)
    await writes.end(itemId, revision)
  }
  return true
}
