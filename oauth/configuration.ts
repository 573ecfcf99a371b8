import { errors, type Configuration, type KoaContextWithOIDC } from 'oidc-provider'
import { generateClientSecret } from '../src/accounts/client-secret.ts'
import type { AccountStore } from '../src/accounts/store.ts'
import type { OauthStore } from '../src/accounts/oauth-store.ts'
import { scopes } from '../src/core/scopes.ts'
import type { Admission } from './admission.ts'
import { createAdapter } from './adapter.ts'
import { isLoopback, normalizeClientMetadata } from './client-policy.ts'
import type { ServerKeys } from './keys.ts'
import type { FindSession } from './browser-session.ts'
import { createConsentPolicy } from './consent-policy.ts'
import { oauthPaths } from './paths.ts'
import { unusedConnectionDays } from './unused-connection-days.ts'

export interface OauthSettings {
  baseUrl: string
  /** The resource that tokens are issued for: the MCP URL (RFC 8707). */
  resource: string
  keys: ServerKeys
  store: OauthStore
  accounts: Pick<AccountStore, 'byId'>
  /** Finds the signed-in session of a browser. */
  findSession: FindSession
  /** Bounds what visitors without a session make the server store and fetch. */
  admission: Admission
  /** Browser origins that may request tokens, besides the base URL's own. */
  allowedOrigins: readonly string[]
  /** Hosts, `host` or `host:port`, whose client metadata documents are accepted. */
  clientHosts: readonly string[]
  /** Private-use URI schemes, without a colon, that redirects may use besides the known ones. */
  redirectSchemes: readonly string[]
  /** Fetches client metadata documents and client keys. */
  fetch: typeof fetch
  /** Responds with an error page. */
  renderError(ctx: KoaContextWithOIDC, message: string, error: Error): Promise<void>
  now: () => Date
}

const minute = 60
const hour = 60 * minute
const day = 24 * hour
const refreshTokenSeconds = unusedConnectionDays * day

/** The provider's configuration: OAuth 2.1 authorization code flow for public and confidential clients, one resource. */
export function oauthConfiguration(settings: OauthSettings): Configuration {
  const { keys, store, accounts, now, baseUrl } = settings
  const secure = baseUrl.startsWith('https:')
  return {
    adapter: createAdapter({ store, refreshTokenSeconds, now }),
    jwks: { keys: [keys.signing] },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    cookies: cookieSettings(keys, secure),
    // The library scopes belong to the resource server, in `oauthFeatures`.
    scopes: ['openid', 'offline_access'],
    responseTypes: ['code'],
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    extraClientMetadata: {
      properties: ['software_id'],
      validator: (...[, , , metadata]) => normalizeClientMetadata(metadata, settings.redirectSchemes),
    },
    clientBasedCORS: (_ctx, origin) => origin === new URL(baseUrl).origin || settings.allowedOrigins.includes(origin),
    routes: oauthRoutes(),
    features: oauthFeatures(settings),
    interactions: {
      policy: createConsentPolicy(settings),
      url: (_ctx, { uid }) => `${baseUrl}${oauthPaths.interaction}/${uid}`,
    },
    async findAccount(_ctx, id) {
      const account = await accounts.byId(id)
      return account && !account.suspendedAt && !account.deletedAt
        ? { accountId: id, claims: async () => ({ sub: id }) }
        : undefined
    },
    // Each authorization creates its own grant, so that a denied scope can be requested again.
    async loadExistingGrant({ oidc }) {
      const grantId = oidc.result?.consent?.grantId
      return grantId === undefined ? undefined : oidc.provider.Grant.find(grantId)
    },
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    expiresWithSession: async () => false,
    ttl: {
      AccessToken: hour,
      AuthorizationCode: minute,
      IdToken: hour,
      Interaction: ({ req }) => (settings.admission.isSignedIn(req) ? 30 * minute : 10 * minute),
      Session: 30 * minute,
      RefreshToken: refreshTokenSeconds,
      Grant: 3650 * day,
    },
    fetch: fetchFromKnownHosts(settings),
    // Without a length in the header, only the provider can count; its own bound for keys is none.
    fetchResponseBodyLimits: { jwks_uri: maxDocumentBytes },
    renderError: (ctx, out, error) => settings.renderError(ctx, out.error_description ?? out.error, error),
  }
}

/**
 * The provider's own session is not used: each authorization reads the browser session instead. Its cookie has a path
 * that no request uses.
 */
function cookieSettings({ cookies }: ServerKeys, secure: boolean): Configuration['cookies'] {
  const common = { httpOnly: true, sameSite: 'lax', secure, signed: true } as const
  // A page over http cannot set a cookie with this prefix. They have paths, so they cannot have `__Host-`.
  const prefix = secure ? '__Secure-lectern-oauth' : 'lectern-oauth'
  return {
    names: { session: `${prefix}-session`, interaction: prefix, resume: `${prefix}-resume` },
    keys: cookies,
    short: common,
    long: { ...common, path: '/oauth/session' },
  }
}

function oauthRoutes(): Configuration['routes'] {
  const { authorization, token, registration, revocation, jwks } = oauthPaths
  return { authorization, token, registration, revocation, jwks }
}

function oauthFeatures({ resource, clientHosts, admission }: OauthSettings): Configuration['features'] {
  return {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
    registration: { enabled: true, issueRegistrationAccessToken: false, secretFactory: generateClientSecret },
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      async allowFetch(ctx: KoaContextWithOIDC | undefined, clientId) {
        if (!clientHosts.includes(new URL(clientId).host)) return false
        // Pages look up clients outside of the provider's own requests.
        if (ctx) await admission.admitFetch(ctx.req)
        return true
      },
      cacheDuration: { min: 5 * minute, max: day },
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: async () => resource,
      useGrantedResource: async () => true,
      async getResourceServerInfo(_ctx, indicator) {
        if (indicator !== resource) throw new errors.InvalidTarget(`the only resource of this server is ${resource}`)
        return { scope: scopes.join(' '), audience: resource, accessTokenFormat: 'opaque' }
      },
    },
  }
}

const maxDocumentBytes = 64 * 1024

/** Fetches only from `clientHosts`, over https and at most `maxDocumentBytes`; throws otherwise. */
function fetchFromKnownHosts({ clientHosts, fetch: fetchDocument }: OauthSettings): Configuration['fetch'] {
  return async (address, options) => {
    const url = new URL(address)
    if (url.protocol !== 'https:' || !clientHosts.includes(url.host) || isLoopback(url.href)) {
      throw new Error(`${url.host} is not an allowed client host`)
    }
    const response = await fetchDocument(url, options)
    if (Number(response.headers.get('content-length') ?? 0) > maxDocumentBytes)
      throw new Error(`${url.host} sent more than ${maxDocumentBytes} bytes`)
    return response
  }
}
