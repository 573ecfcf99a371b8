import { randomBytes } from 'node:crypto'
import { sessionTtlMs } from '../accounts/web-session-store.ts'

/** Cookies of one server; over https they have the `__Host-` prefix, which no other host can set (RFC 6265bis, section 4.1.3.2). */
export interface Cookies {
  /** The session token of a request; null if it has none. */
  sessionToken(request: Request): string | null
  /** The visitor token, which CSRF tokens are bound to without a sign-in; null if the request has none. */
  visitorToken(request: Request): string | null
  /** `Set-Cookie` value; so are the next two. */
  setSession(token: string): string
  clearSession(): string
  setVisitorToken(value: string): string
}

const tokenPattern = /^[A-Za-z0-9_-]{43}$/

/** The cookies of the server at `baseUrl`: HttpOnly, SameSite=Lax, Path=/, Secure over https. */
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

/** Creates a visitor token of 256 random bits. */
export function newVisitorToken(): string {
  return randomBytes(32).toString('base64url')
}

/** A cookie's value; null if it is absent or does not have the format of a token. */
function readCookie(request: Request, name: string): string | null {
  for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
    const [key, value = ''] = pair.trim().split('=', 2)
    if (key === name) return tokenPattern.test(value) ? value : null
  }
  return null
}
