import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { html } from 'hono/html'
import { readingPreferencesOf } from '../accounts/reading-preferences.ts'
import { countUnread } from '../notifications/list-notifications.ts'
import { matchesEtag, weakTagOf } from '../transport/entity-tag.ts'
import { accepts } from './design/assets.ts'
import { plansLink } from './components/fields.ts'
import type { Html } from './components/html.ts'
import { contentSecurityPolicy, layout, type PageContent } from './components/layout.ts'
import type { FormProblem } from './form.ts'
import { sessionToken, type Visit } from './visit.ts'

interface PageResponse extends PageContent {
  /** The problem of the page's form: it gives the page its status, `Retry-After` and the beginning of its title. */
  problem?: FormProblem | null | undefined
  /** Default: the status of the problem, or 200. */
  status?: number | undefined
  retryAfterSeconds?: number | undefined
  /** One further origin that the page's forms may redirect to (CSP `form-action`). */
  formActionOrigin?: string
  /**
   * True if the page is the same for every visitor: caches may store it for signed-out visitors, and must revalidate
   * it.
   */
  revalidated?: true
}

const compress = promisify(gzip)

/** Responds with a page whose header shows the signed-in user. By default caches must not store it. */
export async function respondPage(visit: Visit, page: PageResponse): Promise<Response> {
  const { problem, formActionOrigin, revalidated, ...rest } = page
  const { status = problem?.status ?? 200, retryAfterSeconds = problem?.retryAfterSeconds, ...content } = rest
  const title = problem ? `Error: ${content.title}` : content.title
  const { signedIn, setCookies, url } = visit
  const user = signedIn && {
    name: signedIn.actor.account.name,
    csrfToken: sessionToken({ ...visit, signedIn }),
    isAdministrator: signedIn.actor.account.admin,
    unread: await unreadOf(visit),
    singleKeys: readingPreferencesOf(signedIn.actor.account).keys === 'on',
  }
  const text = String(await layout({ currentPath: url.pathname, user, ...content, title }))
  const headers = new Headers(pageHeaders(formActionOrigin))
  if (revalidated && user === null && setCookies.length === 0) {
    const etag = weakTagOf(text)
    headers.set('Cache-Control', 'public, no-cache')
    headers.set('ETag', etag)
    headers.set('Vary', 'Accept-Encoding, Cookie')
    if (matchesEtag(visit.request.headers.get('if-none-match'), etag))
      return new Response(null, { status: 304, headers })
  }
  const isCompressed = accepts(visit.request.headers.get('accept-encoding') ?? '', 'gzip')
  const body = isCompressed ? await compress(text) : text
  if (isCompressed) headers.set('Content-Encoding', 'gzip')
  if (retryAfterSeconds !== undefined) headers.set('Retry-After', String(retryAfterSeconds))
  for (const cookie of setCookies) headers.append('Set-Cookie', cookie)
  return new Response(body, { status, headers })
}

/** The number of unread notifications: one query on an index. Empty on a page about an unavailable store. */
async function unreadOf({ ctx }: Visit): Promise<number> {
  return ctx ? countUnread(ctx).catch(() => 0) : 0
}

/**
 * The headers of every page. They set no Cross-Origin-Opener-Policy, because clients open the authorization pages in a
 * popup and wait for it.
 */
export function pageHeaders(formActionOrigin?: string): Record<string, string> {
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy(formActionOrigin),
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    Vary: 'Accept-Encoding',
  }
}

/** Redirects the browser to another page with 303 See Other. */
export function redirect({ setCookies }: Pick<Visit, 'setCookies'>, location: string): Response {
  const headers = new Headers({ Location: location, 'Cache-Control': 'no-store', 'Referrer-Policy': 'same-origin' })
  for (const cookie of setCookies) headers.append('Set-Cookie', cookie)
  return new Response(null, { status: 303, headers })
}

/** A page with the problem and the next step; a null problem is an internal error. */
export function respondWithProblem(visit: Visit, problem: FormProblem | null): Promise<Response> {
  const { status, message, retryAfterSeconds, concernsPlan } = problem ?? {
    status: 500,
    message: 'Something went wrong on this server. The error has been logged.',
    retryAfterSeconds: undefined,
    concernsPlan: false,
  }
  return respondPage(visit, {
    title: problemTitles[status] ?? 'Something went wrong',
    status,
    retryAfterSeconds,
    content: html`<h1>${problemTitles[status] ?? 'Something went wrong'}</h1>
      <p class="lead">${message}</p>
      ${concernsPlan ? html`<p>${plansLink}</p>` : ''}
      ${status === 404 ? whoIsSignedIn(visit) : html`<p class="facts">Request ${visit.requestState.requestId}</p>`}
      <p>${recoveryLinks(visit, status)}</p>`,
  })
}

/** Often a page is not found because it belongs to another account of the same person. */
function whoIsSignedIn({ signedIn, url }: Visit): Html | '' {
  if (!signedIn || !/^\/(?:books|teams)\//.test(url.pathname)) return ''
  return html`<p>
    You are signed in as <strong>${signedIn.actor.account.email}</strong>. If somebody sent you the address, ask them
    whether they shared it with this account.
  </p>`
}

function recoveryLinks({ request, url, signedIn }: Visit, status: number): Html {
  if (status === 503 && request.method === 'GET') return html`<a href="${url.pathname + url.search}">Try again</a>`
  const [path, label] = (signedIn && placesAbove.find(([pattern]) => pattern.test(url.pathname))?.[1]) || homeLink
  return html`<a href="${path}">${label}</a>`
}

const homeLink = ['/', 'Go to the home page'] as const

/** The page of a signed-in account that lists what pages below a path show. */
const placesAbove: readonly (readonly [RegExp, readonly [path: string, label: string]])[] = [
  [/^\/teams\//, ['/teams', 'Go to your teams']],
  [/^\/(?:books|library)\//, ['/library', 'Go to your library']],
  [/^\/shelves\//, ['/shelves', 'Go to your shelves']],
]

const problemTitles: Record<number, string> = {
  401: 'Signed out',
  403: 'Not allowed',
  404: 'Not found',
  413: 'Too large',
  429: 'Too many attempts',
  500: 'Server error',
  503: 'Temporarily unavailable',
}
