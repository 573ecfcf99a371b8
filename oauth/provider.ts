import { createHmac } from 'node:crypto'
import { errors, Provider, type KoaContextWithOIDC } from 'oidc-provider'
import { oauthTokenPrefix } from '../src/accounts/api-key.ts'
import { verifyClientSecret } from '../src/accounts/client-secret.ts'
import type { Log } from '../src/core/context.ts'
import { scopes } from '../src/core/scopes.ts'
import { oauthConfiguration, type OauthSettings } from './configuration.ts'
import { oauthPaths } from './paths.ts'
import type { ServerKeys } from './keys.ts'
import { rememberFailedDocuments } from './failed-documents.ts'
import { renderWithheldRedirect } from './render-error.ts'
import { findWithheldRedirect, type RedirectTrust } from './trusted-redirect.ts'

/** Creates the authorization server of one base URL. */
export function createProvider(settings: OauthSettings, log: Log): Provider {
  const provider = new Provider(settings.baseUrl, oauthConfiguration(settings))
  // The provider takes scheme and host from headers, which `endpoint.ts` sets from the base URL.
  provider.proxy = true
  provider.silent = true
  prefixAccessTokens(provider)
  deriveSuccessors(provider, settings.keys)
  compareSecretsByHash(provider)
  rememberFailedDocuments(provider, settings.clientHosts)
  withholdUntrustedRedirects(provider, settings)
  provider.use(async (ctx, next) => {
    const mode = ctx.path === oauthPaths.authorization ? ctx.query['response_mode'] : undefined
    if (mode !== undefined && mode !== 'query') {
      ctx.status = 400
      const error = new errors.InvalidRequest(`response_mode ${mode} is not supported; use query`)
      return settings.renderError(ctx as KoaContextWithOIDC, error.error_description ?? error.error, error)
    }
    await next()
    if (ctx.status === 503) ctx.set('Retry-After', '2')
    const { route } = ctx['oidc'] ?? {}
    if (route === 'discovery') ctx.body = { ...(ctx.body as object), ...discoveryOverrides }
    if (route === 'registration') ctx.body = withoutNulls(ctx.body)
  })
  provider.on('server_error', (_ctx, err) => log.error({ err }, 'authorization failed'))
  return provider
}

const discoveryOverrides = {
  scopes_supported: [...scopes, 'openid', 'offline_access'],
  response_modes_supported: ['query'],
  prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
}

/** Shows a page instead of redirecting refused authorizations to untrusted websites. */
function withholdUntrustedRedirects(provider: Provider, trust: RedirectTrust): void {
  const reasons = new WeakMap<object, string>()
  provider.on('authorization.error', (ctx, error) => {
    reasons.set(ctx, error.error_description ?? error.error)
  })
  provider.use(async (ctx: KoaContextWithOIDC, next) => {
    await next()
    const withheld = await findWithheldRedirect(ctx, trust)
    if (withheld) await renderWithheldRedirect(ctx, withheld, reasons.get(ctx) ?? 'something went wrong on this server')
  })
}

/** Prefixes access tokens with `ck_oauth_`, which distinguishes them from API keys (contract, Authentication 2). */
function prefixAccessTokens(provider: Provider): void {
  const prototype = provider.AccessToken.prototype as unknown as { generateTokenId(): string }
  const generate = prototype.generateTokenId
  prototype.generateTokenId = function generateMarked() {
    return oauthTokenPrefix + generate.call(this)
  }
}

/**
 * Derives the refresh token that follows a presented one from it and the server's secret (HMAC-SHA-256). Requests that
 * present the same token within the leeway get the same successor, so that a connection has one chain of tokens: a stolen
 * token cannot branch off a second one. Nothing is stored for it.
 */
function deriveSuccessors(provider: Provider, { refreshTokens: key }: ServerKeys): void {
  const prototype = provider.RefreshToken.prototype as unknown as { generateTokenId(): string }
  const generate = prototype.generateTokenId
  prototype.generateTokenId = function generateSuccessor() {
    const presented = Provider.ctx?.oidc.entities.RotatedRefreshToken?.jti
    if (presented === undefined) return generate.call(this)
    return createHmac('sha256', key).update(presented).digest('base64url')
  }
}

/** Compares client secrets by hash, because stored clients have the hash in place of the secret. */
function compareSecretsByHash(provider: Provider): void {
  const prototype = provider.Client.prototype as { compareClientSecret(secret: string): unknown }
  prototype.compareClientSecret = matchesSecretHash
}

function matchesSecretHash(this: { clientSecret?: string }, secret: string): boolean {
  return verifyClientSecret(this.clientSecret ?? '', secret)
}

function withoutNulls(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
}
