import { headingTitle } from '../../../text/markdown/markdown-toc.ts'
import type { TocEntry } from '../format.ts'
import type { Block } from './blocks.ts'
import { withoutLinks } from './page-links.ts'
import type { PaginatedPage } from './paginate.ts'
import { withoutPlaces } from './picture-places.ts'

/** The titles of the headings of a file in document order. */
export type HeadingTitles = readonly Omit<TocEntry, 'page'>[]

/** Adds anchors to the headings, which locate them on pages. Returns their titles; an anchor's value is its index. */
export function markHeadings(blocks: readonly Block[]): HeadingTitles {
  const titles: Omit<TocEntry, 'page'>[] = []
  for (const block of blocks) {
    const marker = block.kind === 'heading' && block.linePrefix === '' ? /^(#{1,6}) /.exec(block.body) : null
    if (marker === null) continue
    const title = headingTitle(withoutLinks(withoutPlaces(block.body.slice(marker[0].length))))
    if (title === '') continue
    const index = titles.push({ title, level: marker[1]?.length ?? 1 }) - 1
    block.anchors = [...block.anchors, { kind: 'heading', value: `${index}`, offset: 0 }]
  }
  return titles
}

/** The entries of a table of contents for the marked headings of a page. */
export function entriesOf({ headings }: PaginatedPage, titles: HeadingTitles, page: number): TocEntry[] {
  return headings.flatMap((heading) => {
    const title = titles[Number(heading)]
    return title ? [{ ...title, page }] : []
  })
}
