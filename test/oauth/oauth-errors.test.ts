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

test('a program that asks for tokens is told to try again', async () => {
  const fields = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id: assistant.clientId }
  const answer = await fetch(`${server.baseUrl}/oauth/token`, { method: 'POST', body: new URLSearchParams(fields) })
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('2')
  expect(await answer.json()).toEqual(unavailable)
})

test('so is one that registers, which is not said to have asked too often', async () => {
  const { status, body, headers } = await registerClient(server)
  expect({ status, body }).toEqual({ status: 503, body: unavailable })
  expect(headers.get('retry-after')).toBe('2')
})

test('a token is not said to be revoked when it is not', async () => {
  const body = new URLSearchParams({ token: tokens.refresh_token, client_id: assistant.clientId })
  expect((await fetch(`${server.baseUrl}/oauth/revoke`, { method: 'POST', body })).status).toBe(503)
})

test('a person is told by a page from which the same authorization can be begun again', async () => {
  const address = assistant.authorizeUrl()
  const { status, text, location } = await webClient(server).get(address.href)
  expect({ status, location }).toEqual({ status: 503, location: null })
  expect(text).toContain('Not right now')
  const again = /href="(\/oauth\/authorize[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
  expect(new URL(again ?? '', server.baseUrl).searchParams.get('state')).toBe(address.searchParams.get('state'))
})

test('pages of people who are signed in say so too', async () => {
  const { status, text } = await browser.get('/account?from=here')
  expect(status).toBe(503)
  expect(text).toMatch(/<h1>Not available right now<\/h1>/)
  expect(text).toContain('href="/account?from=here"')
})

test('what was asked for in vain is there when the store is back', async () => {
  await lossy.proxy.setMode('pass')
  await expect.poll(async () => (await assistant.refresh(tokens.refresh_token)).status, { timeout: 10_000 }).toBe(200)
  expect((await registerClient(server)).status).toBe(201)
})
