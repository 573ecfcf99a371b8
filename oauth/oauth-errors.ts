import { errors } from 'oidc-provider'
import type { AppError } from '../src/core/errors.ts'
import { toRefusal } from '../src/transport/refusals.ts'

/** What OAuth has for a server that cannot answer right now (RFC 6749, section 4.1.2.1), with the status of HTTP for it. */
class TemporarilyUnavailable extends errors.OIDCProviderError {
  // A person is told by a page, from which the same request can be sent again.
  override allow_redirect = false
  override expose = true
  constructor({ message, cause }: AppError) {
    super(503, 'temporarily_unavailable', { cause })
    this.error_description = message
  }
}

type Methods = Record<string, (...inputs: never[]) => Promise<unknown>>

/** The same stores, that say `temporarily_unavailable` to the provider when the database is out of reach. */
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
