import type { Clock, Log, PublicAddress } from '../src/core/context.ts'
import type { AccountStores } from '../src/accounts/store.ts'
import type { AttemptServices } from '../src/accounts/attempt-limiter.ts'
import type { OauthStores } from '../src/accounts/oauth-store.ts'
import type { PlanServices } from '../src/accounts/plans.ts'
import type { WebSessionStores } from '../src/accounts/web-session-store.ts'
import { createCookies } from '../src/web/cookies.ts'
import { createAdmission } from './admission.ts'
import { findAuthorization, type FindAuthorization } from './authorization.ts'
import type { FindSession } from './browser-session.ts'
import { createOauthHandler, type NodeHandler } from './endpoint.ts'
import { deriveKeys } from './keys.ts'
import { withOauthErrors } from './oauth-errors.ts'
import { createProvider } from './provider.ts'
import { renderError } from './render-error.ts'

export interface OauthOptions {
  services: Clock & OauthStores & AccountStores & AttemptServices & PublicAddress & WebSessionStores & PlanServices
  /** The server's secret. */
  secret: string
  allowedOrigins: readonly string[]
  clientHosts: readonly string[]
  redirectSchemes: readonly string[]
  trustedProxies: number
  fetch: typeof fetch
  log: Log
}

/** The part of the authorization server that needs oidc-provider. */
export interface AuthorizationServer {
  /** Handles a request to one of the endpoints for clients. */
  handle: NodeHandler
  findAuthorization: FindAuthorization
}

/** Hosts whose client metadata documents are accepted by default. */
const knownClientHosts = ['claude.ai', 'claude.com', 'chatgpt.com']

/** Finds sessions by the cookies of the pages; suspended and closed accounts have none. */
function createSessionFinder({ webSessions, baseUrl, now }: Clock & WebSessionStores & PublicAddress): FindSession {
  const cookies = createCookies(baseUrl)
  return async (cookie) => {
    const token = cookies.sessionToken(new Request(baseUrl, { headers: { cookie } }))
    const found = token === null ? null : await webSessions.byToken(token, now())
    if (!found || found.account.suspendedAt || found.account.deletedAt) return null
    return { accountId: found.account.id, signedInAt: found.session.createdAt }
  }
}

/** Creates the authorization server that issues tokens for `resource`, the MCP URL (RFC 8707). */
export function createAuthorizationServer(
  { services, secret, log, ...options }: OauthOptions,
  resource: string,
): AuthorizationServer {
  const { oauth: store, accounts, attemptLimiter: attempts, baseUrl } = services
  const clientHosts = [...knownClientHosts, ...options.clientHosts]
  const { allowedOrigins, trustedProxies } = options
  const { findSession } = withOauthErrors({ findSession: createSessionFinder(services) })
  const admission = createAdmission({ attempts: withOauthErrors(attempts), findSession, trustedProxies, baseUrl })
  const settings = {
    baseUrl,
    resource,
    keys: deriveKeys(secret),
    findSession,
    admission,
    store: withOauthErrors(store),
    accounts: withOauthErrors(accounts),
    clientHosts,
    redirectSchemes: options.redirectSchemes,
    renderError,
    now: () => services.now(),
  }
  const provider = createProvider({ ...settings, allowedOrigins, fetch: options.fetch }, log)
  return {
    handle: createOauthHandler({ provider, baseUrl, allowedOrigins, attempts, admission, trustedProxies, log }),
    findAuthorization: (request, uid) => findAuthorization({ provider, store, findSession, resource }, request, uid),
  }
}
