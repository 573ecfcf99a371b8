import { errors } from 'oidc-provider'

const loopbackHosts = new Set(['127.0.0.1', '[::1]', 'localhost'])

/** True for an address on the computer of the one who follows it (RFC 8252, section 7.3). */
export function isLoopback(address: string): boolean {
  const url = URL.parse(address)
  return url?.protocol === 'http:' && loopbackHosts.has(url.hostname)
}

/** Where an address leads, as people recognise it: its host, or a program's own scheme. */
export function destinationOf(address: string): string {
  const url = URL.parse(address)
  if (!url) return address.slice(0, 100)
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.host : `${url.protocol.slice(0, -1)}: (a program)`
}

/** Schemes that browsers run or read instead of handing them to a program. */
const dangerousSchemes = new Set([
  'javascript:',
  'data:',
  'vbscript:',
  'file:',
  'blob:',
  'about:',
  'ws:',
  'wss:',
  'ftp:',
])

/** What a client is called: by itself, else by the host that describes it, else by where its answers go. */
export function displayName({ clientId, clientName }: { clientId: string; clientName?: string }, redirect: string) {
  return clientName || (URL.canParse(clientId) ? new URL(clientId).host : destinationOf(redirect))
}

const maxRedirectUris = 20

/**
 * Settles what a client says of itself, by registration or by its metadata document (RFC 7591; RFC 8252, section 8.4).
 * Programs on the user's computer are native clients, whose loopback port is free; every other one needs https.
 */
export function normalizeClientMetadata(metadata: Record<string, unknown>): void {
  // Clients say here what they will ask for; it would keep them from asking for more later.
  delete metadata['scope']
  // Everybody has one id here, for all clients: there is no sector for it to be different in.
  delete metadata['sector_identifier_uri']
  for (const key of Object.keys(metadata)) if (metadata[key] === null) delete metadata[key]
  const redirectUris: unknown[] = Array.isArray(metadata['redirect_uris']) ? metadata['redirect_uris'] : []
  if (redirectUris.length > maxRedirectUris)
    throw invalidRedirectUri(`redirect_uris must be at most ${maxRedirectUris}`)
  for (const redirect of redirectUris) checkRedirect(String(redirect))
  const isNative = redirectUris.some((redirect) => !String(redirect).startsWith('https:'))
  metadata['application_type'] = isNative ? 'native' : 'web'
  metadata['id_token_signed_response_alg'] = 'ES256'
  const { client_name: name } = metadata
  if (typeof name === 'string') metadata['client_name'] = sanitizeName(name)
}

function checkRedirect(redirect: string): void {
  const url = URL.parse(redirect)
  if (!url || redirect.length > 2000) throw invalidRedirectUri('redirect_uris must be absolute addresses')
  if (url.username || url.password) throw invalidRedirectUri('redirect_uris must not carry a name or a password')
  if (dangerousSchemes.has(url.protocol)) throw invalidRedirectUri(`redirect_uris must not use ${url.protocol}`)
  if (url.protocol === 'http:' && !isLoopback(redirect)) {
    throw invalidRedirectUri('redirect_uris must use https, unless they lead to 127.0.0.1, [::1] or localhost')
  }
}

/** A name without what could disguise it: control characters, changes of direction, invisible letters. */
export function sanitizeName(name: string): string {
  return name
    .normalize('NFC')
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 80)
}

function invalidRedirectUri(message: string): Error {
  return new errors.InvalidRedirectUri(message)
}
