import type { AccessibleBook } from '../books/access.ts'
import type { Book } from '../books/book.ts'
import { changedPages } from './changed-pages.ts'
import type { LastRead, LastReadStores } from './last-read-store.ts'
import type { Freshness } from './schema.ts'
import type { ContentStores } from './store.ts'
import type { Call } from '../core/context.ts'

/** What the caller read last of each book, by its id. */
export type LastReads = ReadonlyMap<string, LastRead>

/** What has changed in a book since the caller read it last, of a preview in its pages; null when nothing has, or it is the first time. */
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
 * Notes that the caller has read the text of these books, in one write; none when all were read within the last minute
 * and have not changed since. Call it after the reads were charged: it never fails.
 */
export async function recordLastReads(
  ctx: Call & LastReadStores,
  books: readonly Book[],
  last: LastReads,
): Promise<void> {
  const at = ctx.now()
  const reads = books.filter(({ id, version }) => {
    const known = last.get(id)
    return !known || known.version < version || at.getTime() - known.at.getTime() > recordIntervalMs
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
