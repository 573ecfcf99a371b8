import { beforeAll, describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../src/app/config.ts'
import {
  answerConsent,
  callbackUrl,
  callMcp,
  openConsent,
  registerProgram,
  registerClient,
  sendConsent,
} from '../support/oauth.ts'
import type { Program } from '../support/oauth.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { password, signedInPerson, type WebPerson } from '../support/signed-in-person.ts'

/**
 * The requirements of RFC 9700 (Best Current Practice for OAuth 2.0 Security) on authorization servers and resource
 * servers.
 */
describe('RFC 9700, section', () => {
  const server = useTestServer({ LECTERN_ROLE: 'web' })
  let person: WebPerson
  let app: Program
  let metadata: any
  beforeAll(async () => {
    person = await signedInPerson(server)
    app = await registerProgram(server)
    metadata = await (await fetch(`${server.baseUrl}/.well-known/oauth-authorization-server`)).json()
  })

  const ask = (changes: Record<string, string | null>) => person.browser.get(app.authorizeUrl(changes).href)
  const errorOf = async (changes: Record<string, string | null>) => {
    const { headers } = await ask(changes)
    const { search, hash } = new URL(headers.get('location') ?? 'http://none')
    return new URLSearchParams(search || hash.slice(1)).get('error')
  }
  const code = async () => (await answerConsent(person.browser, app.authorizeUrl())).params.get('code') ?? ''

  const table: [section: string, requirement: string, check: () => Promise<void>][] = [
    [
      '2.1, 4.1.3',
      'redirect URIs are compared as strings; only loopback URIs may use any port',
      async () => {
        for (const redirect_uri of [
          'http://127.0.0.1:3333/callback/',
          'http://127.0.0.1:3333/callback?x=1',
          'http://127.0.0.1:3333/Callback',
          'http://127.0.0.2:3333/callback',
          'http://127.0.0.1.evil.example/callback',
          'https://127.0.0.1:3333/callback',
        ]) {
          const { status, headers } = await ask({ redirect_uri })
          expect([redirect_uri, status, headers.get('location')]).toEqual([redirect_uri, 400, null])
        }
        expect((await ask({ redirect_uri: 'http://127.0.0.1:9/callback' })).status).toBe(303)
      },
    ],
    [
      '2.1, 4.4.2.1',
      'responses name their issuer (RFC 9207) against mix-up attacks',
      async () => {
        expect(metadata.authorization_response_iss_parameter_supported).toBe(true)
        const { params } = await answerConsent(person.browser, app.authorizeUrl())
        expect(params.get('iss')).toBe(metadata.issuer)
      },
    ],
    [
      '2.1.1, 4.8',
      'PKCE with S256 is required, announced and cannot be removed from the exchange',
      async () => {
        expect(metadata.code_challenge_methods_supported).toEqual(['S256'])
        expect(await errorOf({ code_challenge: null, code_challenge_method: null })).toBe('invalid_request')
        expect(await errorOf({ code_challenge_method: 'plain' })).toBe('invalid_request')
        const { body } = await app.requestTokens({
          grant_type: 'authorization_code',
          code: await code(),
          redirect_uri: 'http://127.0.0.1:3333/callback',
        })
        expect(body.error).toBe('invalid_grant')
      },
    ],
    [
      '2.1.2',
      'no token is returned through the front channel',
      async () => {
        expect(metadata.response_types_supported).toEqual(['code'])
        for (const response_type of ['token', 'id_token', 'code token', 'code id_token token']) {
          expect(await errorOf({ response_type, nonce: 'n' })).toBe('unsupported_response_type')
        }
      },
    ],
    [
      '2.2.2, 4.14.2',
      'refresh tokens of public clients rotate, are bound to their client, and a replay revokes them all',
      async () => {
        const { refresh_token } = await app.connect(person.browser)
        const { body } = await app.refresh(refresh_token)
        expect(body.refresh_token).not.toBe(refresh_token)
        const other = await registerProgram(server)
        expect((await other.refresh(body.refresh_token)).body.error).toBe('invalid_grant')
        const { db } = server.running.opened.database
        const past = { $set: { consumedAt: new Date(Date.now() - 60_000) } }
        await db.collection('oauth').updateMany({ consumedAt: { $ne: null } }, past)
        expect((await app.refresh(refresh_token)).body.error).toBe('invalid_grant')
        expect((await app.refresh(body.refresh_token)).body.error).toBe('invalid_grant')
      },
    ],
    [
      '2.3, 4.10.2',
      'access tokens are limited to one resource and the consented scopes',
      async () => {
        const { access_token } = await app.connect(person.browser, { scopes: ['marketplace:read'] })
        const read = { method: 'tools/call', params: { name: 'list_items', arguments: {} } }
        expect((await callMcp(server, access_token, read)).status).toBe(403)
        const rest = await fetch(`${server.baseUrl}/api/v1/auth/whoami`, {
          headers: { Authorization: `Bearer ${access_token}` },
        })
        expect(rest.status).toBe(401)
        expect(await errorOf({ resource: `${server.baseUrl}/api/v1` })).toBe('invalid_target')
      },
    ],
    [
      '2.4',
      'there is no password grant',
      async () => {
        expect(metadata.grant_types_supported).toEqual(['authorization_code', 'refresh_token'])
        const { body } = await app.requestTokens({ grant_type: 'password', username: person.email, password: 'x' })
        expect(body.error).toBe('unsupported_grant_type')
      },
    ],
    [
      '2.5',
      'clients may authenticate with private_key_jwt',
      async () => {
        expect(metadata.token_endpoint_auth_methods_supported).toContain('private_key_jwt')
        expect(metadata.token_endpoint_auth_signing_alg_values_supported).not.toContain('none')
      },
    ],
    [
      '2.6',
      'metadata is published, and plain http is allowed only on loopback',
      async () => {
        expect(metadata.issuer).toBe(server.baseUrl)
        expect(() => readConfig({ LECTERN_BASE_URL: 'http://books.example' })).toThrow(ConfigError)
        expect(readConfig({ LECTERN_BASE_URL: 'http://books.example', LECTERN_OAUTH: 'off' }).oauth).toBe(false)
        expect(readConfig({ LECTERN_BASE_URL: 'https://books.example' }).oauth).toBe(true)
        expect(readConfig({ LECTERN_BASE_URL: 'http://127.0.0.1:3000' }).oauth).toBe(true)
      },
    ],
    [
      '4.2.4',
      'authorization pages load no foreign resources and send no referrer',
      async () => {
        const { page } = await openConsent(person.browser, app.authorizeUrl())
        expect(page.headers.get('referrer-policy')).toBe('same-origin')
        expect(page.text).not.toMatch(/(src|href)="https?:/)
        expect(page.text).not.toMatch(/<script(?! type="module" src="\/assets\/)/)
      },
    ],
    [
      '4.3.1',
      'a code expires after a minute and is valid once',
      async () => {
        const first = await code()
        const { db } = server.running.opened.database
        const [row] = await db.collection('oauth').find({ kind: 'AuthorizationCode' }).sort({ createdAt: -1 }).toArray()
        expect(row?.['expiresAt'].getTime() - row?.['createdAt'].getTime()).toBeLessThanOrEqual(60_000)
        const { status, body } = await app.exchange(first)
        expect(status).toBe(200)
        expect((await app.exchange(first)).body.error).toBe('invalid_grant')
        // A code that is used twice was stolen, so its tokens are revoked.
        expect((await callMcp(server, body.access_token)).status).toBe(401)
        expect((await app.refresh(body.refresh_token)).body.error).toBe('invalid_grant')
      },
    ],
    [
      '4.3.2',
      'tokens in the URL are not accepted',
      async () => {
        const { access_token } = await app.connect(person.browser)
        const { status } = await fetch(`${server.baseUrl}/api/v1/mcp?access_token=${access_token}`, { method: 'POST' })
        expect(status).toBe(401)
      },
    ],
    [
      '4.5.3',
      'a code of one browser is invalid in the flow of another',
      async () => {
        const other = await registerProgram(server)
        const stolen = await code()
        expect((await other.exchange(stolen)).body.error).toBe('invalid_grant')
        expect((await app.exchange(stolen, { code_verifier: 'v'.repeat(43) })).body.error).toBe('invalid_grant')
      },
    ],
    [
      '4.7.1',
      'an authorization is answered only in the browser that started it, by a form of this server',
      async () => {
        const consent = await openConsent(person.browser, app.authorizeUrl())
        const other = await signedInPerson(server)
        expect((await other.browser.get(consent.path)).status).toBe(404)
        const { status } = await person.browser.post(consent.path, { answer: 'allow', scopes: ['library:read'] })
        expect(status).toBe(403)
      },
    ],
    [
      '4.11.2',
      'browsers are never redirected to an unregistered URI',
      async () => {
        const attempts: Record<string, string>[] = [
          { client_id: 'nobody', redirect_uri: 'https://evil.example/' },
          { redirect_uri: 'https://evil.example/' },
          { redirect_uri: 'https://evil.example/', response_type: 'token' },
        ]
        for (const changes of attempts) {
          const { status, headers } = await ask(changes)
          expect([status, headers.get('location')]).toEqual([400, null])
        }
      },
    ],
    [
      '4.11.2, 2',
      'after a denial, an untrusted website is reached only by a click',
      async () => {
        const site = await registerProgram(server, {
          redirect_uris: ['https://phishing.example/back'],
          client_name: 'A site',
        })
        const denied = async () =>
          sendConsent(person.browser, await openConsent(person.browser, site.authorizeUrl()), { deny: true })
        const stays = await denied()
        expect(stays.status).toBe(200)
        expect(stays.text).toContain('was not connected')
        expect(stays.text).not.toContain('http-equiv="refresh"')
        const [, link = ''] = /href="([^"]+)" rel="noreferrer"/.exec(stays.text) ?? []
        expect((await person.browser.get(link)).location).toMatch(
          /^https:\/\/phishing\.example\/back\?error=access_denied&/,
        )
        await site.connect((await signedInPerson(server)).browser)
        expect((await denied()).text).not.toContain('http-equiv="refresh"')
        await site.connect(person.browser)
        expect((await denied()).text).toContain('http-equiv="refresh"')
      },
    ],
    [
      '4.11.2, 1 and 3',
      'a refused request does not redirect to an untrusted website',
      async () => {
        const back = 'https://phishing.example/back?x=y&error_description=Your+account+is+closed'
        const site = await registerProgram(server, { redirect_uris: [back], client_name: 'A site' })
        const wrong: Record<string, string>[] = [
          { response_type: 'token' },
          { resource: 'https://elsewhere.example/' },
          { scope: 'openid library:read', max_age: 'x' },
          { prompt: 'none' },
        ]
        for (const changes of wrong) {
          const address = site.authorizeUrl(changes).href
          const stays = await person.browser.get(address, { Accept: 'text/html' })
          expect([stays.status, stays.location]).toEqual([400, null])
          expect(stays.headers.get('content-security-policy')).toContain("default-src 'none'")
          expect(stays.text).toContain('A site cannot be connected')
          expect(stays.text).toMatch(
            /href="https:\/\/phishing\.example\/back\?x=y[&#][^"]*error=[^"]+" rel="noreferrer"/,
          )
          expect(stays.text).toMatch(/was refused: \w[^<]*\./)
          expect(stays.text).not.toContain('refused: Your account')
          expect(stays.text).not.toContain('http-equiv="refresh"')
        }
        const statuses = async () => {
          const answers = await Promise.all(wrong.map((changes) => person.browser.get(site.authorizeUrl(changes).href)))
          return new Set(answers.map(({ status }) => status))
        }
        // Whoever registers a website can also connect it to an account of its own.
        await site.connect((await signedInPerson(server)).browser)
        expect(await statuses()).toEqual(new Set([400]))
        await site.connect(person.browser)
        expect(await statuses()).toEqual(new Set([303]))
        const visitor = await fetch(site.authorizeUrl(wrong[0]), { redirect: 'manual' })
        expect([visitor.status, visitor.headers.get('location')]).toEqual([400, null])
      },
    ],
    [
      '4.12',
      'no redirect has status 307, which would forward credentials',
      async () => {
        const consent = await openConsent(person.browser, app.authorizeUrl())
        const sent = await sendConsent(person.browser, consent)
        expect(sent.status).toBe(200)
        const next = /content="0; url=([^"]+)"/.exec(sent.text)?.[1] ?? ''
        expect((await person.browser.get(next)).status).toBe(303)
      },
    ],
    [
      '4.13',
      'forwarding headers of a client have no effect',
      async () => {
        const headers = {
          'X-Forwarded-Host': 'evil.example',
          'X-Forwarded-Proto': 'https',
          'X-Forwarded-For': '10.0.0.1',
          Forwarded: 'host=evil.example;proto=https',
        }
        for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource']) {
          const plain = await (await fetch(server.baseUrl + path)).text()
          const spoofed = await (await fetch(server.baseUrl + path, { headers })).text()
          expect(spoofed).toBe(plain)
        }
        const { challenge } = await callMcp(server, null, { headers })
        expect(challenge).toContain(`resource_metadata="${server.baseUrl}/`)
        const begun = await person.browser.get(app.authorizeUrl().href, headers)
        expect(begun.location).toMatch(/^\/oauth\/interaction\//)
      },
    ],
    [
      '2.4',
      'the password grant does not exist',
      async () => {
        expect(metadata.grant_types_supported).not.toContain('password')
        for (const grant_type of ['password', 'client_credentials', 'implicit']) {
          const { status, body } = await app.requestTokens({ grant_type, username: person.email, password })
          expect([grant_type, status, body.error]).toEqual([grant_type, 400, 'unsupported_grant_type'])
        }
      },
    ],
    [
      '2.1.1',
      'challenge and verifier have the PKCE format, and a code is bound to its challenge',
      async () => {
        expect(await errorOf({ code_challenge: 'short' })).toBe('invalid_request')
        expect(await errorOf({ code_challenge: '!'.repeat(43) })).toBe('invalid_request')
        const { status } = await app.exchange(await code(), { code_verifier: 'short' })
        expect(status).toBe(400)
      },
    ],
    [
      '4.2.4, 4.3.1',
      'responses with codes or tokens are not cached, and the page before them sends no referrer',
      async () => {
        const consent = await openConsent(person.browser, app.authorizeUrl())
        const sent = await sendConsent(person.browser, consent)
        expect(sent.headers.get('referrer-policy')).toBe('same-origin')
        expect(sent.headers.get('cache-control')).toBe('no-store')
        const next = /content="0; url=([^"]+)"/.exec(sent.text)?.[1] ?? ''
        expect(next).not.toContain('code=')
        const back = await person.browser.get(next)
        expect(back.headers.get('cache-control')).toContain('no-store')
        const answer = await fetch(`${server.baseUrl}/oauth/token`, {
          method: 'POST',
          body: new URLSearchParams({
            client_id: app.clientId,
            grant_type: 'authorization_code',
            code: new URL(back.location ?? '').searchParams.get('code') ?? '',
            redirect_uri: callbackUrl,
            code_verifier: app.verifier,
          }),
        })
        expect(answer.status).toBe(200)
        expect(answer.headers.get('cache-control')).toContain('no-store')
      },
    ],
    [
      '4.14.2',
      'a refresh token ends with its grant',
      async () => {
        const { refresh_token } = await app.connect(person.browser)
        const { db } = server.running.opened.database
        const used = async () => (await app.refresh(refresh_token)).status
        expect(await used()).toBe(200)
        await person.browser.submit('/connections', '/connections/disconnect', { id: app.clientId })
        expect(await used()).toBe(400)
        expect(await db.collection('oauth').countDocuments({ kind: 'RefreshToken', clientId: app.clientId })).toBe(0)
      },
    ],
    [
      '4.15.1',
      'a client cannot choose its id',
      async () => {
        const { body } = await registerClient(server, { client_id: person.account.id })
        expect(body.client_id).not.toBe(person.account.id)
      },
    ],
    [
      '4.16',
      'no page can be framed',
      async () => {
        const { page } = await openConsent(person.browser, app.authorizeUrl())
        const refused = await ask({ client_id: 'nobody' })
        const again = await openConsent(person.browser, app.authorizeUrl({ prompt: 'login' }))
        const site = await registerProgram(server, { redirect_uris: ['https://site.example/back'] })
        const held = await person.browser.get(site.authorizeUrl({ prompt: 'none' }).href)
        for (const { headers } of [page, refused, again.page, held]) {
          expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
          expect(headers.get('x-frame-options')).toBe('DENY')
        }
      },
    ],
    [
      '4.17',
      'no response is passed between windows by postMessage',
      async () => {
        expect(metadata.response_modes_supported).toEqual(['query'])
        expect((await ask({ response_mode: 'web_message' })).status).toBe(400)
      },
    ],
  ]

  test.for(table)('%s: %s', async ([, , check]) => {
    await server.running.opened.database.db.collection('rates').deleteMany({})
    await check()
  })
})
