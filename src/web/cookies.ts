import { randomBytes } from 'node:crypto'
import { sessionTtlMs } from '../accounts/web-session-store.ts'

/** Cookies of one server: on https with the `__Host-` prefix, which no other host can set (RFC 6265bis, section 4.1.3.2). */
export interface Cookies {
  /** The token of the browser's session. */
  sessionToken(request: Request): string | null
  /** What the forms of somebody who is not signed in are bound to. */
  visitorToken(request: Request): string | null
  /** `Set-Cookie` values. */
  setSession(token: string): string
  clearSession(): string
  setVisitorToken(value: string): string
}

const tokenPattern = /^[A-Za-z0-9_-]{43}$/

/** The cookies of the server at `baseUrl`: HttpOnly, SameSite=Lax, for the whole host, Secure on https. */
export function createCookies(baseUrl: string): Cookies {
  const secure = baseUrl.startsWith('https:')
  const [session, visitor] = secure ? ['__Host-lectern', '__Host-lectern-form'] : ['lectern', 'lectern-form']
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  return {
    sessionToken: (request) => readCookie(request, session),
    visitorToken: (request) => readCookie(request, visitor),
    setSession: (token) => `${session}=${token}; Max-Age=${sessionTtlMs / 1000}; ${attributes}`,
    clearSession: () => `${session}=; Max-Age=0; ${attributes}`,
    setVisitorToken: (value) => `${visitor}=${value}; ${attributes}`,
  }
}

/** A new value for the visitor's cookie. */
export function newVisitorToken(): string {
  return randomBytes(32).toString('base64url')
}

/** A cookie's value where it has the form of our tokens, else null. */
function readCookie(request: Request, name: string): string | null {
  for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
    const [key, value = ''] = pair.trim().split('=', 2)
    if (key === name) return tokenPattern.test(value) ? value : null
  }
  return null
}
