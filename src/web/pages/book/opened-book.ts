import { html } from 'hono/html'
import { AppError } from '../../../core/errors.ts'
import type { OpenedVersion } from '../../../reading/open-version.ts'
import { bookUrl, pageUrl } from '../../../reading/page-url.ts'
import type { Html } from '../../components/html.ts'
import { formatDay } from '../../format/format-time.ts'
import type { SignedInVisit } from '../../visit.ts'
import { formatPageCount } from '../../format/format-page-count.ts'

/** The version in the URL parameter `v`; undefined for the current one. */
export function requestedVersion({ url }: SignedInVisit): number | undefined {
  const version = url.searchParams.get('v')
  return version === null ? undefined : parsePositiveInteger(version, 'version')
}

/** Parses a number from 1 on in a URL; refuses anything else with NOT_FOUND. */
export function parsePositiveInteger(text: string, what: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new AppError('NOT_FOUND', `This is not the number of a ${what}. Use a number such as 3.`)
}

/** The path of the book in the displayed version, because links within a book keep the requested version. */
export const bookPath = ({ book, manifest }: OpenedVersion) =>
  bookUrl({ baseUrl: '' }, { id: book.id, version: manifest.version })
/** The path of a page in the displayed version, with further parameters such as `as=stored`. */
export function pagePath({ book, manifest }: OpenedVersion, pageNum: number, ...parameters: string[]): string {
  return withParameters(pageUrl({ baseUrl: '' }, { id: book.id, version: manifest.version, pageNum }), parameters)
}

/** Adds parameters to a path. */
export function withParameters(path: string, parameters: readonly string[]): string {
  if (parameters.length === 0) return path
  return `${path}${path.includes('?') ? '&' : '?'}${parameters.join('&')}`
}

/** The parameters of a page that the other pages keep when the reader turns to them: its picture, and the form of the text. */
export function keptParameters({ searchParams }: URL): (readonly [name: string, value: string])[] {
  const kept = [
    ['picture', '1'],
    ['as', 'stored'],
    ['as', 'text'],
  ] as const
  return kept.filter(([name, value]) => searchParams.get(name) === value)
}

/** The kept parameters as they are written in URLs, except for the one that a link changes. */
export function keptQuery(url: URL, changed?: 'picture' | 'as'): string[] {
  return keptParameters(url).flatMap(([name, value]) => (name === changed ? [] : [`${name}=${value}`]))
}

/** The paths of pages in the displayed version, with the kept parameters of the page at `url`. */
export function pathsFrom(url: URL, view: OpenedVersion): (pageNum: number) => string {
  const kept = keptQuery(url)
  return (pageNum) => pagePath(view, pageNum, ...kept)
}

/** Number and day of the displayed version. */
export function versionLine({ manifest }: OpenedVersion): Html {
  if (manifest.version === 0) return html`Still being imported.`
  return html`Version ${manifest.version}, ${formatDay(manifest.createdAt)}.`
}

/** The number of an older version as the end of a title, which tells its tab from that of the current version; otherwise empty. */
export function olderVersionWords({ book, manifest }: OpenedVersion): string {
  return manifest.version < book.version ? `, version ${manifest.version}` : ''
}

/** A notice for readers of an older version; empty for the current one. */
export function newerVersionNotice(
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

/** A notice for readers of a preview; empty for readers of the whole book. */
export function previewNotice({ book, lastPage }: OpenedVersion): Html | '' {
  if (book.access.previewPages === null) return ''
  return html`<p class="notice">
    This is a preview of the first ${formatPageCount(lastPage)}. The rest requires a <a href="/plans">Pro plan</a>.
  </p>`
}
