import { errors } from 'oidc-provider'
import { limitMarks } from '../src/runtime/clean-name.ts'

const loopbackHosts = new Set(['127.0.0.1', '[::1]', 'localhost'])

/** True for a loopback redirect URI (RFC 8252, section 7.3). */
export function isLoopback(address: string): boolean {
  const url = URL.parse(address)
  return url?.protocol === 'http:' && loopbackHosts.has(url.hostname)
}

/** The destination of a URL as people recognise it: its host, or a custom scheme. */
export function destinationOf(address: string): string {
  const url = URL.parse(address)
  if (!url) return address.slice(0, 100)
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.host : `${url.protocol.slice(0, -1)}: (a program)`
}

/** Private-use URI schemes of known MCP clients, without a colon; reverse domain names are accepted besides them. */
const knownRedirectSchemes = new Set([
  'claude',
  'code-oss',
  'cursor',
  'goose',
  'kiro',
  'lmstudio',
  'raycast',
  'trae',
  'vscode',
  'vscode-insiders',
  'vscodium',
  'warp',
  'windsurf',
  'windsurf-next',
  'zed',
])

/** A reverse domain name as a scheme, such as `com.example.app` (RFC 8252, section 7.1). */
const reverseDomainName = /^[a-z][a-z0-9-]*(\.[a-z0-9][a-z0-9-]*)+$/

/** The name of a client: its `client_name`, else the host of its metadata document, else its redirect destination. */
export function displayName({ clientId, clientName }: { clientId: string; clientName?: string }, redirect: string) {
  return clientName || (URL.canParse(clientId) ? new URL(clientId).host : destinationOf(redirect))
}

const maxRedirectUris = 20
/** Maximum size of the metadata of a client, bytes of JSON. */
const maxMetadataBytes = 8192

/**
 * Normalizes client metadata in place, from registration or from a metadata document (RFC 7591; RFC 8252, section 8.4).
 * Clients on the user's computer are native clients with any loopback port, or a private-use scheme that is a
 * reverse domain name, known or in `redirectSchemes`; all others need https. Throws `invalid_redirect_uri`.
 */
export function normalizeClientMetadata(metadata: Record<string, unknown>, redirectSchemes: readonly string[]): void {
  // A registered scope would prevent a client from requesting more scopes later.
  delete metadata['scope']
  // Subject identifiers are public, so sectors would have no effect.
  delete metadata['sector_identifier_uri']
  for (const key of Object.keys(metadata)) if (metadata[key] === null) delete metadata[key]
  if (Buffer.byteLength(JSON.stringify(metadata)) > maxMetadataBytes)
    throw new errors.InvalidClientMetadata(`the client metadata must have at most ${maxMetadataBytes} bytes`)
  const redirectUris: unknown[] = Array.isArray(metadata['redirect_uris']) ? metadata['redirect_uris'] : []
  if (redirectUris.length > maxRedirectUris)
    throw invalidRedirectUri(`redirect_uris must have at most ${maxRedirectUris} entries`)
  for (const redirect of redirectUris) checkRedirect(String(redirect), redirectSchemes)
  const isNative = redirectUris.some((redirect) => !String(redirect).startsWith('https:'))
  metadata['application_type'] = isNative ? 'native' : 'web'
  metadata['id_token_signed_response_alg'] = 'ES256'
  const { client_name: name } = metadata
  if (typeof name === 'string') metadata['client_name'] = sanitizeName(name) || undefined
}

function checkRedirect(redirect: string, redirectSchemes: readonly string[]): void {
  const url = URL.parse(redirect)
  if (!url || redirect.length > 2000) throw invalidRedirectUri('redirect_uris must be absolute URIs')
  if (url.username || url.password) throw invalidRedirectUri('redirect_uris must not contain a user name or a password')
  if (url.protocol === 'http:' && !isLoopback(redirect)) {
    throw invalidRedirectUri('redirect_uris must use https, except for 127.0.0.1, [::1] and localhost')
  }
  if (url.protocol === 'https:' || url.protocol === 'http:') return
  const scheme = url.protocol.slice(0, -1)
  if (reverseDomainName.test(scheme)) return
  if (knownRedirectSchemes.has(scheme) || redirectSchemes.includes(scheme)) return
  throw invalidRedirectUri(
    `redirect_uris must not use ${scheme.slice(0, 40)}. Use https, http on 127.0.0.1, or a private scheme that is a reverse domain name, such as com.example.app; the administrator of this server can allow others`,
  )
}

/**
 * Removes what could disguise a name or what stands around it: control characters, bidirectional controls, invisible
 * characters, stacks of marks. Empty for a name without a visible character.
 */
function sanitizeName(name: string): string {
  const line = name
    .normalize('NFC')
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const short = [...limitMarks(line)].slice(0, 80).join('')
  return /[[\p{L}\p{N}\p{P}\p{S}]--\u2800]/v.test(short) ? short : ''
}

function invalidRedirectUri(message: string): Error {
  // A description that begins with redirect_uris has the code invalid_redirect_uri; InvalidRedirectUri has a fixed one.
  return new errors.InvalidClientMetadata(message)
}
