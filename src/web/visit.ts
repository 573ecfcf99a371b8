import { verifySession, type SignedIn } from '../accounts/verify-session.ts'
import type { Actor, Call } from '../core/context.ts'
import { AppError } from '../core/errors.ts'
import type { Gate, Scene } from '../transport/request-state.ts'
import { unauthenticated } from '../transport/authentication.ts'
import { restBudget } from '../transport/rate-headers.ts'
import { createCookies, newVisitor, type Cookies } from './cookies.ts'
import type { Binding } from './form-tokens.ts'
import { refuseForeignOrigin } from './require-same-origin.ts'
import type { PageServices, Site } from './site.ts'

/** One request for a page, and who makes it. */
export interface Visit {
  site: Site
  request: Request
  url: URL
  scene: Scene
  params: Record<string, string>
  /** The address that attempts are counted by. */
  client: string
  cookies: Cookies
  /** `Set-Cookie` values of the answer. */
  setCookies: string[]
  signedIn: SignedIn | null
  /** What the use cases run in; null when nobody is signed in. */
  ctx: (Call & PageServices) | null
  /** The token of forms that need no sign-in; makes their cookie where the browser has none. */
  visitorToken(): string
}

/** A visit of somebody who is signed in. */
export interface SignedVisit extends Visit {
  signedIn: SignedIn
  ctx: Call & PageServices
}

interface Arrival {
  request: Request
  scene: Scene
  params: Record<string, string>
  client: string
}

/** A request for a page before it is known who makes it: that needs the store. */
export function arrive(site: Site, { request, scene, params, client }: Arrival): Visit {
  const cookies = createCookies(site.baseUrl)
  const setCookies: string[] = []
  let visitor = cookies.visitor(request)
  return {
    site,
    request,
    url: new URL(request.url),
    scene,
    params,
    client,
    cookies,
    setCookies,
    signedIn: null,
    ctx: null,
    visitorToken() {
      if (visitor === null) {
        visitor = newVisitor()
        setCookies.push(cookies.setVisitor(visitor))
      }
      return site.formTokens.of(`visitor:${visitor}`)
    },
  }
}

/** Finds out who makes a request. */
export async function openVisit(visit: Visit, gate: Gate): Promise<Visit> {
  const { site, request, scene, cookies, setCookies } = visit
  const token = cookies.session(request)
  const signedIn = token === null ? null : await verifySession(site.services, token)
  if (token !== null && signedIn?.prolonged) setCookies.push(cookies.setSession(token))
  const ctx = signedIn && {
    ...site.services,
    ...gate.call(request, scene, { actor: signedIn.actor, door: 'web', budget: restBudget }),
  }
  scene.actorId = signedIn?.actor.id ?? null
  return { ...visit, signedIn, ctx }
}

/** The token of forms that change something for the one who is signed in. */
export function sessionToken({ site, signedIn }: Pick<SignedVisit, 'site' | 'signedIn'>): string {
  return site.formTokens.of(sessionBinding(signedIn))
}

/** What forms are bound to in a signed-in browser. */
export function sessionBinding({ session }: SignedIn): Binding {
  return `session:${session.id}`
}

/** Who is signed in in the browser that calls a route of the API; a change needs the session's token in `X-CSRF-Token`. */
export async function signedInCaller(site: Site, request: Request): Promise<Actor> {
  refuseForeignOrigin(request, site.baseUrl)
  const token = createCookies(site.baseUrl).session(request)
  const signedIn = token === null ? null : await verifySession(site.services, token)
  if (!signedIn)
    throw unauthenticated(`Sign in first, at ${site.baseUrl}/sign-in: this route takes a browser's session.`)
  const given = request.headers.get('x-csrf-token')
  if (request.method !== 'GET' && !site.formTokens.fits(sessionBinding(signedIn), given)) {
    throw new AppError('FORBIDDEN', 'X-CSRF-Token is missing or of another session. Take it from the page /keys.')
  }
  return signedIn.actor
}
