import type { TocEntry, TocNode } from './schema.ts'
import { findLastAtMost } from '../runtime/find-last-at-most.ts'

/**
 * Nests a table of contents. A node ends on the page before the next node of the same or a higher level, but never
 * before it starts.
 */
export function buildTocTree(toc: readonly TocEntry[], pageCount: number): TocNode[] {
  const roots: TocNode[] = []
  const path: { level: number; node: TocNode }[] = []
  const closeFrom = (level: number, endPage: number) => {
    while (path.length > 0 && (path.at(-1)?.level ?? 0) >= level) {
      const { node } = path.pop() as { node: TocNode }
      node.endPage = Math.max(node.startPage, endPage)
    }
  }
  for (const { title, page, level } of toc) {
    closeFrom(level, page - 1)
    const node: TocNode = { title, startPage: page, endPage: page, children: [] }
    const siblings = path.at(-1)?.node.children ?? roots
    siblings.push(node)
    path.push({ level, node })
  }
  closeFrom(0, pageCount)
  return roots
}

/** The chapters of a page without any: one shared array, so that callers can compare by identity. */
const noChapter: string[] = []

/** A table of contents by page. */
interface PagedContents {
  /** The page of each entry, ascending. */
  pages: readonly number[]
  titles: readonly string[]
  /** The index of the entry that contains an entry; -1: none. */
  parents: readonly number[]
  /** The chapters of each entry, outermost first, filled on demand. Callers compare them by identity. */
  paths: (string[] | undefined)[]
}

/** Caches the lookup of each table of contents. */
const contentsCache = new WeakMap<readonly TocEntry[], PagedContents>()

function pagedContents(toc: readonly TocEntry[]): PagedContents {
  const known = contentsCache.get(toc)
  if (known) return known
  const sorted = [...toc].sort((a, b) => a.page - b.page)
  const pages = sorted.map(({ page }) => page)
  const contents = { pages, titles: sorted.map(({ title }) => title), parents: parentsOf(sorted), paths: [] }
  contentsCache.set(toc, contents)
  return contents
}

/** The index of the entry that contains each entry; -1: none. */
export function parentsOf(toc: readonly Pick<TocEntry, 'level'>[]): number[] {
  const path: number[] = []
  return toc.map(({ level }, index) => {
    while (path.length > 0 && (toc[path.at(-1) ?? 0]?.level ?? 0) >= level) path.pop()
    const parent = path.at(-1) ?? -1
    path.push(index)
    return parent
  })
}

function pathOf(contents: PagedContents, index: number): string[] {
  const { titles, parents, paths } = contents
  if (index < 0) return noChapter
  return (paths[index] ??= [...pathOf(contents, parents[index] ?? -1), titles[index] as string])
}

/**
 * Returns a lookup from a page number to the titles of its chapters, outermost first: of the last one that begins on the page or before it.
 * Cached per table of contents.
 */
export function createChapterLookup(toc: readonly TocEntry[]): (pageNum: number) => string[] {
  const contents = pagedContents(toc)
  return (pageNum) => pathOf(contents, findLastAtMost(contents.pages, pageNum))
}

/**
 * Returns the titles of the chapters of a place on a page, outermost first. `countStarted` gets the titles of the entries that begin on the
 * page, and returns how many of them begin before the place; null: unknown, then all of them.
 */
export function chapterOfPlace(
  toc: readonly TocEntry[],
  pageNum: number,
  countStarted: (titles: readonly string[]) => number | null,
): string[] {
  const contents = pagedContents(toc)
  const { pages, titles } = contents
  const last = findLastAtMost(pages, pageNum)
  const before = findLastAtMost(pages, pageNum - 1)
  // With nothing before it, the first chapter is the best description of what precedes it.
  if (last === before || (last === 0 && before < 0)) return pathOf(contents, last)
  const started = countStarted(titles.slice(before + 1, last + 1))
  return pathOf(contents, started === null ? last : Math.max(0, before + started))
}
