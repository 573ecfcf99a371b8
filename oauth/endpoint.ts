import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import type { AttemptLimiter } from '../src/accounts/attempt-limiter.ts'
import type { Log } from '../src/core/context.ts'
import { newId } from '../src/core/ids.ts'
import { scopes } from '../src/core/scopes.ts'
import type { Admission } from './admission.ts'
import { admitRegistration } from './admit-registration.ts'
import type { AuthorizationLimitReached } from './oauth-errors.ts'
import { limitPage } from './render-error.ts'
import { oauthPaths, originPaths, publicDocuments } from './paths.ts'

/** Handles a request with Node's own request and response objects. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

export interface OauthEndpointOptions {
  provider: Provider
  baseUrl: string
  allowedOrigins: readonly string[]
  attempts: AttemptLimiter
  admission: Admission
  trustedProxies: number
  log: Log
}

/** Serves the authorization server's endpoints for clients. Its pages are mounted by `interactions.ts` and `connections.ts`. */
export function createOauthHandler(options: OauthEndpointOptions): NodeHandler {
  const { provider, baseUrl, admission, log } = options
  const handleProvider = provider.callback()
  const base = new URL(baseUrl)
  const origins = new Set([base.origin, ...options.allowedOrigins])
  return async (request, response) => {
    const started = performance.now()
    const requestId = newId()
    const given = request.url?.split('?')[0] ?? ''
    const path = originPaths.get(given) ?? given
    request.url = path + (request.url ?? '').slice(given.length)
    response.setHeader('X-Request-Id', requestId)
    if (publicDocuments.has(path)) response.setHeader('Cache-Control', 'public, max-age=300')
    response.once('finish', () => {
      const ms = Math.round(performance.now() - started)
      const route = `oauth ${given.split('/').slice(0, 3).join('/')}`
      log.info({ requestId, method: request.method, route, status: response.statusCode, ms }, 'request')
    })
    const isRegistration = path === oauthPaths.registration
    if (isRegistration && !(await admitRegistration(request, response, { ...options, origins }))) return
    admission.noteNetwork(request)
    overrideHostHeaders(request, base)
    if (path === oauthPaths.authorization) {
      // Checked before the provider runs, so that requests beyond the limit cost little. If the database is
      // unavailable, the provider reports that.
      const refusal = await admission.findRefusal(request).catch(() => null)
      if (refusal) return sendLimitPage(response, refusal)
      request.url = withDefaultScopes(request.url)
    }
    await handleProvider(request, response)
  }
}

async function sendLimitPage(response: ServerResponse, refusal: AuthorizationLimitReached): Promise<void> {
  const { status, headers, body } = await limitPage(refusal)
  response.writeHead(status, headers).end(body)
}

/** Sets the host headers, from which the provider builds URLs, to the base URL; ignores what clients and proxies send. */
function overrideHostHeaders(request: IncomingMessage, { host, protocol }: URL): void {
  for (const name of Object.keys(request.headers)) if (name.startsWith('x-forwarded-')) delete request.headers[name]
  delete request.headers.forwarded
  request.headers.host = host
  request.headers['x-forwarded-host'] = host
  request.headers['x-forwarded-proto'] = protocol.slice(0, -1)
}

/** Adds all scopes to an authorization request that names none of ours; the user can deselect some. */
function withDefaultScopes(address: string): string {
  const url = new URL(address, 'http://host')
  // The provider refuses a repeated parameter (RFC 6749, section 3.1).
  if (url.searchParams.getAll('scope').length > 1) return address
  const requestedScopes = (url.searchParams.get('scope') ?? '').split(' ').filter((scope) => scope !== '')
  if (scopes.some((scope) => requestedScopes.includes(scope))) return address
  url.searchParams.set('scope', [...requestedScopes, ...scopes].join(' '))
  return url.pathname + url.search
}
