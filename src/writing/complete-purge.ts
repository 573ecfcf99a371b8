import { isBookKept } from '../books/bin.ts'
import type { BinStores } from '../books/bin-store.ts'
import type { BookStores } from '../books/store.ts'
import type { PageRun } from '../reading/manifest.ts'
import type { DuePurge, VersionLayout } from '../reading/purge-store.ts'
import { recountStoredBytes } from '../reading/stored-bytes.ts'
import { pageId, type ContentStores } from '../reading/store.ts'
import { findFigureMarkers } from '../text/figure-markers.ts'

const pagesPerBatch = 200

type Stores = BookStores & BinStores & ContentStores

/**
 * Removes the stored text of a version that is marked as removed: the pages and the outline that no other version uses.
 * Subtracts them from the stored bytes of the book's owner. Idempotent: a repeat completes an interrupted removal. A
 * version that is concurrently sealed from the removed one is either found here, and keeps its pages, or finds the
 * mark, and is dropped (`decideHeldVersion`).
 */
export async function completePurge({ books, bin, contents }: Stores, purge: DuePurge): Promise<void> {
  const { itemId, version, ownerId } = purge
  const [book] = await books.findOwned(ownerId, [itemId])
  // The book is in the bin: the mark stays, so that the sweep removes the text if the book returns.
  if (!book && (await isBookKept({ books, bin }, { id: itemId }))) return
  // The book was erased with all its content.
  if (!book) return contents.removeBook(itemId)
  const layouts = await contents.listLayouts([itemId])
  const removed = layouts.find((layout) => layout.version === version)
  if (!removed) return
  const others = layouts.filter(({ purged }) => !purged)
  await contents.removePages(unsharedPages(removed, others))
  if (removed.figures) await removeFigures(contents, { itemId, revision: removed.figures.revision }, others)
  if (removed.outlineId !== null) await removeOutline({ books, contents }, purge, removed.outlineId)
  await correctOwnBytes(contents, layouts)
  await contents.endPurge(purge)
  await recountStoredBytes({ books, contents }, book)
}

/** Corrects the bytes of versions with removed text: what remains are pages that later versions share. */
async function correctOwnBytes(contents: ContentStores['contents'], layouts: readonly VersionLayout[]): Promise<void> {
  const earlierRevisions = new Set<string>()
  for (const layout of layouts.toSorted((a, b) => a.version - b.version)) {
    const { itemId, runs, figures, purged } = layout
    const brought = runs.filter(({ revision }) => !earlierRevisions.has(revision))
    for (const { revision } of runs) earlierRevisions.add(revision)
    const ids = brought.flatMap((run) => pageIds(itemId, run))
    if (!purged) continue
    // Figures belong to the import that brought the pages.
    const broughtFigures = figures && brought.some(({ revision }) => revision === figures.revision)
    const kept = broughtFigures ? await contents.figures.list(itemId, figures.revision) : []
    const figureBytes = kept.reduce((sum, { bytes }) => sum + bytes, 0)
    await contents.setOwnBytes(layout, (await contents.sumPageBytes(ids)) + figureBytes)
  }
}

/**
 * Removes the figures of a revision that no page of the other versions refers to, because a removed text includes its
 * pictures.
 */
async function removeFigures(
  contents: ContentStores['contents'],
  { itemId, revision }: { itemId: string; revision: string },
  others: readonly VersionLayout[],
): Promise<void> {
  const sharing = others.filter(({ figures }) => figures?.revision === revision)
  const ids = [...new Set(sharing.flatMap(({ runs }) => runs.flatMap((run) => pageIds(itemId, run))))]
  const shown = new Set<string>()
  for (let from = 0; from < ids.length; from += pagesPerBatch) {
    const refs = ids.slice(from, from + pagesPerBatch).map((id, at) => ({ id, pageNum: from + at + 1 }))
    for (const { content } of await contents.passPages(refs))
      for (const { id } of findFigureMarkers(content)) shown.add(id)
  }
  await contents.figures.discard(itemId, revision, shown)
}

/** The ids of the pages that only the removed version has. */
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

/** Removes an outline that nothing else uses, and restores it if a version that was sealed in the meantime uses it. */
async function removeOutline(
  { books, contents }: BookStores & ContentStores,
  { itemId, ownerId }: DuePurge,
  id: string,
): Promise<void> {
  const isUsed = async () => {
    const [book] = await books.findOwned(ownerId, [itemId])
    const layouts = await contents.listLayouts([itemId])
    return book?.tocId === id || layouts.some(({ purged, outlineId }) => !purged && outlineId === id)
  }
  if (await isUsed()) return
  const toc = await contents.getOutline(id)
  await contents.removeOutline(id)
  if (toc.length > 0 && (await isUsed())) await contents.saveOutline(itemId, toc)
}
