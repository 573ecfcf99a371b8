import { html } from 'hono/html'
import type { OutlineEntry } from '../../../reading/manifest.ts'
import type { OpenedVersion } from '../../../reading/open-version.ts'
import type { Html } from '../../components/html.ts'
import { parentsOf } from '../../../reading/toc-tree.ts'
import { headingIdsOf } from '../../markdown/heading-ids.ts'
import { bookPath } from './opened-book.ts'

/** A page, with the table of contents of its book. */
interface PageInContents {
  toc: readonly OutlineEntry[]
  pageNum: number
  content: string
}

type View = OpenedVersion & PageInContents
type PathOf = (pageNum: number) => string

/** Number of entries shown before and after the current one in long tables of contents. */
const around = 60

/**
 * The table of contents next to a page: the top level, with the chapters of the page expanded. Its size is limited; the
 * rest expands with its chapter. Empty for a book without one. `pathOf` returns the path of a page.
 */
export function readerContents(view: View, pathOf: PathOf): Html | '' {
  const { toc } = view
  if (toc.length === 0) return ''
  const current = currentEntry(view)
  const shown = unfolded(toc, current)
  const at = Math.max(0, shown.indexOf(current))
  const rows = shown.slice(Math.max(0, at - around), at + around + 1)
  return html`<nav class="reader-contents" id="contents" aria-labelledby="contents-title">
    <h2 id="contents-title">Contents</h2>
    <a class="reader-close" href="#content">Close</a>
    <ol>
      ${rows.map((index) => contentsRow(view, { index, isCurrent: index === current, pathOf }))}
    </ol>
    ${rows.length < toc.length ? html`<p><a href="${bookPath(view)}">All ${toc.length} entries</a></p>` : ''}
  </nav>`
}

/** The titles of the chapters at the top of a page, outermost first. */
export function chaptersAtTop(view: PageInContents): string[] {
  const { toc } = view
  const parents = parentsOf(toc)
  const titles: string[] = []
  for (let index = currentEntry(view); index >= 0; index = parents[index] ?? -1)
    titles.unshift((toc[index] as OutlineEntry).title)
  return titles
}

/**
 * The index of the entry in which the page begins: of the first that starts on it, or of the one before if other text precedes the first
 * heading of the page; -1: none.
 */
function currentEntry({ toc, pageNum, content }: PageInContents): number {
  const before = toc.findLastIndex(({ page }) => page < pageNum)
  const first = toc.findIndex(({ page }) => page === pageNum)
  if (first < 0) return before
  const heading = content.search(/^#{1,6}[ \t]/m)
  return before >= 0 && heading > 0 && content.slice(0, heading).trim() !== '' ? before : first
}

/**
 * The indexes of top-level entries, and of the siblings and children of the current entry and its ancestors. An entry
 * that contains the whole book, such as its title, is expanded on every page.
 */
function unfolded(toc: readonly OutlineEntry[], current: number): number[] {
  const parents = parentsOf(toc)
  const open = new Set<number>([-1])
  for (let index = current; index >= 0; index = parents[index] ?? -1) open.add(index)
  const top = [...toc.keys()].filter((index) => parents[index] === -1)
  if (top.length === 1) open.add(top[0] as number)
  return [...toc.keys()].filter((index) => open.has(parents[index] ?? -1))
}

interface Row {
  index: number
  isCurrent: boolean
  pathOf: PathOf
}

function contentsRow(view: View, { index, isCurrent, pathOf }: Row): Html {
  const { title, page, level } = view.toc[index] as OutlineEntry
  const id = headingIdsOf(view.toc)[index] ?? null
  const address = `${pathOf(page)}${id === null ? '' : `#${id}`}`
  const name = html`<span dir="auto" lang="${view.book.language ?? ''}">${title}</span>
    <span class="reader-leader">${page}</span>`
  return html`<li class="level-${Math.min(level, 4)}">
    ${
      page <= view.lastPage
        ? html`<a href="${address}" ${isCurrent ? html`aria-current="true"` : ''}>${name}</a>`
        : html`<span class="reader-closed">${name}</span>`
    }
  </li>`
}
