import { beforeAll, describe, expect, test } from 'vitest'
import { attemptLimits } from '../../src/accounts/attempt-limiter.ts'
import { answerConsent, callbackUrl, callMcp, registerProgram, type Program } from '../support/oauth.ts'
import { signedInPerson } from '../support/signed-in-person.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { webClient, type WebClient } from '../support/web-client.ts'

const allowed = 'https://inspector.example'
const server = useTestServer({ LECTERN_ROLE: 'web', LECTERN_ALLOWED_ORIGINS: allowed })
let browser: WebClient
let app: Program

beforeAll(async () => {
  ;({ browser } = await signedInPerson(server))
  app = await registerProgram(server)
})

const metadata = {
  client_name: 'A test',
  redirect_uris: [callbackUrl],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}

const register = (path: string, headers: Record<string, string> = {}) =>
  fetch(server.baseUrl + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(metadata),
  })

const postForm = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(server.baseUrl + path, { method: 'POST', headers, body: new URLSearchParams(fields) })

/** Returns the authorization request of the program with another path. */
function authorizeAt(path: string, changes: Record<string, string | null> = {}): URL {
  const { search } = app.authorizeUrl(changes)
  return new URL(path + search, server.baseUrl)
}

/** Returns status, header names and body of an answer, without values that differ between requests. */
async function shapeOf(response: Response) {
  const headers = Object.fromEntries(response.headers)
  for (const name of ['date', 'x-request-id', 'set-cookie', 'content-length', 'location']) delete headers[name]
  const text = (await response.text()).replaceAll(/[\w-]{20,}|\d{10}/g, 'X')
  return { status: response.status, headers, text }
}

describe('a program that knows only the origin', () => {
  test('registers, is authorized, and obtains, renews and uses tokens', async () => {
    const registered = await register('/register')
    expect(registered.status).toBe(201)
    const { client_id } = (await registered.json()) as { client_id: string }
    const { params, address } = await answerConsent(browser, authorizeAt('/authorize', { client_id }))
    expect(address.origin + address.pathname).toBe(callbackUrl)
    expect(params.get('state')).toBe('the state')
    const exchanged = await postForm('/token', {
      client_id,
      grant_type: 'authorization_code',
      code: params.get('code') as string,
      redirect_uri: callbackUrl,
      code_verifier: app.verifier,
    })
    expect(exchanged.status).toBe(200)
    const { refresh_token } = (await exchanged.json()) as { refresh_token: string }
    const renewed = await postForm('/token', { client_id, grant_type: 'refresh_token', refresh_token })
    expect(renewed.status).toBe(200)
    const { access_token } = (await renewed.json()) as { access_token: string }
    expect((await callMcp(server, access_token)).status).toBe(200)
  })

  test('renews after a restart the tokens that it obtained at the endpoints of the metadata', async () => {
    const tokens = await app.connect(browser)
    const fields = { client_id: app.clientId, grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
    const renewed = await postForm('/token', fields)
    expect(await renewed.json()).toMatchObject({ token_type: 'Bearer', scope: tokens.scope })
  })
})

describe('the paths at the origin answer like those below /oauth', () => {
  const get = (path: string) => fetch(server.baseUrl + path, { redirect: 'manual' })
  const preflight = (path: string, origin: string) =>
    fetch(server.baseUrl + path, {
      method: 'OPTIONS',
      headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' },
    })
  const json = { 'Content-Type': 'application/json' }

  test.for<[string, (prefix: string) => Promise<Response>]>([
    ['a registration', (prefix) => register(`${prefix}/register`)],
    ['a registration of an allowed origin', (prefix) => register(`${prefix}/register`, { Origin: allowed })],
    ['a registration of a foreign origin', (prefix) => register(`${prefix}/register`, { Origin: 'https://x.example' })],
    [
      'an invalid registration',
      (prefix) => fetch(`${server.baseUrl}${prefix}/register`, { method: 'POST', headers: json, body: '{' }),
    ],
    ['a preflight of a registration', (prefix) => preflight(`${prefix}/register`, allowed)],
    ['a preflight of a foreign origin', (prefix) => preflight(`${prefix}/register`, 'https://x.example')],
    ['a preflight of a token request', (prefix) => preflight(`${prefix}/token`, allowed)],
    ['a GET of a registration', (prefix) => get(`${prefix}/register`)],
    ['a GET of a token', (prefix) => get(`${prefix}/token`)],
    ['an empty token request', (prefix) => postForm(`${prefix}/token`, {})],
    [
      'a token request with an unknown refresh token',
      (prefix) =>
        postForm(
          `${prefix}/token`,
          { client_id: app.clientId, grant_type: 'refresh_token', refresh_token: 'none' },
          { Origin: allowed },
        ),
    ],
    ['an authorization without a client', (prefix) => get(`${prefix}/authorize`)],
    [
      'an authorization with a foreign resource',
      (prefix) => fetch(authorizeAt(`${prefix}/authorize`, { resource: 'https://x.example/' }), { redirect: 'manual' }),
    ],
    [
      'an authorization by a form post',
      (prefix) => postForm(`${prefix}/authorize`, Object.fromEntries(app.authorizeUrl().searchParams)),
    ],
    ['an authorization', (prefix) => fetch(authorizeAt(`${prefix}/authorize`), { redirect: 'manual' })],
  ])('%s', async ([, request]) => {
    expect(await shapeOf(await request(''))).toEqual(await shapeOf(await request('/oauth')))
  })

  test('the metadata lists only the endpoints below /oauth', async () => {
    const document = await (await get('/.well-known/oauth-authorization-server')).json()
    expect(document).toMatchObject({
      authorization_endpoint: `${server.baseUrl}/oauth/authorize`,
      token_endpoint: `${server.baseUrl}/oauth/token`,
      registration_endpoint: `${server.baseUrl}/oauth/register`,
    })
  })

  test('a longer path with such a prefix is a different path', async () => {
    for (const path of ['/token/x', '/tokens', '/authorize/x', '/register/x']) {
      expect((await get(path)).status, path).toBe(404)
    }
  })

  test('both share one limit on authorizations per network', async () => {
    const { max } = attemptLimits.authorize
    const open = (path: string) => webClient(server).get(authorizeAt(path).href)
    const half = Array.from({ length: max / 2 }, () => open('/authorize'))
    await Promise.all([...half, ...half.map(() => open('/oauth/authorize'))])
    for (const path of ['/authorize', '/oauth/authorize']) expect((await open(path)).status, path).toBe(429)
  })
})
