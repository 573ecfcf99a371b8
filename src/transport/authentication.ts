import type { Actor } from '../core/context.ts'
import { AppError } from '../core/errors.ts'
import type { Route } from '../core/tool.ts'
import type { Authenticator } from './request-state.ts'

/** Who makes a call, by the kind of credential that its route takes. */
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
  throw new AppError(
    'INSUFFICIENT_SCOPE',
    'API keys are made and revoked by a signed-in person only: on the page /keys.',
  )
}

const bearerPattern = /^Bearer +(\S+) *$/i

/** The credential of an `Authorization: Bearer` header (RFC 6750, section 2.1); refuses with the contract's words. */
export function bearerToken(header: string | undefined | null): string {
  if (header == null || header === '') throw unauthenticated('Missing Authorization header')
  const token = bearerPattern.exec(header)?.[1]
  if (token === undefined) {
    throw unauthenticated('Invalid Authorization header format, expected Bearer token')
  }
  return token
}

/** A 401 with one of the contract's messages. */
export function unauthenticated(message: string): AppError {
  return new AppError('UNAUTHENTICATED', message)
}
