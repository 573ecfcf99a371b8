import { html } from 'hono/html'
import { bookUrl, pageUrl } from '../../../reading/page-url.ts'
import { readOutline, readPage, type OutlineView, type PageView } from '../../../reading/read-page.ts'
import { saveReadingPosition } from '../../../reading/reading-positions.ts'
import type { OpenedVersion } from '../../../reading/open-version.ts'
import { AppError } from '../../../core/errors.ts'
import type { Html } from '../../components/layout.ts'
import { comesFromSite } from '../../comes-from-site.ts'
import { renderPageText } from './render-page-text.ts'
import { respondReaderRefusal } from './respond-reader-refusal.ts'
import { respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { formatDay } from '../../format-time.ts'
import type { SignedInVisit } from '../../visit.ts'

/** Most UTF-16 code units of a page shown at once; a longer page continues at another URL. */
const maxCharactersShown = 200_000

/** Mounts /books/{id} and /books/{id}/pages/{n}: the targets of citations, in the cited version. */
export function mountReader(routes: PageRoutes): void {
  const mount = (path: string, answer: (visit: SignedInVisit) => Promise<Response>) =>
    routes.signedInPage('GET', path, (visit) =>
      answer(visit).catch((error: unknown) => respondReaderRefusal(visit, error)),
    )
  mount('/books/:id', async (visit) => {
    const view = await readOutline(visit.ctx, { id: visit.params['id'] ?? '', version: requestedVersion(visit) })
    return respondPage(visit, { title: view.book.title, content: bookPage(view) })
  })
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

function requestedVersion({ url }: SignedInVisit): number | undefined {
  const version = url.searchParams.get('v')
  return version === null ? undefined : parsePositiveInteger(version, 'version')
}

function parsePositiveInteger(text: string, what: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new AppError('NOT_FOUND', `No such ${what}.`)
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

/** Links within the reader keep the requested version. */
const bookPath = ({ book, manifest }: OpenedVersion) =>
  bookUrl({ baseUrl: '' }, { id: book.id, version: manifest.version })
const pagePath = ({ book, manifest }: OpenedVersion, pageNum: number) =>
  pageUrl({ baseUrl: '' }, { id: book.id, version: manifest.version, pageNum })

function bookPage(view: OutlineView): Html {
  const { book, manifest, lastPage, toc } = view
  return html`<p class="kind">Book</p>
    <h1 class="under-kind">${book.title}</h1>
    ${book.author ? html`<p class="lead">${book.author}</p>` : ''}
    <p class="facts">${formatPageCount(manifest.pageCount)}. ${versionLine(view)}</p>
    ${newerVersionNotice(view, `/books/${book.id}`)} ${previewNotice(view)}
    ${book.description ? html`<p class="plain-text">${book.description}</p>` : ''}
    ${manifest.pageCount > 0 ? html`<p><a href="${pagePath(view, 1)}">Read from page 1</a></p>` : ''}
    ${
      toc.length > 0
        ? html`<h2>Contents</h2>
            <ol class="contents">
              ${toc.map(({ title, page, level }) => contentsRow(view, { title, page, level, readable: page <= lastPage }))}
            </ol>`
        : ''
    }`
}

interface ContentsEntry {
  title: string
  page: number
  level: number
  readable: boolean
}

function contentsRow(view: OpenedVersion, { title, page, level, readable }: ContentsEntry): Html {
  const name = html`<span dir="auto">${title}</span> <span class="leader">${page}</span>`
  return html`<li class="level-${Math.min(level, 4)}">
    ${readable ? html`<a href="${pagePath(view, page)}">${name}</a>` : html`<span class="closed">${name}</span>`}
  </li>`
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

function formatPageCount(count: number): string {
  return count === 1 ? '1 page' : `${count.toLocaleString('en-GB')} pages`
}

function versionLine({ manifest }: OpenedVersion): Html {
  return html`Version ${manifest.version}, ${formatDay(manifest.createdAt)}.`
}

/** A notice for readers of an older version; empty for the current one. */
function newerVersionNotice(
  { book, manifest, ...view }: OpenedVersion & { changed?: boolean },
  path: string,
): Html | '' {
  if (manifest.version === book.version) return ''
  const change = { true: ' This page has changed since.', false: ' This page has not changed.' } as const
  return html`<p class="notice">
    You are reading version ${manifest.version}. A newer version is available:
    <a href="${path}">version ${book.version}</a>.${view.changed === undefined ? '' : change[`${view.changed}`]}
  </p>`
}

function previewNotice({ book, lastPage }: OpenedVersion): Html | '' {
  if (book.access.previewPages === null) return ''
  return html`<p class="notice">
    This is a preview of the first ${formatPageCount(lastPage)}. The rest requires a <a href="/plans">Pro plan</a>.
  </p>`
}

function pageNavigation(view: PageView, position: 'before' | 'after'): Html {
  const { pageNum, lastPage } = view
  return html`<nav class="turning" aria-label="Pages, ${position} the text">
    ${pageNum > 1 ? html`<a rel="prev" href="${pagePath(view, pageNum - 1)}">← Page ${pageNum - 1}</a>` : html`<span></span>`}
    ${pageNum < lastPage ? html`<a rel="next" href="${pagePath(view, pageNum + 1)}">Page ${pageNum + 1} →</a>` : ''}
  </nav>`
}
