import type { OpenedVersion } from '../../../reading/open-version.ts'
import { AppError } from '../../../core/errors.ts'
import { findCover } from '../../../imports/pictures/find-cover.ts'
import {
  findPagePicture,
  pageWidths,
  pictureOfPage,
  type FoundPicture,
  type PageWidth,
} from '../../../imports/pictures/find-page-picture.ts'
import type { FigurePicture } from '../../../reading/figure-files.ts'
import { findFigure } from '../../../reading/find-figure.ts'
import { noPictureMessage } from '../../../imports/pictures/pictures.ts'
import type { FigureAddress } from '../../markdown/parser.ts'
import type { PageRoutes } from '../../routes.ts'
import { parsePositiveInteger, withParameters } from './opened-book.ts'
import type { SignedInVisit } from '../../visit.ts'

/** The picture of a page, for display next to its text. */
export interface PagePicture {
  /** URLs for phones, and for wide windows. */
  narrow: string
  wide: string
  /** The page of the original file. */
  filePage: number
  /** False if the text has been rewritten: then mention that the picture shows the original file. */
  exact: boolean
}

type ShownPage = Pick<OpenedVersion, 'book' | 'manifest'> & { pageNum: number }

/** The URLs of a page's picture; null if it has none, because it does not come from a PDF. Needs no query. */
export function pagePicture(view: ShownPage): PagePicture | null {
  const found = pictureOfPage(view, view.pageNum)
  if (!found) return null
  const { version } = view.manifest
  const path = `/books/${encodeURIComponent(view.book.id)}/pages/${view.pageNum}/picture`
  const inWidth = (width: PageWidth) => withParameters(path, [...(version > 0 ? [`v=${version}`] : []), `w=${width}`])
  return { narrow: inWidth(600), wide: inWidth(1200), filePage: found.page, exact: found.exact }
}

/** The address of the figures of a page. */
export function figureAddress({ book, manifest, pageNum }: ShownPage): FigureAddress {
  const { version } = manifest
  // The text of an unfinished book has no version yet.
  const after = version === 0 ? '' : `?v=${version}`
  return { before: `/books/${encodeURIComponent(book.id)}/pages/${pageNum}/figures/`, after }
}

/** Mounts /books/{id}/pages/{n}/picture, /books/{id}/pages/{n}/figures/{figure} and /books/{id}/cover. */
export function mountPictures(routes: PageRoutes): void {
  routes.signedInPage('GET', '/books/:id/pages/:page/picture', async (visit) => {
    const { id = '', page = '' } = visit.params
    const { searchParams } = visit.url
    const version = searchParams.get('v')
    const found = await findPagePicture(visit.ctx, {
      id,
      pageNum: parsePositiveInteger(page, 'page'),
      version: version === null ? undefined : parsePositiveInteger(version, 'version'),
      width: parseWidth(searchParams.get('w')),
    })
    // Pages of a version never change; without a version, the URL shows the current one.
    return respondPicture(visit, found, version === null ? 'private, no-cache' : 'private, max-age=3600')
  })
  routes.signedInPage('GET', '/books/:id/pages/:page/figures/:figure', async (visit) => {
    const { id = '', page = '', figure = '' } = visit.params
    const version = visit.url.searchParams.get('v')
    const found = await findFigure(visit.ctx, {
      id,
      pageNum: parsePositiveInteger(page, 'page'),
      version: version === null ? undefined : parsePositiveInteger(version, 'version'),
      figure,
    })
    return respondPicture(visit, found, version === null ? 'private, no-cache' : 'private, max-age=3600')
  })
  routes.signedInPage('GET', '/books/:id/cover', async (visit) => {
    const found = await findCover(visit.ctx, { id: visit.params['id'] ?? '' })
    return respondPicture(visit, found, 'private, max-age=600')
  })
}

function parseWidth(text: string | null): PageWidth {
  const width = pageWidths.find((known) => `${known}` === (text ?? '1200'))
  if (width) return width
  throw new AppError('INVALID_INPUT', `w must be ${pageWidths.join(' or ')}.`)
}

/** Makes browsers treat it as a picture only, whatever it contains. */
const pictureHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'same-origin',
}

async function respondPicture(
  { request, setCookies }: SignedInVisit,
  { tag, load }: Pick<FoundPicture, 'tag'> & { load(): Promise<FigurePicture> },
  caching: string,
): Promise<Response> {
  const headers = new Headers({ ...pictureHeaders, 'Cache-Control': caching, ETag: tag })
  for (const cookie of setCookies) headers.append('Set-Cookie', cookie)
  const known = request.headers.get('if-none-match')?.split(',') ?? []
  if (known.some((each) => each.trim().replace(/^W\//, '') === tag)) return new Response(null, { status: 304, headers })
  try {
    const { mediaType, bytes } = await load()
    headers.set('Content-Type', mediaType)
    return new Response(bytes as Uint8Array<ArrayBuffer>, { headers })
  } catch (error) {
    const asksForPage = request.headers.get('accept')?.includes('text/html') ?? false
    if (!(error instanceof AppError && error.message.startsWith(noPictureMessage)) || asksForPage) throw error
    headers.set('Content-Type', 'image/svg+xml')
    headers.set('Cache-Control', 'no-store')
    headers.delete('ETag')
    return new Response(placeholder, { status: 404, headers })
  }
}

/** Displayed in place of a page that cannot be drawn. */
const placeholder = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 848" width="600" height="848"><path fill="#f4f1ea" stroke="#8a8172" d="M.5.5h599v847H.5z"/><text x="300" y="424" fill="#5a5347" font-family="sans-serif" font-size="20" text-anchor="middle">${noPictureMessage}</text></svg>`
