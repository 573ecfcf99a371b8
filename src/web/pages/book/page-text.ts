import { html } from 'hono/html'
import type { PageView } from '../../../reading/read-page.ts'
import type { Html } from '../../components/html.ts'
import type { PageRenderer, Unrendered } from '../../markdown/page-renderer.ts'
import { sanitisedHtml } from '../../markdown/sanitised-html.ts'
import type { SignedInVisit } from '../../visit.ts'
import { keptQuery, pagePath, pathsFrom } from './opened-book.ts'
import { figureAddress } from './picture.ts'
import { slicePage } from './page-slice.ts'
import { renderPageText } from './render-page-text.ts'

/** The text of a page with notices about it. */
export interface PageText {
  text: Html
  note: Html | ''
}

interface TextRequest {
  visit: SignedInVisit
  view: PageView
  renderer: PageRenderer
  stored: boolean
}

const maxMarkLength = 200

/** The text of a page in the form that its reader prefers; as stored if it cannot be rendered. */
export async function pageText({ visit, view, renderer, stored }: TextRequest): Promise<PageText> {
  const { searchParams } = visit.url
  const { book, manifest, pageNum, content } = view
  if (content.trim() === '') return { text: html`<p class="quiet-text">This page has no text.</p>`, note: '' }
  if (stored || searchParams.has('from')) return storedText(visit, view)
  const rendered = await renderer.render(
    {
      bookId: textIdOf(view),
      version: manifest.version,
      pageNum,
      source: content,
      startsText: book.sourceType === 'markdown' && pageNum === 1,
      math: book.sourceType === 'markdown' || book.hasFormulas === true,
      html: book.sourceType === 'markdown',
      figures: manifest.figures ? figureAddress(view) : null,
      mark: (searchParams.get('mark') ?? '').slice(0, maxMarkLength),
    },
    { accountId: visit.ctx.actor.id, signal: visit.ctx.signal },
  )
  if (rendered.html !== null) return { text: sanitisedHtml(addressPages(visit, view, rendered.html)), note: '' }
  return storedText(visit, view, rendered.reason)
}

/** A link to a page of the book as it is rendered. Nothing else looks like it, because `<` in text and attributes is escaped. */
const linkToPage = /(<a [^<>]*?href=")\.\/(\d{1,6})(?=")/g

/** Gives links to pages of the book the version of this page, and its options. Rendered pages are cached without them. */
function addressPages({ url }: SignedInVisit, view: PageView, rendered: string): string {
  const pathOf = pathsFrom(url, view)
  return rendered.replace(
    linkToPage,
    (_, before: string, pageNum: string) => before + pathOf(Number(pageNum)).replaceAll('&', '&amp;'),
  )
}

/** Identifies the text of this version. For an unfinished book, another attempt may replace it. */
function textIdOf({ book, manifest }: PageView): string {
  return manifest.version > 0 ? book.id : `${book.id} ${manifest.runs[0]?.revision}`
}

const reasons: Record<Unrendered, string> = {
  'too-long': 'This page is very long, so it is shown exactly as it is stored.',
  'too-costly': 'This page could not be formatted, so it is shown exactly as it is stored.',
  busy: 'Many pages are being formatted at the moment, so this one is shown exactly as it is stored. Reload it to try again.',
}

function storedText(visit: SignedInVisit, view: PageView, reason?: Unrendered): PageText {
  const { content, nextOffset } = slicePage(view.content, visit.url.searchParams.get('from'))
  return {
    text: html`${renderPageText(content)}
    ${
      nextOffset === null
        ? ''
        : html`<p class="reader-continue">
            <a href="${pagePath(view, view.pageNum, ...keptQuery(visit.url), `from=${nextOffset}`)}"
              >Continue this page…</a
            >
          </p>`
    }`,
    note: reason ? html`<p class="notice">${reasons[reason]}</p>` : '',
  }
}
