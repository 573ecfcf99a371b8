import { html } from 'hono/html'
import type { AccessibleBook } from '../../../books/access.ts'
import { AppError } from '../../../core/errors.ts'
import { findImportExtent, importExtentOf, type ImportExtent } from '../../../reading/find-unfinished.ts'
import type { OpenedVersion } from '../../../reading/open-version.ts'
import { pageUrl } from '../../../reading/page-url.ts'
import type { Html } from '../../components/html.ts'
import { respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { scriptAnswer } from '../../script-answers.ts'
import type { SignedInVisit } from '../../visit.ts'

/** Mounts /books/{id}/unfinished: the progress of an import, for the script on the pages of an unfinished book. */
export function mountUnfinished(routes: PageRoutes): void {
  routes.scriptRoute('GET', '/books/:id/unfinished', async (visit) => {
    const extent = await findImportExtent(visit.ctx, visit.params['id'] ?? '')
    if (!extent) throw new AppError('NOT_FOUND', 'Item not found')
    const { unfinished, pagesReady } = extent
    return scriptAnswer({ unfinished, pagesReady, words: extentWords(extent) })
  })
}

const inWords = (count: number) => count.toLocaleString('en-GB')

/** The available part of a book, such as “120 of 2,415 pages”. */
export function readyPages({ pagesReady, pagesExpected }: ImportExtent): string {
  if (pagesExpected !== null) return `${inWords(pagesReady)} of ${inWords(pagesExpected)} pages`
  return pagesReady === 1 ? '1 page' : `${inWords(pagesReady)} pages`
}

function extentWords(extent: ImportExtent): string {
  if (extent.unfinished) return `This book is still being imported: ${readyPages(extent)} can be read so far.`
  if (extent.words !== '') return `The import of this book has failed. ${extent.words}`
  return 'The whole book is ready now.'
}

/** A notice for readers of an unfinished book, which its script updates; empty for any other book. */
export function unfinishedNotice({ book }: Pick<OpenedVersion, 'book'>): Html | '' {
  const extent = importExtentOf(book)
  if (!extent.unfinished) return ''
  return html`<p class="notice" ${watched(book)}>
    <span data-words role="status">${extentWords(extent)}</span>
    <span data-until-ended>The table of contents, search and the remaining pages will follow.</span>
    <a hidden data-when-ended href="/books/${book.id}">See the book</a>
  </p>`
}

/** The last expected page; null if unknown. For a finished book, its last page. */
export function lastExpectedPage({ book, lastPage }: Pick<OpenedVersion, 'book' | 'lastPage'>): number | null {
  const { unfinished, pagesExpected } = importExtentOf(book)
  return unfinished && book.access.previewPages === null ? pagesExpected : lastPage
}

/**
 * The response for a page of an unfinished book that is not available yet; its script opens the page once it is. Null
 * if the page is not expected to exist.
 */
export async function respondWaiting(
  visit: SignedInVisit,
  { id, pageNum }: { id: string; pageNum: number },
): Promise<Response | null> {
  const extent = await findImportExtent(visit.ctx, id)
  if (!extent?.unfinished || extent.book.access.previewPages !== null) return null
  const { book, pagesReady, pagesExpected } = extent
  if (pageNum <= pagesReady || pageNum > (pagesExpected ?? Infinity)) return null
  const path = (page: number) => pageUrl({ baseUrl: '' }, { id: book.id, version: 0, pageNum: page })
  return respondPage(visit, {
    title: `Waiting for page ${pageNum} of ${book.title}`,
    scripts: ['unfinished'],
    content: html`<p class="kind"><a href="/books/${book.id}" dir="auto">${book.title}</a></p>
      <h1 class="under-kind">Page ${inWords(pageNum)} is not ready yet</h1>
      <p class="lead" ${watched(book)} data-wanted="${pageNum}">
        <span data-words role="status">${extentWords(extent)}</span>
      </p>
      <p class="actions">
        <a class="button" href="${path(pageNum)}">Check again</a>
        ${pagesReady > 0 ? html`<a class="button quiet" href="${path(pagesReady)}">Back to page ${inWords(pagesReady)}</a>` : ''}
      </p>`,
  })
}

function watched({ id }: AccessibleBook): Html {
  return html`data-unfinished="/books/${encodeURIComponent(id)}/unfinished"`
}
