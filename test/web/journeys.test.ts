import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createAccount } from '../../src/accounts/create-account.ts'
import { issueLink } from '../../src/accounts/issue-link.ts'
import { chromiumNeed, describeWith, launchBrowser } from '../support/system-needs.ts'
import { send } from '../support/transports.ts'
import { plansEnvironment } from '../support/plans-environment.ts'
import { seedBooks } from '../support/seed-books.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { accountWithPassword, password } from '../support/signed-in-person.ts'

const withChromium = describeWith(chromiumNeed)
let browser: Browser

/** A page of a new browser context that records problems. */
async function openWindow(
  server: TestServer,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<{ page: Page; context: BrowserContext; problems: string[] }> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => problems.push(message.text()))
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('requestfailed', (request) => {
    // A page that is left before it has loaded may not have loaded its icon.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') problems.push(`failed: ${request.url()}`)
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(server.baseUrl)) problems.push(`remote: ${request.url()}`)
  })
  onTestFinished(() => context.close())
  return { page, context, problems }
}

async function signIn(page: Page, server: TestServer, email: string): Promise<void> {
  await page.goto(`${server.baseUrl}/sign-in`)
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${server.baseUrl}/`)
}

withChromium('a new server', () => {
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  test.for([
    ['with JavaScript', true],
    ['without JavaScript', false],
  ] as const)('%s is claimed; a key is created, used over REST and revoked', async ([, javaScriptEnabled]) => {
    const server = await startTestServer({ LECTERN_ROLE: 'web' })
    onTestFinished(() => server.close())
    const { page, problems } = await openWindow(server, { javaScriptEnabled })
    const { url } = await issueLink(server.running.opened.services, 'claim', null)
    await page.goto(url)
    await page.getByLabel('Email address').fill('ada@lectern.example')
    await page.getByLabel('Your name').fill('Ada')
    await page.getByLabel('New password', { exact: true }).fill(password)
    await page.getByLabel('Confirm new password').fill(password)
    await page.getByRole('button', { name: 'Create account' }).click()
    expect(await page.getByLabel('API key').inputValue()).toMatch(/^lectern_\w{40}$/)

    await page.getByTitle('Your account').click()
    await page.getByRole('link', { name: 'API keys', exact: true }).click()
    await page.getByLabel('Name').fill('Reader')
    for (const scope of ['library:write', 'marketplace:write']) await page.getByLabel(scope).uncheck()
    await page.getByLabel('Expires').selectOption('In 90 days')
    await page.getByRole('button', { name: 'Create key' }).click()
    const key = await page.getByLabel('API key').inputValue()
    const call = (method: string, path: string, body?: object) => send(server, key, { method, path, body })
    expect((await call('GET', '/api/v1/items')).status).toBe(200)
    expect((await call('POST', '/api/v1/shelves', { name: 'S' })).status).toBe(403)

    const row = page.getByRole('listitem').filter({ hasText: 'Reader' })
    await row.getByText('Revoke…').click()
    await row.getByRole('button').click()
    await page.waitForURL(/done=revoked/)
    expect(await row.count()).toBe(0)
    expect((await call('GET', '/api/v1/items')).status).toBe(401)
    expect(problems).toEqual([])
  })
})

withChromium('a signed-in browser', () => {
  let server: TestServer

  beforeAll(async () => {
    browser = await launchBrowser()
    const plan = await plansEnvironment({ tier: 'TWO', tierDisplay: 'Small', itemLimit: 2 })
    server = await startTestServer({ LECTERN_ROLE: 'web', LECTERN_SIGNUP: 'open', ...plan })
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  test('signing in, creating, copying and revoking a key, and signing out work by keyboard', async () => {
    const { email } = await accountWithPassword(server)
    const { page, problems } = await openWindow(server)
    const tabTo = async (name: string) => {
      for (let i = 0; i < 60; i++) {
        await page.keyboard.press('Tab')
        const focused = await page.evaluate(
          '[document.activeElement?.labels?.[0]?.textContent, document.activeElement?.getAttribute("aria-label"), document.activeElement?.textContent, document.activeElement?.name, document.activeElement?.title].join("|")',
        )
        if (String(focused).includes(name)) return
      }
      throw new Error(`The focus never came to ${name}`)
    }
    await page.goto(`${server.baseUrl}/sign-in?next=/keys`)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Skip to content')
    await page.keyboard.press('Enter')
    await tabTo('Email address')
    await page.keyboard.type(email)
    await tabTo('Password')
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/keys$/)
    await tabTo('Name')
    await page.keyboard.type('By keyboard')
    await tabTo('marketplace:write')
    await page.keyboard.press('Space')
    await tabTo('Create key')
    await page.keyboard.press('Enter')
    await page.getByText('it will not be shown again').waitFor()
    await tabTo('API key')
    const selected =
      'document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)'
    expect(await page.evaluate(selected)).toMatch(/^lectern_\w{40}$/)
    await tabTo('Revoke By keyboard…')
    await page.keyboard.press('Enter')
    await tabTo('Revoke By keyboard')
    await page.keyboard.press('Enter')
    await page.waitForURL(/done=revoked/)
    await tabTo('Your account')
    await page.keyboard.press('Enter')
    await tabTo('Sign out')
    await page.keyboard.press('Enter')
    await page.getByText('You are signed out.').waitFor()
    expect(problems).toEqual([])
  })

  test('the invalid field of a refused form has the focus', async () => {
    const { email } = await accountWithPassword(server)
    const { page } = await openWindow(server)
    await signIn(page, server, email)
    await page.goto(`${server.baseUrl}/account`)
    await page.getByLabel('Current password').fill('not mine at all')
    await page.getByLabel('New password', { exact: true }).fill('some other words')
    await page.getByLabel('Confirm new password').fill('some other words')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('This is not your current password.').waitFor()
    expect(await page.title()).toMatch(/^Error: /)
    // The browser moves the focus before it draws the page, which may be after the text exists.
    await expect.poll(() => page.evaluate('document.activeElement?.id'), { timeout: 10_000 }).toBe('current')
  })

  test('a program on this computer gets a key despite the content security policy', async () => {
    const { email, id } = await accountWithPassword(server)
    const received: string[] = []
    const program = createServer((request, response) => {
      received.push(request.url ?? '')
      response.end('You can close this window.')
    })
    await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void program.close())
    const { port } = program.address() as AddressInfo
    const { page } = await openWindow(server)
    await page.goto(`${server.baseUrl}/cli-auth?port=${port}&state=s-1`)
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('You can close this window.').waitFor()
    const answer = new URL(received[0] as string, 'http://127.0.0.1')
    expect(answer.pathname).toBe('/callback')
    expect(answer.searchParams.get('state')).toBe('s-1')
    const key = answer.searchParams.get('key')
    const { body } = await send(server, key, { method: 'GET', path: '/api/v1/auth/whoami' })
    expect(body.id).toBe(id)
  })

  test('a page of another site cannot forge a request', async () => {
    const { email, id } = await accountWithPassword(server)
    const { page, context } = await openWindow(server)
    await signIn(page, server, email)
    const evil = createServer((_, response) => {
      response.setHeader('Content-Type', 'text/html')
      response.end(
        `<form method="post" action="${server.baseUrl}/account/sessions/end-all"><button>Win</button></form>
         <iframe src="${server.baseUrl}/account"></iframe>`,
      )
    })
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void evil.close())
    const attack = await context.newPage()
    await attack.goto(`http://localhost:${(evil.address() as AddressInfo).port}/`)
    const framed = () =>
      attack
        .frames()
        .find((one) => one !== attack.mainFrame())
        ?.url()
    await expect.poll(framed).toMatch(/^chrome-error:/)
    await attack.getByRole('button').click()
    await attack.getByText('Another site sent this request').waitFor()
    expect(await server.running.opened.services.webSessions.list(id, new Date())).toHaveLength(1)
  })

  const unlabelled =
    '[...document.querySelectorAll("input:not([type=hidden]):not([hidden]), select")].filter((it) => it.labels.length !== 1).map((it) => it.name)'

  const sizes = [
    [320, 'light'],
    [320, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const

  test.for(sizes)('every page at %d px, %s: nothing cut off, no problem', async ([width, colorScheme]) => {
    const { services } = server.running.opened
    const account = await accountWithPassword(server, { plan: 'TWO', name: 'Margaret Hamilton-Featherstonehaugh' })
    await seedBooks(server, account, { count: 4 })
    const report = {
      id: `report${width}${colorScheme}`,
      title: 'x'.repeat(200),
      body: 'y'.repeat(500),
      type: 'bug',
    } as const
    await services.support.add({ ...report, accountId: account.id, createdAt: new Date() })
    const guest = await createAccount(services, { email: `guest${width}${colorScheme}@lectern.example` })
    const links = await Promise.all([issueLink(services, 'invite', guest.id), issueLink(services, 'reset', account.id)])
    const open = ['/sign-in', '/sign-in?done=signed-up', '/sign-up', '/reset', '/setup', '/', '/connect']
    const own = ['/account', '/keys', '/cli-auth?port=8123', '/library/usable', `/support/${report.id}`, '/sign-out']
    const { page, problems } = await openWindow(server, { viewport: { width, height: 800 }, colorScheme })
    const check = async (path: string) => {
      await page.goto(server.baseUrl + path)
      expect(await page.locator('h1').count(), path).toBe(1)
      expect(await page.locator('script:not([src]), style, [style]').count(), path).toBe(0)
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), path).toBeLessThanOrEqual(0)
      expect(await page.evaluate(unlabelled), path).toEqual([])
    }
    for (const path of [...open, ...links.map(({ url }) => url.slice(server.baseUrl.length))]) await check(path)
    await signIn(page, server, account.email)
    for (const path of [...own, '/']) await check(path)
    // The browser console reports a status such as 409 of /setup.
    expect(problems.filter((text) => !/status of (403|409)/.test(text))).toEqual([])
  })
})
