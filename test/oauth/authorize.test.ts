import { beforeAll, describe, expect, test } from 'vitest'
import { scopes } from '../../src/core/scopes.ts'
import {
  answerConsent,
  callbackUrl,
  callMcp,
  followRedirect,
  openConsent,
  registerProgram,
  sendConsent,
} from '../support/oauth.ts'
import type { Program } from '../support/oauth.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { hiddenFields, webClient, type WebClient } from '../support/web-client.ts'
import { password, signedInPerson, type WebPerson } from '../support/signed-in-person.ts'

const create = { method: 'tools/call', params: { name: 'create_markdown_item', arguments: { title: 'T' } } }

describe('authorizing a client', () => {
  const server = useTestServer({ LECTERN_ROLE: 'web' })
  let person: WebPerson
  let browser: WebClient
  let app: Program
  beforeAll(async () => {
    person = await signedInPerson(server)
    browser = person.browser
    app = await registerProgram(server)
  })

  test('consent gives tokens that the MCP endpoint accepts', async () => {
    const tokens = await app.connect(browser)
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: scopes.join(' ') })
    expect(tokens.access_token).toMatch(/^ck_oauth_[\w-]{43}$/)
    expect(tokens.refresh_token).toMatch(/^[\w-]{43}$/)
    const { status, body } = await callMcp(server, tokens.access_token)
    expect(status).toBe(200)
    expect(body.result.tools.length).toBeGreaterThan(20)
  })

  test('the consent page names the client, its redirect destination and its scopes', async () => {
    const { page } = await openConsent(browser, app.authorizeUrl())
    expect(page.text).toContain('Connect A test?')
    expect(page.text).toContain('127.0.0.1:3333')
    expect(page.text).toContain('any program can call itself A test')
    expect(page.text).toContain(person.email)
    for (const scope of scopes) expect(page.text).toContain(`value="${scope}"`)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(page.headers.get('cache-control')).toBe('no-store')
  })

  test('a remote client is shown with its host and without the loopback warning', async () => {
    const web = await registerProgram(server, { redirect_uris: ['https://app.example/back'] })
    const { page } = await openConsent(browser, web.authorizeUrl())
    expect(page.text).toContain('app.example')
    expect(page.text).not.toContain('any program can call itself')
  })

  test('a user who is not signed in is sent to the sign-in page and back', async () => {
    const stranger = webClient(server)
    const begun = await stranger.get(app.authorizeUrl().href)
    const asked = await stranger.get(begun.location!)
    expect(asked.status).toBe(303)
    expect(asked.location).toBe(`/sign-in?next=${encodeURIComponent(begun.location!)}&done=connect`)
    expect((await stranger.get(asked.location!)).text).toContain('Sign in to connect the app.')
    const entered = await stranger.submit(asked.location!, '/sign-in', { email: person.email, password })
    expect(entered.location).toBe(begun.location)
    const page = await stranger.get(begun.location!)
    const { params } = await followRedirect(stranger, await sendConsent(stranger, { page, path: begun.location! }))
    expect((await app.exchange(params.get('code')!)).status).toBe(200)
  })

  test('deselected scopes are not granted and can be requested again', async () => {
    const tokens = await app.connect(browser, { scopes: ['library:read'] })
    expect(tokens.scope).toBe('library:read')
    const refused = await callMcp(server, tokens.access_token, create)
    expect(refused.status).toBe(403)
    expect(refused.body).toMatchObject({ code: 'insufficient_scope' })
    expect(refused.challenge).toBe(
      'Bearer error="insufficient_scope", scope="library:read library:write", ' +
        `resource_metadata="${server.baseUrl}/.well-known/oauth-protected-resource", ` +
        'error_description="create_markdown_item needs the scope library:write."',
    )
    const { page } = await openConsent(browser, app.authorizeUrl({ scope: 'library:read library:write' }))
    expect([...page.text.matchAll(/value="(\w+:\w+)"/g)].map(([, scope]) => scope)).toEqual([
      'library:read',
      'library:write',
    ])
    const more = await app.connect(browser, { scopes: ['library:read', 'library:write'] })
    expect((await callMcp(server, more.access_token, create)).status).toBe(200)
  })

  test('consent without scopes shows the page again and grants nothing', async () => {
    const consent = await openConsent(browser, app.authorizeUrl())
    const again = await sendConsent(browser, consent, { scopes: [] })
    expect(again.status).toBe(400)
    expect(again.text).toContain('Select at least one permission')
    // The focus is where something has to be changed.
    expect(again.text).toMatch(/value="library:read"\s+autofocus/)
    const { params } = await followRedirect(
      browser,
      await sendConsent(browser, { ...consent, page: again }, { scopes: ['library:read'] }),
    )
    expect(params.get('code')).toBeTruthy()
  })

  test('a scope that was not requested is not granted, whatever the form sends', async () => {
    const { params } = await answerConsent(browser, app.authorizeUrl({ scope: 'library:read' }), {
      scopes: ['library:read', 'library:write'],
    })
    expect((await app.exchange(params.get('code')!)).body.scope).toBe('library:read')
  })

  test('a denial is returned to the client', async () => {
    const { params, address } = await answerConsent(browser, app.authorizeUrl(), { deny: true })
    expect(address.href.startsWith(callbackUrl)).toBe(true)
    expect(Object.fromEntries(params)).toMatchObject({
      error: 'access_denied',
      state: 'the state',
      iss: server.baseUrl,
    })
    expect(params.has('code')).toBe(false)
  })

  test.for([
    ['no scope', { scope: null }],
    ['scopes of identity only', { scope: 'openid offline_access' }],
    ['neither scope nor resource', { scope: null, resource: null }],
  ] as const)('%s offers all four scopes and is for the MCP endpoint', async ([, changes]) => {
    const { params } = await answerConsent(browser, app.authorizeUrl(changes))
    const { body } = await app.exchange(params.get('code')!, {})
    expect(body.scope.split(' ')).toEqual(expect.arrayContaining([...scopes]))
    expect((await callMcp(server, body.access_token)).status).toBe(200)
  })

  test.for([
    ['another resource', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
    ['the base URL as resource', { resource: 'BASE' }, 'invalid_target'],
    ['no PKCE', { code_challenge: null, code_challenge_method: null }, 'invalid_request'],
    ['PKCE with the method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a token in the front channel', { response_type: 'token' }, 'unsupported_response_type'],
    ['no interaction', { prompt: 'none' }, 'consent_required'],
  ] as const)('refuses %s, and reports it to the client', async ([, changes, error]) => {
    const given = Object.fromEntries(
      Object.entries(changes).map(([name, value]) => [name, value === 'BASE' ? server.baseUrl : value]),
    )
    const { status, headers } = await browser.get(app.authorizeUrl(given).href)
    expect(status).toBe(303)
    const address = new URL(headers.get('location')!)
    expect(address.href.startsWith(callbackUrl)).toBe(true)
    const answer = new URLSearchParams(address.search || address.hash.slice(1))
    expect(answer.get('error')).toBe(error)
    expect(answer.get('iss')).toBe(server.baseUrl)
  })

  test.for([
    ['an unknown client', { client_id: 'nobody' }],
    ['another redirect URI', { redirect_uri: 'https://elsewhere.example/' }],
    ['another path of the redirect URI', { redirect_uri: 'http://127.0.0.1:3333/other' }],
    ['a missing redirect URI', { redirect_uri: null }],
    ['the response mode form_post', { response_mode: 'form_post' }],
    ['the response mode fragment', { response_mode: 'fragment' }],
  ] as const)('refuses %s with a page, without a redirect', async ([, changes]) => {
    const { status, headers, text } = await browser.get(app.authorizeUrl(changes).href, { Accept: 'text/html' })
    expect(status).toBe(400)
    expect(headers.get('location')).toBeNull()
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(text).toContain('This app cannot be connected')
    expect(text).not.toMatch(/<script(?! type="module" src="\/assets\/)/)
  })

  test('a loopback redirect URI may use any port', async () => {
    const { address } = await answerConsent(
      browser,
      app.authorizeUrl({ redirect_uri: 'http://127.0.0.1:45678/callback' }),
    )
    expect(address.port).toBe('45678')
  })

  test('only the browser that started an authorization can answer it', async () => {
    const { path, page } = await openConsent(browser, app.authorizeUrl())
    const other = await signedInPerson(server)
    expect((await other.browser.get(path)).status).toBe(404)
    const token = hiddenFields((await other.browser.get('/account')).text, '/account/password')['csrf']!
    const sent = await other.browser.post(path, { csrf: token, answer: 'allow', scopes: ['library:read'] })
    expect(sent.status).toBe(404)
    expect((await sendConsent(browser, { path, page })).status).toBe(200)
  })

  test('a consent form sent by another site grants nothing', async () => {
    const { path } = await openConsent(browser, app.authorizeUrl())
    const fields = { answer: 'allow', scopes: ['library:read'] }
    expect((await browser.post(path, fields, { Origin: 'https://evil.example' })).status).toBe(403)
    expect((await browser.post(path, { ...fields, csrf: 'guessed' })).status).toBe(403)
  })

  test('a user who signs in with another account is asked for consent as that account', async () => {
    await app.connect(browser)
    const other = await signedInPerson(server)
    browser.cookies.set('lectern', other.browser.cookies.get('lectern')!)
    const tokens = await app.connect(browser)
    const { body } = await callMcp(server, tokens.access_token, {
      method: 'tools/call',
      params: { name: 'whoami', arguments: {} },
    })
    expect(body.result.structuredContent.email).toBe(other.email)
  })

  test('client metadata cannot inject markup into the consent page', async () => {
    const name = `<img src=x onerror=alert(1)>\u202Ernd\u0000\u200B${'long '.repeat(50)}`
    const hostile = await registerProgram(server, { client_name: name })
    const { page } = await openConsent(browser, hostile.authorizeUrl())
    expect(page.text).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(page.text).not.toContain('<img')
    for (const unseen of ['\u202E', '\u0000', '\u200B']) expect(page.text.includes(unseen)).toBe(false)
    const heading = /<h1>([\s\S]*?)<\/h1>/.exec(page.text)?.[1] ?? ''
    expect(heading.length).toBeLessThan(140)
  })
})
