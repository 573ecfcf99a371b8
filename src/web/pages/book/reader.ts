import { findReadingPosition, saveReadingPosition } from '../../../reading/reading-positions.ts'
import { readPage, type PageView } from '../../../reading/read-page.ts'
import { AppError } from '../../../core/errors.ts'
import { comesFromSite } from '../../comes-from-site.ts'
import { createPageRenderer, type PageRenderer } from '../../markdown/page-renderer.ts'
import { respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import type { SignedInVisit } from '../../visit.ts'
import { mountFindInBook } from './find-in-book.ts'
import { olderVersionWords, parsePositiveInteger, requestedVersion } from './opened-book.ts'
import { pageText } from './page-text.ts'
import { mountReaderPreferences, preferenceClasses, preferencesOf } from './reader-preferences.ts'
import { readerView } from './reader-view.ts'
import { mountUnfinished, respondWaiting } from './unfinished-book.ts'
import { respondReaderRefusal } from './respond-reader-refusal.ts'

/** Mounts /books/{id}/pages/{n}, the target of citations, in the cited version, and related routes. */
export function mountReader(routes: PageRoutes): void {
  const renderer = createPageRenderer()
  routes.signedInPage('GET', '/books/:id/pages/:page', (visit) =>
    respondWithPage(visit, renderer)
      .catch((error: unknown) => respondWithoutPage(visit, error))
      .catch((error: unknown) => respondReaderRefusal(visit, error)),
  )
  mountUnfinished(routes)
  mountFindInBook(routes)
  mountReaderPreferences(routes)
}

/** Waits for a missing page that is still being imported; throws for any other. */
async function respondWithoutPage(visit: SignedInVisit, error: unknown): Promise<Response> {
  const { id = '', page = '' } = visit.params
  const isMissing = error instanceof AppError && error.code === 'NOT_FOUND' && requestedVersion(visit) === undefined
  const waiting = isMissing && (await respondWaiting(visit, { id, pageNum: parsePositiveInteger(page, 'page') }))
  if (waiting) return waiting
  throw error
}

async function respondWithPage(visit: SignedInVisit, renderer: PageRenderer): Promise<Response> {
  const { id = '', page = '' } = visit.params
  const { searchParams } = visit.url
  const view = await readPage(visit.ctx, {
    id,
    pageNum: parsePositiveInteger(page, 'page'),
    version: requestedVersion(visit),
  })
  const former = await followPosition(visit, view)
  const preferences = preferencesOf(visit)
  const as = searchParams.get('as') ?? preferences.as
  const text = await pageText({ visit, view, renderer, stored: as === 'stored' })
  const content = readerView(visit, { ...view, ...text, stored: as === 'stored', former })
  return respondPage(visit, {
    title: `${view.book.title}, p. ${view.pageNum}${olderVersionWords(view)}`,
    content,
    width: 'full',
    scripts: ['reader', 'quote', 'passage', ...(view.manifest.version === 0 ? ['unfinished'] : [])],
    rootClass: preferenceClasses(preferences),
  })
}

/**
 * Makes a page that was reached by turning pages the reader's position. A page opened from an external link or a search
 * does not change it; then returns the page of the position, or null.
 */
async function followPosition(visit: SignedInVisit, view: PageView): Promise<number | null> {
  if (comesFromSite(visit)) {
    if (!visit.url.searchParams.has('mark')) saveReadingPosition(visit.ctx, view, view.pageNum)
    return null
  }
  const position = await findReadingPosition(visit.ctx, view.book.id)
  return position && position.page !== view.pageNum && position.page <= view.lastPage ? position.page : null
}
