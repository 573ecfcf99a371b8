import { isBookKept } from '../books/bin.ts'
import type { BinStores } from '../books/bin-store.ts'
import type { BookStores } from '../books/store.ts'
import type { PageRun } from '../reading/manifest.ts'
import type { DuePurge, VersionLayout } from '../reading/purge-store.ts'
import { recountStoredBytes } from '../reading/stored-bytes.ts'
import { pageId, type ContentStores } from '../reading/store.ts'

type Stores = BookStores & BinStores & ContentStores

/**
 * Removes the stored text of a version that is marked as removed: the pages and the outline that no other version has,
 * and takes them off what the book's owner stores. Idempotent: a repeat completes an interrupted removal. A version that is sealed meanwhile from the removed one is
 * either seen here, and keeps its pages, or sees the mark, and is dropped (`settleHeldVersion`).
 */
export async function completePurge({ books, bin, contents }: Stores, purge: DuePurge): Promise<void> {
  const { itemId, version, ownerId } = purge
  const [book] = await books.findOwned(ownerId, [itemId])
  // In the bin: the mark stays, so the sweep removes the text when the book comes back.
  if (!book && (await isBookKept({ books, bin }, { id: itemId }))) return
  // The book is erased with everything in it.
  if (!book) return contents.removeBook(itemId)
  const layouts = await contents.listLayouts(itemId)
  const removed = layouts.find((layout) => layout.version === version)
  if (!removed) return
  const others = layouts.filter(({ purged }) => !purged)
  await contents.removePages(unsharedPages(removed, others))
  if (removed.outlineId !== null) await removeOutline({ books, contents }, purge, removed.outlineId)
  await correctOwnBytes(contents, layouts)
  await contents.endPurge(purge)
  await recountStoredBytes({ books, contents }, book)
}

/** Counts what versions with removed text still store: the pages that they brought and that later versions share. */
async function correctOwnBytes(contents: ContentStores['contents'], layouts: readonly VersionLayout[]): Promise<void> {
  const earlierRevisions = new Set<string>()
  for (const layout of layouts.toSorted((a, b) => a.version - b.version)) {
    const { itemId, runs, purged } = layout
    const brought = runs.filter(({ revision }) => !earlierRevisions.has(revision))
    for (const { revision } of runs) earlierRevisions.add(revision)
    const ids = brought.flatMap((run) => pageIds(itemId, run))
    if (purged) await contents.setOwnBytes(layout, await contents.sumPageBytes(ids))
  }
}

/** The ids of the pages that the removed version has and none of the others. */
function unsharedPages({ itemId, runs }: VersionLayout, others: readonly VersionLayout[]): string[] {
  const revisions = new Set(runs.map(({ revision }) => revision))
  const kept = new Set<string>()
  const seen = new Set<string>()
  for (const run of others.flatMap((other) => other.runs)) {
    const key = `${run.revision}.${run.start}.${run.count}`
    if (!revisions.has(run.revision) || seen.has(key)) continue
    seen.add(key)
    for (const id of pageIds(itemId, run)) kept.add(id)
  }
  return [...new Set(runs.flatMap((run) => pageIds(itemId, run)))].filter((id) => !kept.has(id))
}

function pageIds(itemId: string, { revision, start, count }: PageRun): string[] {
  return Array.from({ length: count }, (_, offset) => pageId(itemId, revision, start + offset))
}

/** Removes an outline that nothing else uses, and puts it back if a version that was sealed meanwhile has it. */
async function removeOutline(
  { books, contents }: BookStores & ContentStores,
  { itemId, ownerId }: DuePurge,
  id: string,
): Promise<void> {
  const isUsed = async () => {
    const [book] = await books.findOwned(ownerId, [itemId])
    const layouts = await contents.listLayouts(itemId)
    return book?.tocId === id || layouts.some(({ purged, outlineId }) => !purged && outlineId === id)
  }
  if (await isUsed()) return
  const toc = await contents.getOutline(id)
  await contents.removeOutline(id)
  if (toc.length > 0 && (await isUsed())) await contents.saveOutline(itemId, toc)
}
