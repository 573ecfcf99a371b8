import { createHash, randomBytes } from 'node:crypto'
import { acceptHeaders } from './mcp-messages.ts'
import type { TestServer } from './server.ts'
import { hiddenFields, type PageAnswer, type WebClient } from './web-client.ts'

/** The redirect URI of test programs; nothing listens there. */
export const callbackUrl = 'http://127.0.0.1:3333/callback'

export interface AuthorizationResult {
  /** The query of the URL that the browser was redirected to. */
  params: URLSearchParams
  address: URL
}

/** A user's answer on the consent page. */
export interface ConsentAnswer {
  /** The checked scopes. Default: all that are offered. */
  scopes?: readonly string[]
  deny?: true
}

/** Opens an authorization in a signed-in browser; returns its page and its path. */
export async function openConsent(
  browser: WebClient,
  address: string | URL,
): Promise<{ page: PageAnswer; path: string }> {
  const begun = await browser.get(String(address))
  if (begun.status !== 303 || !begun.location) throw new Error(`No authorization: ${begun.status} ${begun.text}`)
  return { page: await browser.get(begun.location), path: begun.location }
}

/** Answers the consent page like a user, and returns to the program. */
export async function answerConsent(
  browser: WebClient,
  address: string | URL,
  answer: ConsentAnswer = {},
): Promise<AuthorizationResult> {
  const { page, path } = await openConsent(browser, address)
  const done = await sendConsent(browser, { page, path }, answer)
  return followRedirect(browser, done)
}

export function sendConsent(
  browser: WebClient,
  { page, path }: { page: PageAnswer; path: string },
  { scopes, deny }: ConsentAnswer = {},
): Promise<PageAnswer> {
  const offered = [...page.text.matchAll(/name="scopes"\s+value="([^"]+)"/g)].map(([, scope]) => scope as string)
  const fields = { ...hiddenFields(page.text, path), scopes: scopes ?? offered, answer: deny ? 'deny' : 'allow' }
  return browser.post(path, fields)
}

/** Follows the page after the answer back to the program. */
export async function followRedirect(browser: WebClient, { status, text }: PageAnswer): Promise<AuthorizationResult> {
  const refreshUrl = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(text)?.[1]
  if (status !== 200 || !refreshUrl) throw new Error(`The browser is not sent on: ${status} ${text}`)
  const { location, text: responseText } = await browser.get(refreshUrl.replaceAll('&amp;', '&'))
  if (!location) throw new Error(`The browser is not sent back: ${responseText}`)
  const address = new URL(location)
  return { address, params: address.searchParams }
}

export interface Tokens {
  access_token: string
  refresh_token: string
  token_type: string
  expires_in: number
  scope: string
}

/** An OAuth client without a library, so that tests can modify each message. */
export interface Program {
  clientId: string
  /** The PKCE verifier of its codes (RFC 7636). */
  verifier: string
  authorizeUrl(changes?: Record<string, string | null>): URL
  /** Sends a token request. */
  requestTokens(fields: Record<string, string>): Promise<{ status: number; body: any }>
  exchange(code: string, changes?: Record<string, string>): Promise<{ status: number; body: any }>
  refresh(token: string, changes?: Record<string, string>): Promise<{ status: number; body: any }>
  revoke(token: string): Promise<number>
  /** Authorizes in a browser and obtains the tokens. */
  connect(browser: WebClient, answer?: ConsentAnswer): Promise<Tokens>
}

/** Registers a client; returns the server's answer. */
export async function registerClient(
  server: Pick<TestServer, 'baseUrl'>,
  changes: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<{ status: number; body: any; headers: Headers }> {
  const metadata = {
    client_name: 'A test',
    redirect_uris: [callbackUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    ...changes,
  }
  const response = await fetch(`${server.baseUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(metadata),
  })
  return { status: response.status, body: await response.json(), headers: response.headers }
}

/** A registered program. */
export async function registerProgram(
  server: Pick<TestServer, 'baseUrl'>,
  changes: Record<string, unknown> = {},
): Promise<Program> {
  const { status, body } = await registerClient(server, changes)
  if (status !== 201) throw new Error(`Not registered: ${status} ${JSON.stringify(body)}`)
  return createProgram(server, body.client_id, (body.redirect_uris as string[])[0])
}

/** A program with a client id. */
export function createProgram(
  { baseUrl }: Pick<TestServer, 'baseUrl'>,
  clientId: string,
  redirect: string = callbackUrl,
): Program {
  const verifier = randomBytes(32).toString('base64url')
  const resource = `${baseUrl}/api/v1/mcp`
  async function post(path: string, fields: Record<string, string>) {
    const response = await fetch(baseUrl + path, { method: 'POST', body: new URLSearchParams(fields) })
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : JSON.parse(text) }
  }
  const it: Program = {
    clientId,
    verifier,
    authorizeUrl(changes = {}) {
      const url = new URL(`${baseUrl}/oauth/authorize`)
      const params = {
        client_id: clientId,
        redirect_uri: redirect,
        response_type: 'code',
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        state: 'the state',
        resource,
        scope: 'library:read library:write marketplace:read marketplace:write',
        ...changes,
      }
      for (const [name, value] of Object.entries(params)) if (value !== null) url.searchParams.set(name, value)
      return url
    },
    requestTokens: (fields) => post('/oauth/token', { client_id: clientId, ...fields }),
    exchange: (code, changes = {}) =>
      it.requestTokens({
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirect,
        code_verifier: verifier,
        resource,
        ...changes,
      }),
    refresh: (token, changes = {}) =>
      it.requestTokens({ grant_type: 'refresh_token', refresh_token: token, resource, ...changes }),
    revoke: async (token) => (await post('/oauth/revoke', { client_id: clientId, token })).status,
    async connect(browser, answer = {}) {
      const { params } = await answerConsent(browser, it.authorizeUrl(), answer)
      const { status, body } = await it.exchange(params.get('code') ?? '')
      if (status !== 200) throw new Error(`No tokens: ${status} ${JSON.stringify(body)}`)
      return body
    },
  }
  return it
}

/** Calls the MCP endpoint with a token. */
export async function callMcp(
  { baseUrl }: Pick<TestServer, 'baseUrl'>,
  token: string | null,
  { method = 'tools/list', params = {}, headers = {} }: { method?: string; params?: object; headers?: object } = {},
): Promise<{ status: number; body: any; challenge: string | null }> {
  const response = await fetch(`${baseUrl}/api/v1/mcp`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...acceptHeaders,
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const text = await response.text()
  const json = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? 'null')
  return { status: response.status, body: JSON.parse(json), challenge: response.headers.get('www-authenticate') }
}
