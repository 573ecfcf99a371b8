import { html } from 'hono/html'
import { pageUrl } from '../../../reading/page-url.ts'
import { readPage, type PageView } from '../../../reading/read-page.ts'
import type { Html } from '../../components/html.ts'
import { saveReadingPosition } from '../../../reading/reading-positions.ts'
import { comesFromSite } from '../../comes-from-site.ts'
import { renderPageText } from './render-page-text.ts'
import { respondReaderRefusal } from './respond-reader-refusal.ts'
import { respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import type { SignedInVisit } from '../../visit.ts'
import {
  bookPath,
  formatPageCount,
  newerVersionNotice,
  pagePath,
  parsePositiveInteger,
  previewNotice,
  requestedVersion,
  versionLine,
} from './opened-book.ts'

/** Most UTF-16 code units of a page shown at once; a longer page continues at another URL. */
const maxCharactersShown = 200_000

/** Mounts /books/{id}/pages/{n}: the target of citations, in the cited version. */
export function mountReader(routes: PageRoutes): void {
  const mount = (path: string, answer: (visit: SignedInVisit) => Promise<Response>) =>
    routes.signedInPage('GET', path, (visit) =>
      answer(visit).catch((error: unknown) => respondReaderRefusal(visit, error)),
    )
  mount('/books/:id/pages/:page', async (visit) => {
    const { id = '', page = '' } = visit.params
    const view = await readPage(visit.ctx, {
      id,
      pageNum: parsePositiveInteger(page, 'page'),
      version: requestedVersion(visit),
    })
    if (comesFromSite(visit)) saveReadingPosition(visit.ctx, view, view.pageNum)
    const content = textPage(visit, { ...view, ...slicePage(view.content, visit.url.searchParams.get('from')) })
    return respondPage(visit, { title: `${view.book.title}, p. ${view.pageNum}`, content })
  })
}

interface PageSlice {
  content: string
  /** Offset at which the page continues, in UTF-16 code units; null at its end. */
  nextOffset: number | null
}

/** The part of a page shown at once, cut after a line break if it has one. */
function slicePage(text: string, from: string | null): PageSlice {
  const start = Math.min(text.length, Number(/^\d{1,9}$/.exec(from ?? '')?.[0] ?? 0))
  if (text.length - start <= maxCharactersShown) return { content: text.slice(start), nextOffset: null }
  const part = text.slice(start, start + maxCharactersShown)
  const content = part.slice(0, part.lastIndexOf('\n') + 1) || part.slice(0, -1)
  return { content, nextOffset: start + content.length }
}

function textPage({ ctx }: SignedInVisit, view: PageView & PageSlice): Html {
  const { book, manifest, pageNum, label, chapter, content, nextOffset } = view
  const address = pageUrl(ctx, { id: book.id, version: manifest.version, pageNum })
  return html`<p class="kind"><a href="${bookPath(view)}">${book.title}</a></p>
    <h1 class="under-kind">Page ${pageNum}</h1>
    ${chapter.length > 0 ? html`<p class="chapter" dir="auto">${chapter.join(' › ')}</p>` : ''}
    <p class="facts">
      Of ${formatPageCount(manifest.pageCount)}${label === null ? '' : html`, printed page number ${label}`}.
      ${versionLine(view)}
    </p>
    ${newerVersionNotice(view, `/books/${book.id}/pages/${pageNum}`)} ${previewNotice(view)}
    ${pageNavigation(view, 'before')}
    <article class="page-text" lang="${book.language ?? ''}" aria-label="Text of page ${pageNum}">
      ${content.trim() === '' ? html`<p class="quiet-text">This page has no text.</p>` : renderPageText(content)}
    </article>
    ${nextOffset === null ? '' : html`<p><a href="${pagePath(view, pageNum)}&from=${nextOffset}">Continue this page…</a></p>`}
    ${pageNavigation(view, 'after')}
    <p class="facts cite">Cite as (${book.title}, p. ${pageNum})<br /><a href="${address}">${address}</a></p>`
}

function pageNavigation(view: PageView, position: 'before' | 'after'): Html {
  const { pageNum, lastPage } = view
  return html`<nav class="turning" aria-label="Pages, ${position} the text">
    ${pageNum > 1 ? html`<a rel="prev" href="${pagePath(view, pageNum - 1)}">← Page ${pageNum - 1}</a>` : html`<span></span>`}
    ${pageNum < lastPage ? html`<a rel="next" href="${pagePath(view, pageNum + 1)}">Page ${pageNum + 1} →</a>` : ''}
  </nav>`
}
