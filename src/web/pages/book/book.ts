import { html } from 'hono/html'
import { readOutline, type OutlineView } from '../../../reading/read-page.ts'
import type { OpenedVersion } from '../../../reading/open-version.ts'
import type { Html } from '../../components/layout.ts'
import { respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import {
  formatPageCount,
  newerVersionNotice,
  pagePath,
  previewNotice,
  requestedVersion,
  versionLine,
} from './opened-book.ts'
import { respondReaderRefusal } from './respond-reader-refusal.ts'

/** Mounts /books/{id}: what a book is, in the current version or in a cited one. */
export function mountBook(routes: PageRoutes): void {
  routes.signedInPage('GET', '/books/:id', async (visit) => {
    try {
      const view = await readOutline(visit.ctx, { id: visit.params['id'] ?? '', version: requestedVersion(visit) })
      return respondPage(visit, { title: view.book.title, content: bookPage(view) })
    } catch (error) {
      return respondReaderRefusal(visit, error)
    }
  })
}

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
