import { generateKeyPairSync, sign } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { scopes } from '../../src/core/scopes.ts'
import {
  answerConsent,
  callbackUrl,
  callMcp,
  followRedirect,
  openConsent,
  registerProgram,
  registerClient,
} from '../support/oauth.ts'
import { createProgram, sendConsent, type Program } from '../support/oauth.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'

type Row = [section: string, requirement: string, check: () => Promise<void>]

/** A client assertion signed with an unknown key (RFC 7523). */
function assertion(clientId: string, audience: string): string {
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: clientId, sub: clientId, aud: audience, jti: 'once', iat: now, exp: now + 60 }
  const parts = [{ alg: 'ES256' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  const signature = sign('sha256', Buffer.from(parts.join('.')), { key, dsaEncoding: 'ieee-p1363' })
  return [...parts, signature.toString('base64url')].join('.')
}

/** Requirements of standards other than RFC 9700 that no other test covers. */
describe('standards', () => {
  let person: WebPerson
  let app: Program
  let metadata: any
  const fetched: string[] = []
  const noNetwork = async (input: unknown) => {
    fetched.push(String(input))
    return new Response('{}')
  }
  const server = useTestServer({ LECTERN_ROLE: 'web' }, { fetch: noNetwork })
  beforeAll(async () => {
    person = await signedInPerson(server)
    app = await registerProgram(server)
    metadata = await read('/.well-known/oauth-authorization-server')
  })

  const read = async (path: string): Promise<any> => (await fetch(server.baseUrl + path)).json()
  const open = (address: string | URL) => person.browser.get(String(address), { Accept: 'text/html' })
  /** The error in the redirect to the client. */
  async function refusal(address: string | URL): Promise<string | null> {
    const { status, headers } = await open(address)
    const back = new URL(headers.get('location') ?? 'http://none')
    expect([status, back.href.startsWith(callbackUrl), back.searchParams.get('iss')]).toEqual([
      303,
      true,
      server.baseUrl,
    ])
    return back.searchParams.get('error')
  }
  const code = async (of = app) => (await answerConsent(person.browser, of.authorizeUrl())).params.get('code') ?? ''
  const tokenRequest = (query: Record<string, string>, body: Record<string, string>, method = 'POST') =>
    fetch(`${server.baseUrl}/oauth/token?${new URLSearchParams(query)}`, {
      method,
      ...(method === 'POST' ? { body: new URLSearchParams(body) } : {}),
    })
  const exchangeFields = async () => ({
    client_id: app.clientId,
    grant_type: 'authorization_code',
    code: await code(),
    redirect_uri: callbackUrl,
    code_verifier: app.verifier,
  })

  const table: Row[] = [
    [
      'RFC 6749, 3.1',
      'a repeated parameter is refused and neither value is used',
      async () => {
        for (const [name, value] of [
          ['scope', 'library:write'],
          ['scope', 'profile'],
          ['code_challenge', 'x'.repeat(43)],
          ['state', 'another'],
          ['prompt', 'login'],
        ] as const) {
          const address = app.authorizeUrl({ scope: 'profile' })
          if (!address.searchParams.has(name)) address.searchParams.append(name, 'consent')
          address.searchParams.append(name, value)
          expect([name, await refusal(address)]).toEqual([name, 'invalid_request'])
        }
        for (const [name, value] of [
          ['redirect_uri', 'http://127.0.0.1:3333/callback'],
          ['client_id', 'nobody'],
        ] as const) {
          const address = app.authorizeUrl()
          address.searchParams.append(name, value)
          const { status, location } = await open(address)
          expect([name, status, location]).toEqual([name, 400, null])
        }
      },
    ],
    [
      'RFC 6749, 3.1.2.5 and 4.1.2',
      'the state is returned unchanged, whatever its characters; a too long one is refused',
      async () => {
        for (const state of ['"><script>alert(1)</script>&code=x#y', 'ü €\u{1F4DA}', 's'.repeat(6000), '%00%0d%0a']) {
          const { params, address } = await answerConsent(person.browser, app.authorizeUrl({ state }))
          expect(params.get('state')).toBe(state)
          expect(params.getAll('code')).toHaveLength(1)
          expect(address.hash).toBe('')
        }
        const { status } = await open(app.authorizeUrl({ state: 's'.repeat(100_000) }))
        expect(status).toBe(431)
        await code()
      },
    ],
    [
      'RFC 6749, 3.2',
      'the token endpoint accepts only POST and no query parameters',
      async () => {
        const fields = await exchangeFields()
        expect((await tokenRequest(fields, {}, 'GET')).status).toBe(404)
        expect((await tokenRequest(fields, {})).status).toBe(400)
        const { code: secret, ...rest } = fields
        expect((await tokenRequest({ code: secret }, rest)).status).toBe(400)
        const answer = await tokenRequest({}, fields)
        expect(answer.status).toBe(200)
        expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
      },
    ],
    [
      'RFC 6749, 2.3',
      'a client authenticates with only one method',
      async () => {
        const { body } = await registerClient(server, { token_endpoint_auth_method: 'client_secret_basic' })
        const basic = Buffer.from(`${body.client_id}:${body.client_secret}`).toString('base64')
        const { status } = await fetch(`${server.baseUrl}/oauth/token`, {
          method: 'POST',
          headers: { Authorization: `Basic ${basic}` },
          body: new URLSearchParams({
            client_id: body.client_id,
            client_secret: body.client_secret,
            grant_type: 'refresh_token',
            refresh_token: 'x',
          }),
        })
        expect(status).toBe(400)
      },
    ],
    [
      'RFC 6749, 6 and RFC 8707, 2.2',
      'a refresh grants no other scope or resource than was consented to',
      async () => {
        const { refresh_token } = await app.connect(person.browser, { scopes: ['library:read'] })
        for (const [changes, error] of [
          [{ scope: 'library:read library:write' }, 'invalid_scope'],
          [{ scope: 'openid' }, 'invalid_scope'],
          [{ resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
          [{ resource: server.baseUrl }, 'invalid_target'],
        ] as const) {
          expect((await app.refresh(refresh_token, changes)).body.error).toBe(error)
        }
        const { status, body } = await app.refresh(refresh_token)
        expect([status, body.scope]).toEqual([200, 'library:read'])
      },
    ],
    [
      'RFC 8707, 2',
      'the resource is one absolute URI without a fragment: the MCP URL',
      async () => {
        const resource = `${server.baseUrl}/api/v1/mcp`
        for (const wrong of ['mcp', '/api/v1/mcp', `${resource}#x`, `${resource}/`, `${resource}?x=1`]) {
          expect([wrong, await refusal(app.authorizeUrl({ resource: wrong }))]).toEqual([wrong, 'invalid_target'])
        }
        const two = app.authorizeUrl()
        two.searchParams.append('resource', 'https://elsewhere.example/')
        expect(await refusal(two)).toBe('invalid_target')
        expect((await app.exchange(await code(), { resource: 'https://elsewhere.example/' })).body.error).toBe(
          'invalid_target',
        )
      },
    ],
    [
      'RFC 8252, 7.3 and 8.4',
      'only loopback redirect URIs, by IP address and by name, may use any port',
      async () => {
        for (const [registered, same, others] of [
          [
            'http://[::1]:1/cb',
            ['http://[::1]:2/cb', 'http://[::1]/cb'],
            ['http://[::1]:2/other', 'http://127.0.0.1:1/cb'],
          ],
          [
            'http://localhost:1/cb',
            ['http://localhost:2/cb'],
            ['http://localhost.evil.example:1/cb', 'https://localhost:1/cb'],
          ],
          [
            'http://127.0.0.1/cb',
            ['http://127.0.0.1:9/cb'],
            ['http://127.0.0.1@evil.example/cb', 'http://127.0.0.1:9/cb?x'],
          ],
          [
            'https://app.example/cb',
            [],
            ['https://app.example:8443/cb', 'http://app.example/cb', 'https://app.example/cb/'],
          ],
          ['app.example:/cb', [], ['app.example:/cb/x', 'other.example:/cb', 'app.example://cb']],
        ] as const) {
          const client = await registerProgram(server, { redirect_uris: [registered] })
          for (const redirect_uri of [registered, ...same]) {
            expect([redirect_uri, (await open(client.authorizeUrl({ redirect_uri }))).status]).toEqual([
              redirect_uri,
              303,
            ])
          }
          for (const redirect_uri of others) {
            const { status, location } = await open(client.authorizeUrl({ redirect_uri }))
            expect([redirect_uri, status, location]).toEqual([redirect_uri, 400, null])
          }
        }
      },
    ],
    [
      'RFC 8252, 8.1 and 6',
      'a code for a loopback redirect URI is invalid with another port',
      async () => {
        const { body } = await app.exchange(await code(), { redirect_uri: 'http://127.0.0.1:4444/callback' })
        expect(body.error).toBe('invalid_grant')
      },
    ],
    [
      'RFC 8252, 8.6',
      'a native client always needs consent, however often it was authorized before',
      async () => {
        await app.connect(person.browser)
        const { page } = await openConsent(person.browser, app.authorizeUrl())
        expect(page.text).toContain('name="scopes"')
        expect(await refusal(app.authorizeUrl({ prompt: 'none' }))).toBe('consent_required')
      },
    ],
    [
      'RFC 7591, 2 and 5',
      'client metadata is not trusted: nothing in it is fetched, shown or followed, and unknown fields are dropped',
      async () => {
        const claims = {
          logo_uri: 'https://evil.example/logo.png',
          client_uri: 'https://evil.example/',
          policy_uri: 'https://evil.example/policy',
          tos_uri: 'https://evil.example/terms',
          jwks_uri: 'https://evil.example/jwks',
          sector_identifier_uri: 'https://evil.example/sector',
          software_statement: 'eyJhbGciOiJub25lIn0.e30.',
          trusted: true,
          registration_client_uri: 'https://evil.example/',
        }
        fetched.length = 0
        const { status, body } = await registerClient(server, claims)
        expect(status).toBe(201)
        for (const gone of ['trusted', 'registration_client_uri', 'software_statement', 'sector_identifier_uri']) {
          expect(body).not.toHaveProperty(gone)
        }
        const { page } = await openConsent(person.browser, createProgram(server, body.client_id).authorizeUrl())
        expect(page.text).not.toContain('evil.example')
        expect(fetched).toEqual([])
      },
    ],
    [
      'RFC 7591, 5',
      'client keys are fetched only from known client hosts',
      async () => {
        const { body } = await registerClient(server, {
          token_endpoint_auth_method: 'private_key_jwt',
          jwks_uri: 'https://169.254.169.254/jwks',
        })
        const client_assertion = assertion(body.client_id, server.baseUrl)
        fetched.length = 0
        const answer = await createProgram(server, body.client_id).requestTokens({
          grant_type: 'refresh_token',
          refresh_token: 'x',
          client_assertion,
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        })
        expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
        expect(fetched).toEqual([])
      },
    ],
    [
      'RFC 9101, 10.4',
      'request_uri and request objects are refused',
      async () => {
        fetched.length = 0
        expect(await refusal(app.authorizeUrl({ request_uri: 'https://169.254.169.254/' }))).toBe(
          'request_uri_not_supported',
        )
        expect(await refusal(app.authorizeUrl({ request: 'eyJhbGciOiJub25lIn0.e30.' }))).toBe('request_not_supported')
        expect(await refusal(app.authorizeUrl({ registration: '{}' }))).toBe('registration_not_supported')
        expect(fetched).toEqual([])
      },
    ],
    [
      'RFC 6750, 2',
      'a token is accepted only in the header, not in the body or the URL',
      async () => {
        const { access_token } = await app.connect(person.browser)
        const body = new URLSearchParams({ access_token })
        expect((await fetch(`${server.baseUrl}/api/v1/mcp`, { method: 'POST', body })).status).toBe(401)
        const address = `${server.baseUrl}/api/v1/mcp?${body}`
        const rpc = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' }
        expect((await fetch(address, rpc)).status).toBe(401)
      },
    ],
    [
      'RFC 6750, 3.1',
      'an invalid token is distinguished from a missing one, without a reason',
      async () => {
        const { access_token } = await app.connect(person.browser)
        await app.revoke(access_token)
        const challenges = await Promise.all(
          [access_token, 'ck_oauth_never', `${access_token}x`].map(
            async (token) => (await callMcp(server, token)).challenge,
          ),
        )
        expect(new Set(challenges).size).toBe(1)
        expect(challenges[0]).toContain('error="invalid_token"')
        expect((await callMcp(server, null)).challenge).not.toContain('error=')
      },
    ],
    [
      'RFC 7009, 2',
      'revoking a refresh token revokes its access tokens; a wrong token_type_hint changes nothing',
      async () => {
        const { access_token, refresh_token } = await app.connect(person.browser)
        const { status } = await fetch(`${server.baseUrl}/oauth/revoke`, {
          method: 'POST',
          body: new URLSearchParams({
            client_id: app.clientId,
            token: refresh_token,
            token_type_hint: 'access_token',
          }),
        })
        expect(status).toBe(200)
        expect((await callMcp(server, access_token)).status).toBe(401)
      },
    ],
    [
      'RFC 8414, 3.3 and RFC 9728, 3.3',
      'metadata is served at the URL that it names, and the resource names this server as its only authorization server',
      async () => {
        expect(metadata.issuer).toBe(server.baseUrl)
        expect(await read('/.well-known/openid-configuration')).toEqual(metadata)
        const resource = await read('/.well-known/oauth-protected-resource/api/v1/mcp')
        expect(resource).toMatchObject({
          resource: `${server.baseUrl}/api/v1/mcp`,
          authorization_servers: [metadata.issuer],
          bearer_methods_supported: ['header'],
        })
        const missing = await fetch(`${server.baseUrl}/.well-known/oauth-protected-resource/api/v1/other`)
        expect(missing.status).toBe(404)
        for (const [name, value] of Object.entries(metadata)) {
          if (/_endpoint$|_uri$/.test(name)) expect(String(value).startsWith(`${server.baseUrl}/`)).toBe(true)
        }
      },
    ],
    [
      'RFC 9728, 5.1',
      'every refusal of a token names the resource metadata, which matches',
      async () => {
        for (const token of [null, 'ck_oauth_never', 'not even of that form']) {
          const { challenge } = await callMcp(server, token)
          const address = /resource_metadata="([^"]+)"/.exec(challenge ?? '')?.[1] ?? ''
          expect((await (await fetch(address)).json()) as any).toMatchObject({
            resource: `${server.baseUrl}/api/v1/mcp`,
          })
        }
      },
    ],
    [
      'RFC 9207, 2',
      'error responses name their issuer like success responses',
      async () => {
        const early = await open(app.authorizeUrl({ scope: 'openid library:read', max_age: 'x' }))
        const { searchParams } = new URL(early.headers.get('location') ?? '')
        const consent = await openConsent(person.browser, app.authorizeUrl())
        const late = await followRedirect(person.browser, await sendConsent(person.browser, consent, { deny: true }))
        for (const params of [searchParams, late.params]) expect(params.get('iss')).toBe(metadata.issuer)
      },
    ],
    [
      'MCP 2026-07-28, authorization: scopes',
      'the resource metadata lists only its own scopes, without offline_access',
      async () => {
        const { scopes_supported } = await read('/.well-known/oauth-protected-resource')
        expect(scopes_supported).toEqual([...scopes])
        expect(metadata.scopes_supported).toContain('offline_access')
        const { params } = await answerConsent(
          person.browser,
          app.authorizeUrl({ scope: `${scopes.join(' ')} offline_access`, prompt: 'consent' }),
        )
        const { body } = await app.exchange(params.get('code') ?? '')
        expect(body.refresh_token).toBeTruthy()
      },
    ],
    [
      'MCP 2026-07-28, authorization: token audience',
      'only access tokens for the MCP URL are accepted, no id tokens or codes',
      async () => {
        const { params } = await answerConsent(person.browser, app.authorizeUrl({ scope: 'openid library:read' }))
        const secret = params.get('code') ?? ''
        const { body } = await app.exchange(secret)
        for (const token of [body.id_token, body.refresh_token, secret]) {
          expect((await callMcp(server, token)).status).toBe(401)
        }
        expect((await callMcp(server, body.access_token)).status).toBe(200)
      },
    ],
  ]

  test.for(table)('%s: %s', async ([, , check]) => {
    await server.running.opened.database.db.collection('rates').deleteMany({})
    await check()
  })
})
