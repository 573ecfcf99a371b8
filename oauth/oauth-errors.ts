import { errors } from 'oidc-provider'
import type { AppError } from '../src/core/errors.ts'
import { toRefusal } from '../src/transport/refusals.ts'

/** `temporarily_unavailable` (RFC 6749, section 4.1.2.1) with HTTP status 503. */
class TemporarilyUnavailable extends errors.OIDCProviderError {
  // The user sees an error page with a link to retry, instead of a redirect.
  override allow_redirect = false
  override expose = true
  constructor({ message, cause }: AppError) {
    super(503, 'temporarily_unavailable', { cause })
    this.error_description = message
  }
}

/**
 * A limit on authorizations that nobody has signed in for: `temporarily_unavailable` with HTTP status 429. Shown as a
 * page, because the client cannot shorten the wait.
 */
export class AuthorizationLimitReached extends errors.OIDCProviderError {
  override allow_redirect = false
  readonly retryAfterSeconds: number
  constructor(message: string, retryAfterSeconds: number) {
    super(429, 'temporarily_unavailable')
    this.error_description = message
    this.retryAfterSeconds = retryAfterSeconds
  }
}

type Methods = Record<string, (...inputs: never[]) => Promise<unknown>>

/** Wraps a store: its methods throw `temporarily_unavailable` to the provider if the database is unreachable. */
export function withOauthErrors<Store extends object>(store: Store): Store {
  const methods = Object.entries(store as Methods).map(([name, method]) => [
    name,
    (...inputs: never[]) => method(...inputs).catch(rethrowAsOauthError),
  ])
  return Object.fromEntries(methods) as Store
}

function rethrowAsOauthError(error: unknown): never {
  const refusal = error instanceof errors.OIDCProviderError ? null : toRefusal(error)
  throw refusal?.code === 'UNAVAILABLE' ? new TemporarilyUnavailable(refusal) : error
}
