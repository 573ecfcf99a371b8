import { createChapterLookup } from '../toc-tree.ts'
import type { Manifest, OutlineEntry } from '../manifest.ts'
import { findLastAtMost } from '../../runtime/find-last-at-most.ts'
import type { Section } from './epub-documents.ts'

/** Approximate maximum size of a text file, bytes; a single page may exceed it. */
const maxSectionBytes = 250_000

/** The text files of an EPUB: one per top-level chapter, or several for a long chapter. */
export function planSections(
  { pageCount, bytes }: Pick<Manifest, 'pageCount' | 'bytes'>,
  { toc, title }: { toc: readonly OutlineEntry[]; title: string },
): { sections: Section[]; sectionOf: (page: number) => Section } {
  const highest = toc.reduce((level, entry) => Math.min(level, entry.level), Infinity)
  const chapterStarts = toc.filter(({ level }) => level === highest).map(({ page }) => page)
  const maxPages = Math.max(1, Math.floor(maxSectionBytes / Math.max(1, bytes / Math.max(1, pageCount))))
  const starts = new Set([1, ...chapterStarts.filter((page) => page >= 1 && page <= pageCount)])
  const titlesOf = createChapterLookup(toc)
  const sections: Section[] = []
  for (let first = 1; first <= Math.max(1, pageCount);) {
    let last = first
    while (last < pageCount && last - first + 1 < maxPages && !starts.has(last + 1)) last++
    const file = `text-${String(sections.length + 1).padStart(5, '0')}.xhtml`
    sections.push({
      file,
      title: titlesOf(first)[0] ?? title,
      first,
      last: Math.min(last, pageCount),
      hasFormulas: false,
    })
    first = last + 1
  }
  const firstPages = sections.map(({ first }) => first)
  const sectionOf = (page: number) => sections[Math.max(0, findLastAtMost(firstPages, page))] as Section
  return { sections, sectionOf }
}
