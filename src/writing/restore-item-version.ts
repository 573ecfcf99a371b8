import { AppError } from '../core/errors.ts'
import { versionRemovedError } from '../reading/find-readable-version.ts'
import { changedPages } from '../reading/changed-pages.ts'
import { MissingPageError, pageRefs } from '../reading/store.ts'
import { type Manifest } from '../reading/manifest.ts'
import type { RestoredVersion, RestoreItemVersion } from './schema.ts'
import { writeVersion } from './write-version.ts'
import type { Call } from '../core/context.ts'
import type { WritingStores } from './stores.ts'
import type { ContentStores } from '../reading/store.ts'

/**
 * Restores the text of an earlier version as a new version that shares its pages. The replaced text stays available as
 * the previous version. Refuses an unknown version and a removed one with NOT_FOUND.
 */
export async function restoreItemVersion(
  ctx: Call & WritingStores,
  input: RestoreItemVersion,
): Promise<RestoredVersion> {
  const { id, version: restoredFrom, expectedVersion } = input
  const written = await writeVersion(ctx, {
    id,
    reason: 'restore',
    expectedVersion,
    restoredFrom,
    async draft(base) {
      const target = await findRestorable(ctx, base, restoredFrom)
      const isSame = await hasSameText(ctx, base, target).catch(async (error: unknown) => {
        // The version may have been removed since it was looked up.
        if (error instanceof MissingPageError) await findRestorable(ctx, base, restoredFrom)
        throw error
      })
      if (isSame) return null
      const { runs, pageCount, bytes, words, toc, figures } = target
      return { pages: [], runs, pageCount, bytes, words, toc, ...(figures ? { figures } : {}) }
    },
  })
  const { version, pageCount, updatedAt } = written
  return { id, version, restoredFrom, pageCount, updatedAt }
}

async function findRestorable({ contents }: ContentStores, base: Manifest, version: number): Promise<Manifest> {
  const target = version <= base.version ? await contents.findSealedManifest(base.itemId, version) : null
  if (!target) {
    throw new AppError(
      'NOT_FOUND',
      `Version ${version} not found: the book is at version ${base.version}. list_item_versions lists earlier ones.`,
    )
  }
  if (target.purgedAt !== undefined) throw versionRemovedError()
  return target
}

/** True if two versions have the same text on the same pages. Reads only pages that are stored at two locations. */
async function hasSameText({ contents }: ContentStores, a: Manifest, b: Manifest): Promise<boolean> {
  if (a.pageCount !== b.pageCount || a.bytes !== b.bytes) return false
  const differing = new Set(changedPages(a, b))
  const textsOf = async (manifest: Manifest) => {
    const refs = [...pageRefs(manifest, 1, manifest.pageCount)].filter(({ pageNum }) => differing.has(pageNum))
    return (await contents.getPages(refs)).map(({ content }) => content)
  }
  const [texts, others] = await Promise.all([textsOf(a), textsOf(b)])
  return texts.every((text, index) => text === others[index])
}
