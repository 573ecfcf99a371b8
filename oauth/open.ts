import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Hono } from 'hono'
import { verifyAccessToken } from '../src/accounts/verify-access-token.ts'
import type { Actor } from '../src/core/context.ts'
import type { Env } from '../src/transport/request-state.ts'
import type { PageRoutes } from '../src/web/routes.ts'
import type { FindAuthorization } from './authorization.ts'
import type { AuthorizationServer, OauthOptions } from './authorization-server.ts'
import { mountConnections } from './connections.ts'
import { mountConsent } from './interactions.ts'
import { isOauthPath } from './paths.ts'
import { mountResourceMetadata } from './resource-metadata.ts'

export interface Oauth {
  /** The endpoints for clients. */
  endpoint: {
    /** True for a path that it handles. */
    matches(path: string): boolean
    handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  }
  /** Mounts the protected resource metadata of the MCP endpoint (RFC 9728). */
  mountDocuments(app: Hono<Env>): void
  /** Mounts the pages for users. */
  mountPages(routes: PageRoutes): void
  /** Verifies an access token for the MCP endpoint; refuses with UNAUTHENTICATED. */
  authenticate(token: string): Promise<Actor>
}

/**
 * Creates the authorization server of the MCP endpoint. oidc-provider, which takes a fifth of the start of a server, is
 * loaded with the first request to one of its endpoints or pages; verifying a token does not need it.
 */
export function openOauth(options: OauthOptions): Oauth {
  const { services, log } = options
  const { oauth: store, baseUrl } = services
  const resource = `${baseUrl}/api/v1/mcp`
  let server: Promise<AuthorizationServer> | undefined
  const loadServer = async () => {
    const { createAuthorizationServer } = await import('./authorization-server.ts')
    return createAuthorizationServer(options, resource)
  }
  const getServer = () => (server ??= loadServer())
  const findAuthorization: FindAuthorization = async (request, uid) =>
    (await getServer()).findAuthorization(request, uid)
  return {
    endpoint: {
      matches: isOauthPath,
      handle: async (request, response) => (await getServer()).handle(request, response),
    },
    mountDocuments: (app) => mountResourceMetadata(app, { baseUrl, resource }),
    mountPages(routes) {
      mountConsent(routes, { findAuthorization, store })
      mountConnections(routes, store)
    },
    authenticate: (token) => verifyAccessToken({ ...services, log }, token, resource),
  }
}
