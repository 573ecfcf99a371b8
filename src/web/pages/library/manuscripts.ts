import { html } from 'hono/html'
import { listManuscriptBooks, type ManuscriptBook } from '../../../library/list-manuscript-books.ts'
import type { Manuscript } from '../../../manuscripts/store.ts'
import { emptyState } from '../../components/empty-state.ts'
import type { Html } from '../../components/html.ts'
import { icon } from '../../components/icon.ts'
import { writerName } from '../../components/writer-name.ts'
import { formatPageCount } from '../../format/format-page-count.ts'
import { formatDay } from '../../format/format-time.ts'
import { programName } from '../../format/program-name.ts'
import { respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import type { SignedInVisit } from '../../visit.ts'

/** Number of manuscripts per page. */
const pageSize = 30

/** Mounts /library/manuscripts, which lists the books that assistants keep for the account and its teams. */
export function mountManuscripts(routes: PageRoutes): void {
  routes.signedInPage('GET', '/library/manuscripts', manuscriptsPage)
}

async function manuscriptsPage(visit: SignedInVisit): Promise<Response> {
  const from = Number(/^\d{1,5}$/.exec(visit.url.searchParams.get('from') ?? '')?.[0] ?? 0)
  const { rows, next } = await listManuscriptBooks(visit.ctx, { from, limit: pageSize })
  return respondPage(visit, {
    title: 'Manuscripts',
    content: html`<div class="page-head">
        <h1>Manuscripts</h1>
        <a class="button quiet" href="/library">${icon('library')}Library</a>
      </div>
      <p class="lead">Books that assistants keep up to date for you and your teams.</p>
      ${
        rows.length > 0
          ? html`<ul class="rows">
              ${rows.map(manuscriptRow)}
            </ul>`
          : nothingHere(from)
      }
      ${pager(from, next)}`,
  })
}

function nothingHere(from: number): Html {
  if (from > 0) return html`<p>There are no more manuscripts.</p>`
  return emptyState({
    icon: 'bot',
    title: 'No manuscripts yet',
    text: 'Ask an assistant to keep a book for you, such as notes on one subject. Then you can see here what it changed last.',
    actions: html`<a class="button" href="/connect">${icon('plug')}Connect an assistant</a>`,
  })
}

const states: Record<Manuscript['status'], string> = { ACTIVE: 'Active', PAUSED: 'Paused', ARCHIVED: 'Archived' }

function manuscriptRow({ manuscript, book, latest, author }: ManuscriptBook): Html {
  const { id, title, description, status, itemId, autoUpdate } = manuscript
  return html`<li id="manuscript-${id}">
    <div>
      <strong dir="auto">${book ? html`<a href="/books/${itemId}">${title}</a>` : title}</strong>
      <span class="tag">${states[status]}</span>
      ${description ? html`<p class="may" dir="auto">${description}</p>` : ''}
      <p class="facts">
        ${author === null ? '' : html`Of <bdi>${author}</bdi>. `}Maintained by
        <bdi>${programName(manuscript.client ?? null)}</bdi>${
          status === 'ACTIVE' && autoUpdate ? ', without asking' : ''
        }.
        ${
          latest === null
            ? book === null
              ? 'The book is deleted.'
              : ''
            : html`${formatPageCount(latest.pageCount)}. Last change:
                <a href="/books/${itemId}/versions">${formatDay(latest.at)}</a>, ${writerName(latest)}.`
        }
      </p>
    </div>
  </li>`
}

function pager(from: number, next: number | null): Html | '' {
  if (from === 0 && next === null) return ''
  return html`<nav class="pager" aria-label="Pages of the manuscripts">
    ${from === 0 ? '' : html`<a class="button quiet" href="/library/manuscripts">${icon('chevron-left')}First page</a>`}
    ${
      next === null
        ? ''
        : html`<a class="button quiet" rel="next" href="/library/manuscripts?from=${next}"
            >Next page${icon('chevron-right')}</a
          >`
    }
  </nav>`
}
