import type { AccessibleBook } from '../books/access.ts'
import type { Book } from '../books/book.ts'
import { formatPageRanges, mergeRanges } from '../text/page-ranges.ts'
import { changedPages } from './changed-pages.ts'
import type { LastRead, LastReadStores } from './last-read-store.ts'
import type { Freshness } from './schema.ts'
import type { ContentStores } from './store.ts'
import type { Call } from '../core/context.ts'

/** The caller's last read of each book, by book id. */
export type LastReads = ReadonlyMap<string, LastRead>

/**
 * The changes of a book since the caller's last read, limited to the pages of a preview; null if there are none or this
 * is the first read.
 */
export async function findChangesSince(
  ctx: ContentStores,
  { id, version, access, contentUpdatedAt }: Pick<AccessibleBook, 'id' | 'version' | 'access' | 'contentUpdatedAt'>,
  last: LastRead | undefined,
): Promise<Freshness['changesSinceLastRead']> {
  if (!last || last.version >= version) return null
  const [from, to] = await Promise.all([
    ctx.contents.getManifest(id, last.version),
    ctx.contents.getManifest(id, version),
  ])
  const lastReadablePage = access.previewPages ?? Infinity
  const changed = from && to ? changedPages(from, to).filter((pageNum) => pageNum <= lastReadablePage) : null
  const eventCount = version - last.version
  return {
    fromVersion: last.version,
    toVersion: version,
    changedPages: changed ?? [],
    eventCount,
    summary: summarizeChanges(eventCount, changed),
    lastUpdatedAt: contentUpdatedAt.toISOString(),
    lastReadAt: last.at.toISOString(),
  }
}

/** One sentence about the changed pages that the caller may read; null if they are not known. */
function summarizeChanges(versions: number, changed: readonly number[] | null): string {
  const newVersions = versions === 1 ? '1 new version' : `${versions} new versions`
  if (changed === null) return `${newVersions}.`
  if (changed.length === 0) return `${newVersions}; none of the pages that you can read changed.`
  const pages = formatPageRanges(mergeRanges(changed.map((pageNum) => ({ from: pageNum, to: pageNum }))))
  return `${newVersions}; changed ${changed.length === 1 ? 'page' : 'pages'}: ${pages.replaceAll(',', ', ')}.`
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
