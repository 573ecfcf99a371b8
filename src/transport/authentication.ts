import type { Actor } from '../core/context.ts'
import { AppError } from '../core/errors.ts'
import type { Route } from '../core/tool.ts'
import type { Authenticator } from './request-state.ts'

/** Authenticates a caller by the kind of credential its route requires; refuses with UNAUTHENTICATED or INSUFFICIENT_SCOPE. */
export async function authenticateCaller(
  request: Request,
  { credential }: Route,
  authenticator: Authenticator,
): Promise<Actor> {
  const header = request.headers.get('authorization')
  if (credential === 'none') return authenticator.anonymousActor()
  if (credential !== 'session') return authenticator.authenticate(bearerToken(header), credential === 'apiKey')
  if (header === null) return authenticator.authenticateSession(request)
  await authenticator.authenticate(bearerToken(header))
  throw new AppError('INSUFFICIENT_SCOPE', 'An API key cannot manage API keys. Sign in and use the page /keys.')
}

const bearerPattern = /^Bearer +(\S+) *$/i

/** The token of an `Authorization: Bearer` header (RFC 6750, section 2.1); refuses with the contract's messages. */
export function bearerToken(header: string | undefined | null): string {
  if (header == null || header === '') throw unauthenticated('Missing Authorization header')
  const token = bearerPattern.exec(header)?.[1]
  if (token === undefined) {
    throw unauthenticated('Invalid Authorization header format, expected Bearer token')
  }
  return token
}

/** An UNAUTHENTICATED error. */
export function unauthenticated(message: string): AppError {
  return new AppError('UNAUTHENTICATED', message)
}
