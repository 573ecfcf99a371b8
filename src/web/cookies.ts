import { randomBytes } from 'node:crypto'
import { sessionMs } from '../accounts/web-session-store.ts'

/** Cookies of one server: on https with the `__Host-` prefix, which no other host can set (RFC 6265bis, section 4.1.3.2). */
export interface Cookies {
  /** The token of the browser's session. */
  session(request: Request): string | null
  /** What the forms of somebody who is not signed in are bound to. */
  visitor(request: Request): string | null
  /** `Set-Cookie` values. */
  setSession(token: string): string
  dropSession(): string
  setVisitor(value: string): string
}

const tokenForm = /^[A-Za-z0-9_-]{43}$/

/** The cookies of the server at `baseUrl`: HttpOnly, SameSite=Lax, for the whole host, Secure on https. */
export function createCookies(baseUrl: string): Cookies {
  const secure = baseUrl.startsWith('https:')
  const [session, visitor] = secure ? ['__Host-lectern', '__Host-lectern-form'] : ['lectern', 'lectern-form']
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  return {
    session: (request) => readCookie(request, session),
    visitor: (request) => readCookie(request, visitor),
    setSession: (token) => `${session}=${token}; Max-Age=${sessionMs / 1000}; ${attributes}`,
    dropSession: () => `${session}=; Max-Age=0; ${attributes}`,
    setVisitor: (value) => `${visitor}=${value}; ${attributes}`,
  }
}

/** A new value for the visitor's cookie. */
export function newVisitor(): string {
  return randomBytes(32).toString('base64url')
}

/** A cookie's value where it has the form of our tokens, else null. */
function readCookie(request: Request, name: string): string | null {
  for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
    const [key, value = ''] = pair.trim().split('=', 2)
    if (key === name) return tokenForm.test(value) ? value : null
  }
  return null
}
