import { html } from 'hono/html'
import { contentSecurityPolicy, layout, type Html, type PageContent } from './layout.ts'
import type { FormProblem } from './form.ts'
import { sessionToken, type Visit } from './visit.ts'

interface PageResponse extends PageContent {
  status?: number
  retryAfterSeconds?: number | undefined
  /** One more origin that a form of the page may lead to. */
  formActionOrigin?: string
}

/** Answers with a page that says who is signed in. It is kept by nobody unless it is the same for everybody. */
export async function respondPage(visit: Visit, page: PageResponse): Promise<Response> {
  const { status = 200, retryAfterSeconds, formActionOrigin: formTarget, ...content } = page
  const { signedIn, setCookies, url } = visit
  const user = signedIn && { name: signedIn.actor.account.name, csrfToken: sessionToken({ ...visit, signedIn }) }
  const body = String(await layout({ currentPath: url.pathname, user, ...content }))
  const headers = new Headers(pageHeaders(formTarget))
  if (retryAfterSeconds !== undefined) headers.set('Retry-After', String(retryAfterSeconds))
  for (const cookie of setCookies) headers.append('Set-Cookie', cookie)
  return new Response(body, { status, headers })
}

/**
 * The headers of every page. No Cross-Origin-Opener-Policy: clients open the pages of an authorization in a window of
 * theirs and wait for it.
 */
export function pageHeaders(formTarget?: string): Record<string, string> {
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy(formTarget),
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
  }
}

/** Sends the browser on to another page by GET. */
export function redirect({ setCookies }: Pick<Visit, 'setCookies'>, location: string): Response {
  const headers = new Headers({ Location: location, 'Cache-Control': 'no-store', 'Referrer-Policy': 'same-origin' })
  for (const cookie of setCookies) headers.append('Set-Cookie', cookie)
  return new Response(null, { status: 303, headers })
}

/** A page that says what went wrong and how to go on; without a problem it is a defect of ours. */
export function respondWithProblem(visit: Visit, problem: FormProblem | null): Promise<Response> {
  const { status, message, retryAfterSeconds } = problem ?? {
    status: 500,
    message: 'Something went wrong on this server. It has been noted.',
    retryAfterSeconds: undefined,
  }
  return respondPage(visit, {
    title: problemTitles[status] ?? 'This did not work',
    status,
    retryAfterSeconds,
    content: html`<h1>${problemTitles[status] ?? 'This did not work'}</h1>
      <p class="lead">${message}</p>
      <p class="facts">Request ${visit.requestState.requestId}</p>
      <p>${recoveryLink(visit, status)}</p>`,
  })
}

function recoveryLink({ request, url }: Visit, status: number): Html {
  if (status !== 503 || request.method !== 'GET') return html`<a href="/">To the front page</a>`
  return html`<a href="${url.pathname + url.search}">Try again</a>`
}

const problemTitles: Record<number, string> = {
  403: 'Not allowed',
  404: 'Not found',
  413: 'Too large',
  429: 'Too many attempts',
  500: 'An error of ours',
  503: 'Not available right now',
}
