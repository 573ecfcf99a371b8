import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { issueLink } from '../../src/accounts/issue-link.ts'
import { chromiumNeed, describeWith, launchBrowser } from '../support/system-needs.ts'
import { callMcp, registerProgram as registered } from '../support/oauth.ts'
import { sdkPrograms } from '../support/sdk-clients.ts'
import { startTestServer } from '../support/server.ts'
import { accountWithPassword, password } from '../support/signed-in-person.ts'

const [, [, makeProgram]] = sdkPrograms

/** A loopback redirect URI of a client. */
async function callbackServer(): Promise<{ redirect: string; arrival: Promise<URLSearchParams> }> {
  const { promise, resolve } = Promise.withResolvers<URLSearchParams>()
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    response.setHeader('Content-Type', 'text/html')
    response.end('<!doctype html><title>Back</title><p>Back in the program.</p>')
    if (url.pathname === '/callback') resolve(url.searchParams)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { redirect: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`, arrival: promise }
}

describeWith(chromiumNeed)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  test.for([
    ['with JavaScript', true],
    ['without JavaScript', false],
  ] as const)('%s: claim, key, sign-in of a program, connected apps, disconnect', async ([, javaScriptEnabled]) => {
    const server = await startTestServer({ LECTERN_ROLE: 'web' })
    onTestFinished(() => server.close())
    const context = await browser.newContext({ javaScriptEnabled })
    onTestFinished(() => context.close())
    const page = await context.newPage()
    const problems: string[] = []
    page.on('console', (message) => problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('request', (request) => {
      const { origin } = new URL(request.url())
      if (origin !== server.baseUrl && !request.url().includes('/callback')) problems.push(`remote: ${request.url()}`)
    })

    const { url } = await issueLink(server.running.opened.services, 'claim', null)
    await page.goto(url)
    await page.getByLabel('Email address').fill('ada@lectern.example')
    await page.getByLabel('Your name').fill('Ada')
    await page.getByLabel('New password', { exact: true }).fill(password)
    await page.getByLabel('Confirm new password').fill(password)
    await page.getByRole('button', { name: 'Create account' }).click()
    const key = await page.getByLabel('API key').inputValue()
    expect((await callMcp(server, key)).status).toBe(200)
    await context.clearCookies()

    const { redirect, arrival } = await callbackServer()
    const program = makeProgram(`${server.baseUrl}/api/v1/mcp`, { redirect })
    expect(await program.tools()).toBeNull()
    await page.goto(program.saved.authorizationUrl!.href)
    expect(page.url()).toContain('/sign-in?next=')
    await page.getByLabel('Email address').fill('ada@lectern.example')
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Connect An SDK program?' }).waitFor()
    await page.getByLabel('marketplace:write').uncheck()
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByText('Back in the program.').waitFor()
    await program.finishAuthorization(await arrival)
    expect(await program.tools()).toContain('read_items')
    expect(program.saved.tokens.scope).not.toContain('marketplace:write')

    await page.goto(`${server.baseUrl}/account`)
    await page.getByTitle('Your account').click()
    await page.getByRole('link', { name: 'Connected apps', exact: true }).click()
    await page.getByText('An SDK program', { exact: true }).waitFor()
    await page.getByText('Disconnect…').click()
    await page.getByRole('button', { name: 'Disconnect An SDK program', exact: true }).click()
    await page.getByText('App disconnected.').waitFor()
    expect((await callMcp(server, program.saved.tokens.access_token)).status).toBe(401)
    expect((await callMcp(server, key)).status).toBe(200)
    expect(problems).toEqual([])
    await program.close()
  })

  test('a client that requires a new sign-in is connected with another account', async () => {
    const server = await startTestServer({ LECTERN_ROLE: 'web' })
    onTestFinished(() => server.close())
    const [ada, grace] = [await accountWithPassword(server), await accountWithPassword(server)]
    const context = await browser.newContext({ javaScriptEnabled: false })
    onTestFinished(() => context.close())
    const page = await context.newPage()
    await page.goto(`${server.baseUrl}/sign-in`)
    await page.getByLabel('Email address').fill(ada.email)
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1 }).waitFor()
    const { redirect, arrival } = await callbackServer()
    const app = await registered(server, { redirect_uris: [redirect] })
    await page.goto(app.authorizeUrl({ prompt: 'login' }).href)
    await page.getByRole('heading', { name: 'Confirm your identity' }).waitFor()
    expect(await page.getByLabel('Email address').inputValue()).toBe(ada.email)
    await page.getByLabel('Password').fill('wrong')
    await page.keyboard.press('Enter')
    await page.getByText('is incorrect').waitFor()
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await page.getByText(ada.email).waitFor()
    await page.getByRole('link', { name: 'Use another account' }).click()
    await page.getByLabel('Email address').fill(grace.email)
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await page.getByText(grace.email).waitFor()
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByText('Back in the program.').waitFor()
    const { body } = await app.exchange((await arrival).get('code') ?? '')
    const whoami = { method: 'tools/call', params: { name: 'whoami', arguments: {} } }
    expect((await callMcp(server, body.access_token, whoami)).body.result.structuredContent.email).toBe(grace.email)
  })

  test('a user who cancels returns to the client with a denial', async () => {
    const server = await startTestServer({
      LECTERN_ROLE: 'web',
      LECTERN_ADMIN_EMAIL: 'ada@lectern.example',
      LECTERN_ADMIN_PASSWORD: password,
    })
    onTestFinished(() => server.close())
    const page = await browser.newPage()
    onTestFinished(() => page.close())
    const { redirect, arrival } = await callbackServer()
    const program = makeProgram(`${server.baseUrl}/api/v1/mcp`, { redirect })
    await program.tools()
    await page.goto(program.saved.authorizationUrl!.href)
    await page.getByLabel('Email address').fill('ada@lectern.example')
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Cancel' }).click()
    // Playwright may never close a page that is loading another one.
    await page.getByText('Back in the program.').waitFor()
    expect((await arrival).get('error')).toBe('access_denied')
    await page.goBack()
    await page.getByText('This authorization was answered already').waitFor()
  })
})
