import type { Book } from '../books/book.ts'
import type { BookStores } from '../books/store.ts'
import type { Clock } from '../core/context.ts'
import type { Manifest } from '../reading/manifest.ts'
import { decideHeldVersion, type HeldVersionStores } from './held-version.ts'
import { publishVersion } from './publish-version.ts'
import { replaceAbandonedVersion } from './replace-abandoned-version.ts'
import type { WriteStores } from './store.ts'
import type { ImportJobStores } from './stores.ts'

/**
 * Seals the next version. If its number is taken, either publishes the other writer's version and returns false, or
 * replaces the abandoned version of an ended import and returns true.
 */
export async function sealVersion(
  ctx: Clock & HeldVersionStores & ImportJobStores & BookStores & WriteStores,
  book: Book,
  manifest: Manifest,
): Promise<boolean> {
  if (await ctx.contents.seal(manifest)) return true
  const other = await ctx.contents.findSealedManifest(book.id, manifest.version)
  if (!other) return false
  const { jobId } = other
  if (jobId === null) {
    if (await decideHeldVersion(ctx, book, other)) await publishVersion(ctx, book, other)
    return false
  }
  // A running import publishes its version itself.
  const job = await ctx.jobs.byId(book.ownerId, jobId)
  if (job?.status === 'PENDING' || job?.status === 'RUNNING') return false
  const [current] = await ctx.books.findOwned(book.ownerId, [book.id])
  if (!current || current.version >= other.version) return false
  return replaceAbandonedVersion(ctx, { ownerId: book.ownerId, manifest, abandoned: { ...other, jobId } })
}
