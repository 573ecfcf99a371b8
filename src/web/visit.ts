import { verifySession, type VerifiedSession } from '../accounts/verify-session.ts'
import type { Actor, Call } from '../core/context.ts'
import { AppError } from '../core/errors.ts'
import type { Authenticator, RequestState } from '../transport/request-state.ts'
import { unauthenticated } from '../transport/authentication.ts'
import { restBudget } from '../transport/rate-headers.ts'
import { recheckAfterSlowBody } from '../transport/recheck-caller.ts'
import { createCookies, newVisitorToken, type Cookies } from './cookies.ts'
import type { FormTokenBinding } from './form-tokens.ts'
import { requireSameOrigin } from './require-same-origin.ts'
import type { PageServices, Site } from './site.ts'

/** A request for a page, and its visitor. */
export interface Visit {
  site: Site
  request: Request
  url: URL
  requestState: RequestState
  params: Record<string, string>
  /** The client address by which attempts are counted. */
  clientAddress: string
  cookies: Cookies
  /** `Set-Cookie` values of the response. */
  setCookies: string[]
  signedIn: VerifiedSession | null
  /** The context for use cases; null if nobody is signed in. */
  ctx: (Call & PageServices) | null
  /** The CSRF token of forms that need no sign-in; sets the visitor cookie if the browser has none. */
  visitorCsrfToken(): string
}

/** A visit by a signed-in account. */
export interface SignedInVisit extends Visit {
  signedIn: VerifiedSession
  ctx: Call & PageServices
}

interface VisitRequest {
  request: Request
  requestState: RequestState
  params: Record<string, string>
}

/** Creates a visit that is not authenticated yet. */
export function createVisit(site: Site, { request, requestState, params }: VisitRequest): Visit {
  const cookies = createCookies(site.baseUrl)
  const setCookies: string[] = []
  let visitor = cookies.visitorToken(request)
  return {
    site,
    request,
    url: new URL(request.url),
    requestState,
    params,
    clientAddress: requestState.clientAddress,
    cookies,
    setCookies,
    signedIn: null,
    ctx: null,
    visitorCsrfToken() {
      if (visitor === null) {
        visitor = newVisitorToken()
        setCookies.push(cookies.setVisitorToken(visitor))
      }
      return site.formTokens.issue(`visitor:${visitor}`)
    },
  }
}

/** Authenticates a visit by its session cookie. */
export async function authenticateVisit(visit: Visit, authenticator: Authenticator): Promise<Visit> {
  const { site, request, requestState, cookies, setCookies } = visit
  const token = cookies.sessionToken(request)
  const signedIn = token === null ? null : await verifySession(site.services, token)
  if (signedIn) recheckAfterSlowBody(request, () => requireSession(visit))
  if (token !== null && signedIn?.extended) setCookies.push(cookies.setSession(token))
  const ctx = signedIn && {
    ...site.services,
    ...authenticator.createCall(request, requestState, { actor: signedIn.actor, transport: 'web', budget: restBudget }),
  }
  requestState.actorId = signedIn?.actor.id ?? null
  return { ...visit, signedIn, ctx }
}

/** Refuses with UNAUTHENTICATED if the session of a visit has ended since. */
export async function requireSession({ site, cookies, request }: Visit): Promise<void> {
  const token = cookies.sessionToken(request)
  if (token === null || !(await verifySession(site.services, token)))
    throw unauthenticated('The session has ended. Sign in again.')
}

/** The CSRF token of the signed-in session's forms. */
export function sessionToken({ site, signedIn }: Pick<SignedInVisit, 'site' | 'signedIn'>): string {
  return site.formTokens.issue(sessionBinding(signedIn))
}

/** The subject that the CSRF tokens of a session are bound to. */
export function sessionBinding({ session }: VerifiedSession): FormTokenBinding {
  return `session:${session.id}`
}

/**
 * Authenticates an API request by its session cookie; methods other than GET also need the session's CSRF token in
 * `X-CSRF-Token`. Refuses with UNAUTHENTICATED, FORBIDDEN or ORIGIN_NOT_ALLOWED.
 */
export async function sessionActor(site: Site, request: Request): Promise<Actor> {
  requireSameOrigin(request, site.baseUrl)
  const token = createCookies(site.baseUrl).sessionToken(request)
  const signedIn = token === null ? null : await verifySession(site.services, token)
  if (!signedIn) throw sessionRequired(site)
  requireCsrfHeader({ site, request, signedIn })
  return signedIn.actor
}

/** The refusal (UNAUTHENTICATED) of a route that needs a browser session. */
export function sessionRequired({ baseUrl }: Pick<Site, 'baseUrl'>): AppError {
  return unauthenticated(`This route needs a browser session. Sign in at ${baseUrl}/sign-in.`)
}

/** Refuses with FORBIDDEN a method other than GET without the session's CSRF token in `X-CSRF-Token`. */
export function requireCsrfHeader({ site, request, signedIn }: Pick<SignedInVisit, 'site' | 'request' | 'signedIn'>) {
  const csrfToken = request.headers.get('x-csrf-token')
  if (request.method === 'GET' || site.formTokens.verify(sessionBinding(signedIn), csrfToken)) return
  throw new AppError('FORBIDDEN', 'X-CSRF-Token is missing or belongs to another session. Get it from the page /keys.')
}
