import { afterAll, beforeAll, expect, test } from 'vitest'
import { startFlakyStoreServer, type FlakyStoreServer } from '../support/flaky-store-server.ts'
import { registerProgram, registerClient, type Program, type Tokens } from '../support/oauth.ts'
import type { TestServer } from '../support/server.ts'
import { signedInPerson } from '../support/signed-in-person.ts'
import { webClient, type WebClient } from '../support/web-client.ts'

let lossy: FlakyStoreServer
let server: TestServer
let assistant: Program
let tokens: Tokens
let browser: WebClient

beforeAll(async () => {
  lossy = await startFlakyStoreServer({ LECTERN_ROLE: 'web' })
  ;({ server } = lossy)
  ;({ browser } = await signedInPerson(server))
  assistant = await registerProgram(server)
  tokens = await assistant.connect(browser)
  await lossy.proxy.setMode('refused')
})
afterAll(() => lossy.close())

const unavailable = { error: 'temporarily_unavailable', error_description: expect.stringMatching(/Retry/) }

test('a token request is told to retry while the store is unavailable', async () => {
  const fields = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id: assistant.clientId }
  const answer = await fetch(`${server.baseUrl}/oauth/token`, { method: 'POST', body: new URLSearchParams(fields) })
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('2')
  expect(await answer.json()).toEqual(unavailable)
})

test('a registration is told to retry, and not that it is rate limited, while the store is unavailable', async () => {
  const { status, body, headers } = await registerClient(server)
  expect({ status, body }).toEqual({ status: 503, body: unavailable })
  expect(headers.get('retry-after')).toBe('2')
})

test('a valid token is not reported as revoked while the store is unavailable', async () => {
  const body = new URLSearchParams({ token: tokens.refresh_token, client_id: assistant.clientId })
  expect((await fetch(`${server.baseUrl}/oauth/revoke`, { method: 'POST', body })).status).toBe(503)
})

test('an authorization shows a page with a link to retry while the store is unavailable', async () => {
  const address = assistant.authorizeUrl()
  const { status, text, location } = await webClient(server).get(address.href)
  expect({ status, location }).toEqual({ status: 503, location: null })
  expect(text).toContain('Temporarily unavailable')
  const again = /href="(\/oauth\/authorize[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
  expect(new URL(again ?? '', server.baseUrl).searchParams.get('state')).toBe(address.searchParams.get('state'))
})

test('pages for signed-in users show the same error while the store is unavailable', async () => {
  const { status, text } = await browser.get('/account?from=here')
  expect(status).toBe(503)
  expect(text).toMatch(/<h1>Temporarily unavailable<\/h1>/)
  expect(text).toContain('href="/account?from=here"')
})

test('the same requests succeed once the store is available again', async () => {
  await lossy.proxy.setMode('pass')
  await expect.poll(async () => (await assistant.refresh(tokens.refresh_token)).status, { timeout: 10_000 }).toBe(200)
  expect((await registerClient(server)).status).toBe(201)
})
