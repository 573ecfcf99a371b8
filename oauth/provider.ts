import { Provider, type KoaContextWithOIDC } from 'oidc-provider'
import { oauthPrefix } from '../src/accounts/api-key.ts'
import type { Log } from '../src/context.ts'
import { scopes } from '../src/scopes.ts'
import { oauthConfiguration, oauthPaths, type OauthSettings } from './configuration.ts'

/** Makes the authorization server of one base URL. */
export function createProvider(settings: OauthSettings, log: Log): Provider {
  const provider = new Provider(settings.baseUrl, oauthConfiguration(settings))
  // Scheme and host of its addresses come from headers, which are set from the base URL.
  provider.proxy = true
  provider.silent = true
  markTokens(provider)
  provider.use(async (ctx, next) => {
    const mode = ctx.path === oauthPaths.authorization ? ctx.query.response_mode : undefined
    if (mode !== undefined && mode !== 'query') {
      ctx.status = 400
      return settings.renderError(ctx as KoaContextWithOIDC, `response_mode ${mode} is not served, only query is`)
    }
    await next()
    const { route } = ctx.oidc ?? {}
    if (route === 'discovery') ctx.body = { ...(ctx.body as object), ...discovery }
    if (route === 'registration') ctx.body = withoutNulls(ctx.body)
  })
  provider.on('server_error', (_ctx, err) => log.error({ err }, 'authorization failed'))
  return provider
}

const discovery = {
  scopes_supported: [...scopes, 'openid', 'offline_access'],
  response_modes_supported: ['query'],
}

/** Tokens begin with `ck_oauth_`, so that they are told from API keys before anything is read (contract, Authentication 2). */
function markTokens(provider: Provider): void {
  const prototype = provider.AccessToken.prototype as unknown as { generateTokenId(): string }
  const generate = prototype.generateTokenId
  prototype.generateTokenId = function generateMarked() {
    return oauthPrefix + generate.call(this)
  }
}

function withoutNulls(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
}
