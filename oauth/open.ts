import type { Hono } from 'hono'
import type { Actor, Log, Clock, PublicAddress } from '../src/core/context.ts'
import type { Env } from '../src/transport/request-state.ts'
import { verifyAccessToken } from '../src/accounts/verify-access-token.ts'
import { createCookies } from '../src/web/cookies.ts'
import type { PageRoutes } from '../src/web/routes.ts'
import { createAdmission } from './admission.ts'
import { mountConnections } from './connections.ts'
import { createOauthEndpoint, type NodeEndpoint } from './endpoint.ts'
import { mountConsent } from './interactions.ts'
import { deriveKeys } from './keys.ts'
import { mountResourceMetadata } from './resource-metadata.ts'
import type { FindSession } from './browser-session.ts'
import { createProvider } from './provider.ts'
import { renderError } from './render-error.ts'
import { withOauthErrors } from './oauth-errors.ts'
import type { OauthStores } from '../src/accounts/oauth-store.ts'
import type { AccountStores } from '../src/accounts/store.ts'
import type { AttemptServices } from '../src/accounts/attempt-limiter.ts'
import type { WebSessionStores } from '../src/accounts/web-session-store.ts'
import type { PlanServices } from '../src/accounts/plans.ts'

export interface Oauth {
  /** The endpoints for clients. */
  endpoint: NodeEndpoint
  /** Mounts the protected resource metadata of the MCP endpoint (RFC 9728). */
  mountDocuments(app: Hono<Env>): void
  /** Mounts the pages for users. */
  mountPages(routes: PageRoutes): void
  /** Verifies an access token for the MCP endpoint; refuses with UNAUTHENTICATED. */
  authenticate(token: string): Promise<Actor>
}

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

/** Creates the authorization server of the MCP endpoint. */
export function openOauth({ services, secret, log, ...options }: OauthOptions): Oauth {
  const { oauth: store, accounts, attemptLimiter: attempts, baseUrl } = services
  const resource = `${baseUrl}/api/v1/mcp`
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
    endpoint: createOauthEndpoint({ provider, baseUrl, allowedOrigins, attempts, admission, trustedProxies, log }),
    mountDocuments: (app) => mountResourceMetadata(app, { baseUrl, resource }),
    mountPages(routes) {
      mountConsent(routes, { provider, store, resource })
      mountConnections(routes, store)
    },
    authenticate: (token) => verifyAccessToken({ ...services, log }, token, resource),
  }
}
