import { existsSync, globSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { issueLink } from '../../src/accounts/links.ts'
import { doors } from '../support/doors.ts'
import { makeBook, pagesOf } from '../support/make-book.ts'
import { program } from '../support/oauth.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { signedInPerson, type WebPerson } from '../support/web-person.ts'

const executablePath = '/usr/bin/chromium'
const root = new URL('../../', import.meta.url)

/** What the addresses of pages are filled in with. */
interface Places {
  book: string
  invite: string
  report: string
  claim: string
  reset: string
  /** Where a program begins to ask for access; leads to the page of an authorization. */
  authorize: string
  /** As `authorize`, of a program that nobody knows. */
  refused: string
}

/** Every page as its route names it, and the addresses at which it is looked at. */
const pages: Record<string, (places: Places) => string[]> = {
  '/': () => ['/'],
  '/docs': () => ['/docs'],
  '/connect': () => ['/connect'],
  '/plans': () => ['/plans'],
  '/setup': ({ claim }) => [claim, '/setup'],
  '/sign-in': () => ['/sign-in', '/sign-in?done=reset'],
  '/sign-up': () => ['/sign-up'],
  '/sign-out': () => ['/sign-out'],
  '/reset': ({ reset }) => ['/reset', reset],
  '/account': () => ['/account'],
  '/account/delete': () => ['/account/delete'],
  '/keys': () => ['/keys'],
  '/connections': () => ['/connections'],
  '/cli-auth': () => ['/cli-auth?port=8123'],
  '/library/usable': () => ['/library/usable'],
  '/support/:id': ({ report }) => [`/support/${report}`],
  '/invites': () => ['/invites'],
  '/invites/:token': ({ invite }) => [`/invites/${invite}`],
  '/invites/:token/sign-up': ({ invite }) => [`/invites/${invite}/sign-up`],
  '/books/:id': ({ book }) => [`/books/${book}`],
  '/books/:id/pages/:page': ({ book }) => [`/books/${book}/pages/1`],
  '/oauth/interaction/:uid': ({ authorize, refused }) => [authorize, refused],
}

test('every page is looked at', () => {
  const mounted = new Set<string>()
  for (const file of globSync(['src/web/*.ts', 'oauth/*.ts'], { cwd: root.pathname })) {
    const source = readFileSync(new URL(file, root), 'utf8')
    for (const [, path] of source.matchAll(/(?:routes\.\w+\(\s*'GET',\s*|mount\()'([^']+)'/g))
      mounted.add(path as string)
  }
  // The one page whose path is not written where it is mounted.
  mounted.add('/oauth/interaction/:uid')
  expect([...mounted].toSorted()).toEqual(Object.keys(pages).toSorted())
})

// Needs Debian's Chromium.
describe.skipIf(!existsSync(executablePath))('every page in a browser', () => {
  let server: TestServer
  let browser: Browser
  let person: WebPerson
  let places: Places
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-background-networking'] })
    server = await startTestServer({ LECTERN_ROLE: 'web', LECTERN_SIGNUP: 'open' })
    person = await signedInPerson(server, { name: 'Ada Lovelace' })
    places = await furnish(server, person)
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  test.for([
    [320, 'light', 'signed in'],
    [320, 'dark', 'signed out'],
    [1280, 'light', 'signed out'],
    [1280, 'dark', 'signed in'],
  ] as const)(
    'at %d px, %s, %s: no barrier, nothing remote, nothing cut off',
    { timeout: 120_000 },
    async ([width, colorScheme, who]) => {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme })
      if (who === 'signed in') await context.addCookies(cookiesOf(person, server))
      const wrong: Record<string, string[]> = {}
      for (const path of everyAddress()) {
        const problems = await problemsOf(context, path)
        if (problems.length > 0) wrong[path] = problems
      }
      expect(wrong).toEqual({})
      await context.close()
    },
  )

  test('without JavaScript each shows its heading, and its buttons work', { timeout: 60_000 }, async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    await context.addCookies(cookiesOf(person, server))
    const page = await context.newPage()
    for (const path of everyAddress()) {
      await page.goto(new URL(path, server.baseUrl).href)
      expect(await page.locator('h1').isVisible(), path).toBe(true)
      expect(await page.locator('button[disabled]').count(), path).toBe(0)
    }
    await context.close()
  })

  const everyAddress = () => Object.values(pages).flatMap((addresses) => addresses(places))

  /** What is wrong with a page as it stands in the browser. */
  async function problemsOf(context: BrowserContext, path: string): Promise<string[]> {
    const page = await context.newPage()
    const problems: string[] = []
    // A status of 400 or more is said on the console too.
    page.on('console', (message) => {
      if (!message.text().startsWith('Failed to load resource')) problems.push(`console: ${message.text()}`)
    })
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('request', (request) => {
      if (!request.url().startsWith(server.baseUrl)) problems.push(`remote: ${request.url()}`)
    })
    const answer = await page.goto(new URL(path, server.baseUrl).href)
    const policy = answer?.headers()['content-security-policy'] ?? ''
    if (!policy.includes("default-src 'none'") || policy.includes('unsafe')) problems.push(`policy: ${policy}`)
    if (await page.locator('script, style, [style], [onclick], img:not([src^="/"])').count()) problems.push('inline')
    if ((await page.locator('h1').count()) !== 1) problems.push('not one h1')
    const beyond = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    if (beyond > 0) problems.push(`${beyond} px beyond the window`)
    // Whoever is led to the sign-in page sees the one that is looked at by its own address.
    const led = page.url().includes('/sign-in?next=')
    if (!led) problems.push(...(await violations(page)))
    await page.close()
    return problems
  }
})

const axe = createRequire(import.meta.url).resolve('axe-core')

async function violations(page: Page): Promise<string[]> {
  // The policy of the pages allows no script: this one comes from the test.
  await page.evaluate(await readFile(axe, 'utf8'))
  type Violation = { id: string; nodes: { html: string }[] }
  const found = await page.evaluate<Violation[]>('axe.run().then(({ violations }) => violations)')
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`)
}

function cookiesOf({ browser }: WebPerson, { baseUrl }: TestServer) {
  return [...browser.cookies].map(([name, value]) => ({ name, value, url: baseUrl }))
}

/** Something of everything that pages show. */
async function furnish(server: TestServer, { account, browser }: WebPerson): Promise<Places> {
  const { services } = server.running.open
  const [[, rest]] = doors as [(typeof doors)[number]]
  const owner = await server.person()
  const call = async (tool: string, input: Record<string, unknown>) => {
    const { ok, body, text } = await rest.call(server, owner, tool, input)
    if (!ok) throw new Error(`${tool}: ${text}`)
    return body
  }
  const { team } = await call('create_team', { name: 'A team' })
  const { invite } = await call('invite_team_member', { teamId: team.id, email: account.email })
  const book = await makeBook(server, account, { title: 'A book about pages', content: pagesOf(12) })
  const app = await program(server, { client_name: 'Claude Code' })
  await app.connect(browser)
  await browser.submit('/keys', '/keys', { name: 'Laptop', scopes: ['library:read'] })
  const { key } = await createApiKey(services, account.id, {})
  const report = await rest.call(server, { key }, 'send_report', { title: 'A report', body: 'Something is wrong.' })
  const pathOf = (url: string) => url.replace(server.baseUrl, '')
  return {
    book,
    invite: invite.url.split('/').at(-1),
    report: report.body.id,
    claim: pathOf((await issueLink(services, 'claim', null)).url),
    reset: pathOf((await issueLink(services, 'reset', account.id)).url),
    authorize: pathOf(app.authorizeUrl().href),
    refused: pathOf(app.authorizeUrl({ client_id: 'nobody' }).href),
  }
}
