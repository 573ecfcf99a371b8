/** Paths of the authorization server's own endpoints. */
export const oauthPaths = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
  interaction: '/oauth/interaction',
} as const

const wellKnownPaths = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']

/** Documents that are the same for every client and change only with the server's version or secret. */
export const publicDocuments: ReadonlySet<string> = new Set([...wellKnownPaths, oauthPaths.jwks])

/**
 * Aliases at the origin, for programs that keep tokens but lose the metadata (MCP 2025-03-26, fallbacks without
 * metadata discovery).
 */
export const originPaths: ReadonlyMap<string, string> = new Map([
  ['/authorize', oauthPaths.authorization],
  ['/token', oauthPaths.token],
  ['/register', oauthPaths.registration],
])

const paths = new Set<string>([...wellKnownPaths, ...Object.values(oauthPaths), ...originPaths.keys()])

/** True for a path that the authorization server handles. */
export function isOauthPath(path: string): boolean {
  return paths.has(path) || path.startsWith(`${oauthPaths.authorization}/`)
}
