import { bearerToken, unauthenticated } from '../transport/authentication.ts'

/**
 * The API key of a request: a Bearer token, or the password of HTTP Basic authentication (RFC 7617) with any user name.
 * Without a password, the key may be the user name. Refuses with UNAUTHENTICATED.
 */
export function catalogueKey(header: string | null): string {
  const encoded = /^Basic +([A-Za-z0-9+/=_-]+) *$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) return bearerToken(header)
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon === -1) throw unauthenticated('Invalid Authorization header format, expected Basic user:key')
  const [user, password] = [text.slice(0, colon), text.slice(colon + 1).trim()]
  return password === '' ? user.trim() : password
}
