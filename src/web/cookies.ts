import { randomBytes } from 'node:crypto'
import { sessionTtlMs } from '../accounts/web-session-store.ts'
import { browserMarkPattern } from './known-browsers.ts'

/** Cookies of one server; over https they have the `__Host-` prefix, which no other host can set (RFC 6265bis, section 4.1.3.2). */
export interface Cookies {
  /** The session token of a request; null if it has none. */
  sessionToken(request: Request): string | null
  /** The visitor token, which CSRF tokens are bound to without a sign-in; null if the request has none. */
  visitorToken(request: Request): string | null
  /** Returns a `Set-Cookie` value, as do the next two. */
  setSession(token: string): string
  clearSession(): string
  setVisitorToken(value: string): string
  /** The mark of a browser that has signed in; null if the request has none. */
  browserMark(request: Request): string | null
  setBrowserMark(mark: string): string
  /** The layout and order of the library that this browser used last, such as `list.title`; null if it has none. */
  libraryLook(request: Request): string | null
  setLibraryLook(look: string): string
}

/** Browsers limit the lifetime of cookies to 400 days (RFC 6265bis, section 5.5). */
const maxTtlSeconds = 400 * 24 * 60 * 60

const libraryLookPattern = /^[a-z]{1,10}\.[a-z]{1,10}$/
const tokenPattern = /^[A-Za-z0-9_-]{43}$/

/** The cookies of the server at `baseUrl`: HttpOnly, SameSite=Lax, Path=/, Secure over https. */
export function createCookies(baseUrl: string): Cookies {
  const secure = baseUrl.startsWith('https:')
  const prefix = secure ? '__Host-' : ''
  const [session, visitor, browser] = [`${prefix}lectern`, `${prefix}lectern-form`, `${prefix}lectern-browser`]
  const look = `${prefix}lectern-library`
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  return {
    sessionToken: (request) => readCookie(request, session),
    visitorToken: (request) => readCookie(request, visitor),
    setSession: (token) => `${session}=${token}; Max-Age=${sessionTtlMs / 1000}; ${attributes}`,
    clearSession: () => `${session}=; Max-Age=0; ${attributes}`,
    setVisitorToken: (value) => `${visitor}=${value}; ${attributes}`,
    browserMark: (request) => readCookie(request, browser, browserMarkPattern),
    libraryLook: (request) => readCookie(request, look, libraryLookPattern),
    setLibraryLook: (value) => `${look}=${value}; Max-Age=${maxTtlSeconds}; ${attributes}`,
    setBrowserMark: (mark) => `${browser}=${mark}; Max-Age=${maxTtlSeconds}; ${attributes}`,
  }
}

/** Creates a visitor token of 256 random bits. */
export function newVisitorToken(): string {
  return randomBytes(32).toString('base64url')
}

/** A cookie's value; null if it is absent or has an unexpected format. */
function readCookie(request: Request, name: string, pattern = tokenPattern): string | null {
  for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
    const [key, value = ''] = pair.trim().split('=', 2)
    if (key === name) return pattern.test(value) ? value : null
  }
  return null
}
