import type { Manifest, PageRun } from '../reading/manifest.ts'
import { pageId, pageRefs, type ContentStores } from '../reading/store.ts'
import { ownBytesOf } from '../reading/stored-bytes.ts'
import { countText } from '../text/page-counts.ts'
import { refsByFilePage } from './file-pages.ts'
import type { PendingPage, Recognition } from './ocr/recognition-store.ts'

/**
 * The revision under which the worker of a recognition stores pages, at their index in the file. Each claim has a new
 * one, so that a worker wrongly considered dead cannot change pages of a version. It has the format of an import's
 * revision, because the pages are those of the file.
 */
export function revisionOf({ runId, claims }: Pick<Recognition, 'runId' | 'claims'>): string {
  return `${runId}-${claims}`
}

/** All revisions under which a recognition may have stored pages. */
export function revisionsOf({ runId, claims }: Pick<Recognition, 'runId' | 'claims'>): string[] {
  return Array.from({ length: claims }, (_, at) => revisionOf({ runId, claims: at + 1 }))
}

/**
 * The next version of a book, with the recognised pages in place of imported ones; null if nothing changes. Leaves out
 * pages that have been rewritten in the meantime, and those with the same text as before.
 */
export async function spliceRecognised(
  { contents }: ContentStores,
  base: Manifest,
  { pending, at, createdBy }: { pending: readonly PendingPage[]; at: Date; createdBy: string },
): Promise<(Manifest & { ownBytes: number }) | null> {
  const current = refsByFilePage(base)
  const replacements = new Map<number, PendingPage>()
  const totals = { bytes: base.bytes, words: base.words, newBytes: 0 }
  for (const page of pending) {
    const ref = current.get(page.page)
    const id = pageId(base.itemId, page.revision, page.page - 1)
    if (!ref || ref.id === id) continue
    const [old, recognised] = await contents.passPages([ref, { pageNum: ref.pageNum, id }])
    if (!old || !recognised) continue
    if (old.content === recognised.content && old.ocr !== undefined) continue
    replacements.set(ref.pageNum, page)
    const bytes = Buffer.byteLength(recognised.content)
    totals.newBytes += bytes
    totals.bytes += bytes - Buffer.byteLength(old.content)
    totals.words += countText(recognised.content).words - countText(old.content).words
  }
  if (replacements.size === 0) return null
  const { itemId, pageCount, toc } = base
  return {
    itemId,
    version: base.version + 1,
    runs: replaceInRuns(base.runs, replacements),
    pageCount,
    bytes: totals.bytes,
    ownBytes: ownBytesOf(base, totals.newBytes, base),
    words: Math.max(0, totals.words),
    ...(base.figures ? { figures: base.figures } : {}),
    toc,
    createdAt: at,
    createdBy,
    client: null,
    by: null,
    reason: 'ocr',
    jobId: null,
  }
}

/** Replaces pages in the runs, by their page number in the book (from 1). */
function replaceInRuns(runs: readonly PageRun[], replacements: ReadonlyMap<number, PendingPage>): PageRun[] {
  const replaced: PageRun[] = []
  const add = (revision: string, start: number) => {
    const last = replaced.at(-1)
    if (last && last.revision === revision && last.start + last.count === start) last.count++
    else replaced.push({ revision, start, count: 1 })
  }
  let pageNum = 0
  for (const { revision, start, count } of runs) {
    for (let offset = 0; offset < count; offset++) {
      const page = replacements.get(++pageNum)
      if (page) add(page.revision, page.page - 1)
      else add(revision, start + offset)
    }
  }
  return replaced
}

/** Removes recognised pages that belong to no version of the book. */
export async function discardUnused(
  { contents }: ContentStores,
  itemId: string,
  revisions: readonly string[],
): Promise<void> {
  if (revisions.length === 0) return
  const used = new Set<string>()
  const ours = new Set(revisions)
  for (const manifest of await contents.listVersions(itemId)) {
    if (!manifest.runs.some(({ revision }) => ours.has(revision))) continue
    for (const { id } of pageRefs(manifest, 1, manifest.pageCount)) used.add(id)
  }
  for (const revision of revisions) {
    const stored = await contents.storedPageIds(itemId, revision)
    await contents.removePages([...stored].filter((id) => !used.has(id)))
  }
}
