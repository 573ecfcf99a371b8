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

/** Caches the lookup of each table of contents. */
const lookupCache = new WeakMap<readonly TocEntry[], (pageNum: number) => string[]>()

/** Returns a lookup from a page number to the titles of its chapters, outermost first. Cached per table of contents. */
export function createChapterLookup(toc: readonly TocEntry[]): (pageNum: number) => string[] {
  const lookup = lookupCache.get(toc) ?? buildChapterLookup(toc)
  lookupCache.set(toc, lookup)
  return lookup
}

function buildChapterLookup(toc: readonly TocEntry[]): (pageNum: number) => string[] {
  const sorted = [...toc].sort((a, b) => a.page - b.page)
  const starts: number[] = []
  const chapters: string[][] = []
  let path: { level: number; title: string }[] = []
  for (const { title, page, level } of sorted) {
    path = [...path.filter((ancestor) => ancestor.level < level), { level, title }]
    if (starts.at(-1) === page) chapters.pop()
    else starts.push(page)
    chapters.push(path.map((ancestor) => ancestor.title))
  }
  return (pageNum) => chapters[findLastAtMost(starts, pageNum)] ?? noChapter
}
