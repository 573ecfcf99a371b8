import { describe, expect, test } from 'vitest'
import {
  answerConsent,
  callMcp,
  openConsent,
  registerProgram,
  createProgram,
  registerClient,
} from '../support/oauth.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { signedInPerson } from '../support/signed-in-person.ts'

const allowed = 'https://inspector.example'

describe('registering a client', () => {
  const server = useTestServer({ LECTERN_ROLE: 'web', LECTERN_ALLOWED_ORIGINS: allowed })
  const rows = () => server.running.opened.database.db.collection<any>('oauth')
  const forgetAttempts = () => server.running.opened.database.db.collection('rates').deleteMany({})

  test('the registration of a native client returns no secret, nulls or fixed scope', async () => {
    await forgetAttempts()
    const { status, body } = await registerClient(server, { scope: 'library:read', logo_uri: null, client_uri: null })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      application_type: 'native',
      client_name: 'A test',
      token_endpoint_auth_method: 'none',
    })
    expect(body).not.toHaveProperty('client_secret')
    expect(body).not.toHaveProperty('scope')
    expect(body).not.toHaveProperty('registration_access_token')
    expect(Object.values(body)).not.toContain(null)
  })

  test.for([
    ['loopback by address', ['http://127.0.0.1:1234/callback'], 'native'],
    ['loopback by name', ['http://localhost:6274/oauth/callback'], 'native'],
    ['loopback on IPv6', ['http://[::1]:4000/cb'], 'native'],
    ['a private scheme', ['cursor://anysphere.cursor-retrieval/oauth/user-abc/callback'], 'native'],
    ['an editor with both', ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'], 'native'],
    ['a website', ['https://claude.ai/api/mcp/auth_callback', 'https://claude.com/api/mcp/auth_callback'], 'web'],
    ['a connector platform', ['https://chatgpt.com/connector_platform_oauth_redirect'], 'web'],
  ] as const)('accepts %s', async ([, redirect_uris, type]) => {
    await forgetAttempts()
    const { status, body } = await registerClient(server, { redirect_uris })
    expect(status).toBe(201)
    expect(body.application_type).toBe(type)
    expect(body.redirect_uris).toEqual(redirect_uris)
  })

  test.for([
    ['no redirect URI', { redirect_uris: [] }],
    ['http on another host', { redirect_uris: ['http://app.example/callback'] }],
    ['a script as redirect URI', { redirect_uris: ['javascript:alert(1)'] }],
    ['data as redirect URI', { redirect_uris: ['data:text/html,x'] }],
    ['a file as redirect URI', { redirect_uris: ['file:///etc/passwd'] }],
    ['a fragment', { redirect_uris: ['https://app.example/#x'] }],
    ['a name and password in the URL', { redirect_uris: ['https://a:b@app.example/'] }],
    ['text that is not a URL', { redirect_uris: ['callback'] }],
    ['21 redirect URIs', { redirect_uris: Array.from({ length: 21 }, (_, i) => `https://app.example/${i}`) }],
    ['the implicit grant', { grant_types: ['implicit'], response_types: ['token'] }],
    ['the password grant', { grant_types: ['password'] }],
    ['an unknown authentication method', { token_endpoint_auth_method: 'tls_client_auth' }],
  ] as const)('refuses %s', async ([, changes]) => {
    await forgetAttempts()
    const { status, body } = await registerClient(server, changes)
    expect(status).toBe(400)
    expect(body.error).toMatch(/^invalid_(redirect_uri|client_metadata)$/)
    expect(body.error_description).toBeTruthy()
  })

  test('a client with a secret must present it', async () => {
    await forgetAttempts()
    const person = await signedInPerson(server)
    const { body } = await registerClient(server, { token_endpoint_auth_method: 'client_secret_post' })
    expect(body.client_secret).toMatch(/^[\w-]{40,}$/)
    const app = createProgram(server, body.client_id)
    const { params } = await answerConsent(person.browser, app.authorizeUrl())
    const code = params.get('code') ?? ''
    expect((await app.exchange(code)).status).toBe(401)
    const { body: tokens } = await app.exchange(code, { client_secret: body.client_secret })
    expect((await callMcp(server, tokens.access_token)).status).toBe(200)
  })

  test('a registration cannot be read or changed', async () => {
    await forgetAttempts()
    const { body } = await registerClient(server)
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const { status } = await fetch(`${server.baseUrl}/oauth/register/${body.client_id}`, { method })
      expect(status).toBe(404)
    }
  })

  test('the 21st registration of an address within an hour is refused', async () => {
    await forgetAttempts()
    const all = await Promise.all(
      Array.from({ length: 25 }, () => registerClient(server, {}, { 'X-Forwarded-For': `10.0.0.${Math.random()}` })),
    )
    const refused = all.filter(({ status }) => status === 429)
    expect(all.filter(({ status }) => status === 201)).toHaveLength(20)
    expect(refused).toHaveLength(5)
    const wait = Number(refused[0]?.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(3500)
    expect(wait).toBeLessThanOrEqual(3600)
    expect(refused[0]?.body.error_description).toMatch(/^Too many attempts/)
  })

  test('a client that nobody authorizes is deleted after a day; an authorized one is kept for a year', async () => {
    await forgetAttempts()
    const person = await signedInPerson(server)
    const { body } = await registerClient(server)
    const lone = await rows().findOne({ _id: `Client:${body.client_id}` })
    const day = 24 * 60 * 60_000
    expect(Math.abs(lone.expiresAt.getTime() - lone.createdAt.getTime() - day)).toBeLessThan(1000)
    const app = await registerProgram(server)
    await app.connect(person.browser)
    const kept = await rows().findOne({ _id: `Client:${app.clientId}` })
    expect(Math.abs(kept.expiresAt.getTime() - kept.createdAt.getTime() - 365 * day)).toBeLessThan(day)
    await rows().updateOne({ _id: lone._id }, { $set: { expiresAt: new Date(0) } })
    const { status } = await person.browser.get(app.authorizeUrl({ client_id: body.client_id }).href)
    expect(status).toBe(400)
  })

  test('only allowed browser origins may register and request tokens', async () => {
    await forgetAttempts()
    for (const [origin, permitted] of [
      [allowed, allowed],
      ['https://evil.example', null],
    ] as const) {
      const preflight = await fetch(`${server.baseUrl}/oauth/register`, {
        method: 'OPTIONS',
        headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' },
      })
      expect(preflight.status).toBe(204)
      expect(preflight.headers.get('access-control-allow-origin')).toBe(permitted)
      const { headers } = await registerClient(server, {}, { Origin: origin })
      expect(headers.get('access-control-allow-origin')).toBe(permitted)
    }
    const app = await registerProgram(server)
    const ask = (origin: string) =>
      fetch(`${server.baseUrl}/oauth/token`, {
        method: 'POST',
        headers: { Origin: origin },
        body: new URLSearchParams({ client_id: app.clientId, grant_type: 'refresh_token', refresh_token: 'none' }),
      })
    expect((await ask(allowed)).headers.get('access-control-allow-origin')).toBe(allowed)
    const refused = await ask('https://evil.example')
    expect(refused.status).toBe(400)
    expect(refused.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('the client name is shown without disguising characters', async () => {
    await forgetAttempts()
    const { browser } = await signedInPerson(server)
    const nameless = await registerProgram(server, {
      client_name: undefined,
      redirect_uris: ['https://app.example/cb'],
    })
    const { page } = await openConsent(browser, nameless.authorizeUrl())
    expect(page.text).toContain('Connect app.example?')
  })

  test.for<[what: string, sent: string, shown: string | undefined]>([
    ['a stack of marks', `a${'\u0301'.repeat(70)}`, `á${'\u0301'.repeat(10)}`],
    ['an invisible joiner inside', 'Cl\u034faude', 'Cl aude'],
    ['half an emoji at its end', `${'x'.repeat(79)}😀y`, `${'x'.repeat(79)}😀`],
    ['only a filler', '\u3164', undefined],
    ['only a blank of Braille', '\u2800', undefined],
  ])('the name of a client has not %s', async ([, sent, shown]) => {
    await forgetAttempts()
    const { status, body } = await registerClient(server, { client_name: sent })
    expect([status, body.client_name]).toEqual([201, shown])
  })
})
