import { html } from 'hono/html'
import type { OutlineView } from '../../../reading/read-page.ts'
import type { PageMark } from '../../../research/describe-book-reads.ts'
import type { Html } from '../../components/html.ts'
import { pagePath } from './opened-book.ts'

const height = 48
/** The height of the mark of the least read page. */
const least = 8

/**
 * The reads of a book as marks over its pages, each with a link to its page. For pointers only, because a table has the
 * same content.
 */
export function readStrip(view: OutlineView, marks: readonly PageMark[]): Html {
  const most = Math.max(1, ...marks.map(({ reads }) => reads))
  return html`<div class="read-strip">
    <svg viewBox="0 0 ${marks.length} ${height}" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <rect class="read-track" x="0" y="${height - 2}" width="${marks.length}" height="2"></rect>
      ${marks.map((mark, index) => (mark.reads === 0 ? '' : markOf(view, mark, { index, most })))}
    </svg>
    <p class="facts read-ends" aria-hidden="true"><span>Page 1</span><span>${view.manifest.pageCount}</span></p>
  </div>`
}

function markOf(view: OutlineView, { page, reads }: PageMark, { index, most }: { index: number; most: number }): Html {
  const share = reads / most
  const size = Math.round(least + (height - least) * share)
  return html`<a href="${pagePath(view, page)}" tabindex="-1"
    ><title>Page ${page}: read ${reads === 1 ? 'once' : `${reads} times`}</title
    ><rect class="read-hit" x="${index}" y="0" width="1" height="${height}"></rect
    ><rect
      class="read-mark"
      x="${index + 0.1}"
      y="${height - size}"
      width="0.8"
      height="${size}"
      fill-opacity="${(0.35 + 0.65 * share).toFixed(2)}"
    ></rect
  ></a>`
}
