import { verifySession } from '../accounts/verify-session.ts'
import type { Browser } from '../accounts/sign-in.ts'
import type { WebSession } from '../accounts/web-session-store.ts'
import { sessionRequired, type SignedInVisit, type Visit } from './visit.ts'

/** The browser of a visit, for use cases that start a session. */
export function browserOf({ site, clientAddress, request, cookies }: Visit): Browser {
  const mark = cookies.browserMark(request)
  return {
    clientAddress,
    browserIdFor: (accountId) => site.knownBrowsers.browserId(mark, accountId),
    userAgent: request.headers.get('user-agent'),
    previousToken: cookies.sessionToken(request),
  }
}

/** Stores a new session in the browser, and marks the browser as known to the account. */
export async function keepSession(visit: Visit, token: string): Promise<WebSession | null> {
  const { services } = visit.site
  visit.setCookies.push(visit.cookies.setSession(token))
  const session = (await services.webSessions.byToken(token, services.now()))?.session ?? null
  if (session) rememberBrowser(visit, session.accountId)
  return session
}

/** Stores the session that replaces the one of a visit in the browser, and returns the visit with it. */
export async function continueInSession(visit: SignedInVisit, token: string): Promise<SignedInVisit> {
  const signedIn = await verifySession(visit.site.services, token)
  if (!signedIn) throw sessionRequired(visit.site)
  visit.setCookies.push(visit.cookies.setSession(token))
  return { ...visit, signedIn, ctx: { ...visit.ctx, actor: signedIn.actor } }
}

/** Marks the browser as one whose user has proved ownership of the account. */
export function rememberBrowser({ site, request, cookies, setCookies }: Visit, accountId: string): void {
  setCookies.push(cookies.setBrowserMark(site.knownBrowsers.add(cookies.browserMark(request), accountId)))
}
