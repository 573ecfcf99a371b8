import type { AccessibleBook } from '../books/access.ts'
import type { Book } from '../books/book.ts'
import { changedPages } from './changed-pages.ts'
import type { LastRead, LastReadStores } from './last-read-store.ts'
import type { Freshness } from './schema.ts'
import type { ContentStores } from './store.ts'
import type { Call } from '../core/context.ts'

/** The caller's last read of each book, by book id. */
export type LastReads = ReadonlyMap<string, LastRead>

/**
 * The changes of a book since the caller's last read, limited to the pages of a preview; null when there are none or it
 * is the first read.
 */
export async function findChangesSince(
  ctx: ContentStores,
  { id, version, access }: Pick<AccessibleBook, 'id' | 'version' | 'access'>,
  last: LastRead | undefined,
): Promise<Freshness['changesSinceLastRead']> {
  if (!last || last.version >= version) return null
  const [from, to] = await Promise.all([
    ctx.contents.getManifest(id, last.version),
    ctx.contents.getManifest(id, version),
  ])
  const changed = from && to ? changedPages(from, to) : []
  const lastReadablePage = access.previewPages ?? Infinity
  return {
    fromVersion: last.version,
    toVersion: version,
    changedPages: changed.filter((pageNum) => pageNum <= lastReadablePage),
    lastReadAt: last.at.toISOString(),
  }
}

const recordIntervalMs = 60_000

/**
 * Records that the caller has read these books, in one write; skips books read in the same version within the last
 * minute. Call it after charging the reads. Never throws: logs a failure.
 */
export async function recordLastReads(
  ctx: Call & LastReadStores,
  books: readonly Book[],
  last: LastReads,
): Promise<void> {
  const at = ctx.now()
  const reads = books.filter(({ id, version }) => {
    const previous = last.get(id)
    return !previous || previous.version < version || at.getTime() - previous.at.getTime() > recordIntervalMs
  })
  if (reads.length === 0) return
  try {
    await ctx.lastReads.record(
      ctx.actor.id,
      reads.map(({ id, version }) => ({ itemId: id, version })),
      at,
    )
  } catch (err) {
    ctx.log.warn({ err }, 'could not record last reads')
  }
}
