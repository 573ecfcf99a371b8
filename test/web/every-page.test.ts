import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { issueLink } from '../../src/accounts/issue-link.ts'
import { chromiumNeed, describeWith, launchBrowser } from '../support/system-needs.ts'
import { rest } from '../support/transports.ts'
import { makeBook, markdownPages } from '../support/make-book.ts'
import { mountedPaths } from '../support/mounted-pages.ts'
import { makeUnfinishedBook } from '../support/unfinished-book.ts'
import { publishBook } from '../support/marketplace.ts'
import { makeShelf } from '../support/shelves.ts'
import { registerProgram } from '../support/oauth.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { startSmtpServer, type SmtpServer } from '../support/smtp-server.ts'
import { hiddenFields } from '../support/web-client.ts'
import { password, signedInPerson, type WebPerson } from '../support/signed-in-person.ts'

/** Values for the parameters of page paths. */
interface Places {
  book: string
  /** A book whose import is still running. */
  unfinished: string
  /** A team that the signed-in account owns. */
  team: string
  invite: string
  /** The token of the same invitation, as it was mailed. */
  mailed: string
  report: string
  claim: string
  reset: string
  signUp: string
  /** The token that confirms the address of the signed-in account. */
  confirm: string
  /** The token that gives the signed-in account another address. */
  newEmail: string
  /** An authorization request; redirects to the consent page. */
  authorize: string
  /** As `authorize`, for an unknown client. */
  refused: string
  /** As `authorize`, for an untrusted website with an invalid request. */
  held: string
}

/** A tested path, with its status if it is not 200. */
type Address = string | readonly [address: string, status: number]

/** Every page route with its tested paths. */
const pages: Record<string, (places: Places) => Address[]> = {
  '/': () => ['/'],
  '/docs': () => ['/docs', '/docs?q=shelf'],
  // A guide with tables and a group of operations. The other pages have the same parts.
  '/docs/:page': () => ['/docs/limits', '/docs/shelves', ['/docs/nothing', 404]],
  // Used by the script of the pages above.
  '/docs/search.json': () => [],
  '/connect': () => ['/connect'],
  '/plans': () => ['/plans'],
  // Redirects to /plans.
  '/billing': () => [],
  '/:scheme{https?:}/*': () => [['/https://elsewhere.example/', 404]],
  '/report': () => ['/report'],
  '/setup': ({ claim }) => [[claim, 409]],
  '/sign-in': () => ['/sign-in', '/sign-in?done=reset', '/sign-in?done=closed'],
  '/sign-up': () => ['/sign-up', '/sign-up?done=sent', ['/sign-up?token=useless', 403]],
  '/sign-up/confirm': ({ signUp }) => [signUp, ['/sign-up/confirm?token=useless', 404]],
  '/sign-out': () => ['/sign-out'],
  '/reset': ({ reset }) => ['/reset', '/reset?done=asked', reset, ['/reset?token=useless', 404]],
  '/activity': () => ['/activity', '/activity?days=365'],
  '/account': () => ['/account', '/account?done=password'],
  '/account/confirm': () => ['/account/confirm', '/account/confirm?next=/cli-auth'],
  '/account/confirm-email': ({ confirm }) => [confirm, ['/account/confirm-email?token=useless', 404]],
  '/account/email': () => ['/account/email'],
  '/account/new-email': ({ newEmail }) => [newEmail, ['/account/new-email?token=useless', 404]],
  // Returns a file.
  '/account/export': () => [],
  '/account/delete': () => ['/account/delete'],
  '/keys': () => ['/keys', '/keys?done=revoked'],
  '/connections': () => ['/connections'],
  '/admin/server': () => ['/admin/server'],
  '/admin/audit': () => ['/admin/audit', '/admin/audit?type=sign_in'],
  '/cli-auth': () => ['/cli-auth?port=8123', ['/cli-auth', 400]],
  '/library': () => ['/library', '/library?view=list&sort=title', '/library?show=attention', '/library?title=nowhere'],
  '/library/usable': () => ['/library/usable'],
  '/shelves': () => ['/shelves', '/shelves?done=created'],
  '/discover': () => ['/discover', '/discover?q=nowhere'],
  '/teams': () => ['/teams', '/teams?done=leave'],
  '/teams/:id': ({ team }) => [`/teams/${team}`, ['/teams/nothing', 404]],
  '/add': () => ['/add'],
  '/add/markdown': () => ['/add/markdown'],
  '/library/manuscripts': () => ['/library/manuscripts', '/library/manuscripts?from=30'],
  '/library/deleted': () => ['/library/deleted', '/library/deleted?done=erased'],
  '/imports': () => ['/imports', '/imports?done=cancel'],
  '/notifications': () => ['/notifications', '/notifications?show=unread', ['/notifications?cursor=x', 400]],
  // Used by scripts: an event stream, a fragment and a number.
  '/imports/events': () => [],
  '/notifications/menu': () => [],
  '/notifications/unread': () => [],
  '/support': () => ['/support', '/support?before=0'],
  '/support/:id': ({ report }) => [`/support/${report}`, ['/support/nothing', 404]],
  '/invites': () => ['/invites'],
  '/invites/:token': ({ invite }) => [`/invites/${invite}`],
  '/invites/:token/sign-up': ({ invite, mailed }) => [
    `/invites/${mailed}/sign-up`,
    [`/invites/${invite}/sign-up`, 403],
  ],
  '/books/:id': ({ book, unfinished }) => [`/books/${book}`, `/books/${unfinished}`],
  // Return files.
  '/books/:id/download': () => [],
  '/books/:id/export': () => [],
  '/books/:id/details': ({ book }) => [`/books/${book}/details`],
  '/books/:id/pages/:page': ({ book, unfinished }) => [
    `/books/${book}/pages/1`,
    `/books/${book}/pages/1?as=stored`,
    `/books/${unfinished}/pages/1`,
    `/books/${unfinished}/pages/9`,
  ],
  // Used by the script of the pages of an unfinished book.
  '/books/:id/unfinished': () => [],
  '/books/:id/find': ({ book }) => [`/books/${book}/find`, `/books/${book}/find?q=text`, `/books/${book}/find?q=zzz`],
  // Redirects to the page.
  '/books/:id/go': ({ book }) => [[`/books/${book}/go?page=999`, 404]],
  '/books/:id/edit': ({ book }) => [`/books/${book}/edit`],
  '/books/:id/edit/:place': ({ book }) => [
    `/books/${book}/edit/2`,
    `/books/${book}/edit/3?draft=1`,
    `/books/${book}/edit/3`,
    `/books/${book}/edit/end`,
    [`/books/${book}/edit/99`, 404],
  ],
  '/books/:id/versions': ({ book }) => [
    `/books/${book}/versions`,
    `/books/${book}/versions?done=restored&version=2&from=1`,
  ],
  '/books/:id/versions/compare': ({ book }) => [`/books/${book}/versions/compare?from=1&to=2`],
  // Return pictures.
  '/books/:id/pages/:page/picture': () => [],
  '/books/:id/cover': () => [],
  '/books/:id/pages/:page/figures/:figure': () => [],
  '/search': ({ book }) => [
    '/search',
    '/search?q=page',
    '/search?q=page&books=own',
    '/search?q=nothingofthatkind',
    `/search?like=${book}:1`,
    ['/search?like=nothing:1', 404],
  ],
  // Returns a part of the page above.
  '/search/results': () => [],
  '/oauth/interaction/:uid': ({ authorize, refused, held }) => [
    authorize,
    `${authorize}&prompt=login`,
    `${authorize}&prompt=select_account`,
    [refused, 400],
    [held, 400],
  ],
  '/*': () => [['/no/such/page', 404]],
  // Redirects to the page above.
  '/oauth/interaction/:uid/sign-in': () => [],
}

let server: TestServer
let smtp: SmtpServer
let person: WebPerson
let places: Places

beforeAll(async () => {
  smtp = await startSmtpServer()
  server = await startTestServer({
    LECTERN_ROLE: 'web',
    LECTERN_SIGNUP: 'open',
    LECTERN_SMTP_URL: smtp.url,
    LECTERN_IMPORT_URL: 'https',
  })
  person = await signedInPerson(server, { name: 'Ada Lovelace', admin: true })
  places = await furnish(person)
})
afterAll(async () => {
  await server?.close()
  await smtp?.close()
})

test('every mounted page is tested', () => {
  expect(mountedPaths(server, 'GET')).toEqual(Object.keys(pages).toSorted())
})

/** Rules of axe about colours. */
const colourRules = ['color-contrast', 'link-in-text-block']

/** Rules about sizes and colours. A wide page shows other elements, so its colours are checked too. */
const sizeRules = [...colourRules, 'target-size', 'scrollable-region-focusable', 'meta-viewport']

/** Sizes and colour schemes, each with the rules of axe whose results can differ there. */
const looks = [
  [[320, 'light'], 'all'],
  [[320, 'dark'], colourRules],
  [[1280, 'dark'], colourRules],
  [[1280, 'light'], sizeRules],
] as const

describeWith(chromiumNeed)('every page in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  const everyAddress = () => Object.values(pages).flatMap((addresses) => addresses(places))

  async function open(who: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserContext> {
    const context = await browser.newContext(options)
    onTestFinished(() => context.close())
    if (who === 'signed in') await context.addCookies([sessionOf(person)])
    return context
  }

  test.for(['signed in', 'signed out'])(
    '%s, narrow and wide, light and dark: accessible, nothing remote, nothing cut off',
    { timeout: 400_000 },
    async (who) => {
      const context = await open(who)
      const wrong: Record<string, string[]> = {}
      const { page, problems } = await watch(context)
      for (const address of everyAddress()) {
        const [path, status] = typeof address === 'string' ? [address, 200] : address
        // These pages differ only in their headers.
        if (path.startsWith('/docs/') && who === 'signed out') continue
        const answer = await page.goto(server.baseUrl + path)
        // Other pages redirect to the sign-in page, which is tested at its own path.
        const led = page.url().includes('/sign-in?next=')
        if (!led && answer?.status() !== status && page.url() !== `${server.baseUrl}/`) {
          problems.push(`status ${answer?.status()}`)
        }
        const policy = answer?.headers()['content-security-policy'] ?? ''
        if (!policy.includes("default-src 'none'") || policy.includes('unsafe')) problems.push(`policy: ${policy}`)
        if (!led) problems.push(...(await problemsOf(page)))
        if (problems.length > 0) wrong[path] = problems.splice(0)
      }
      expect(wrong).toEqual({})
    },
  )

  test('on a touch screen, no field has letters below 16 px, for which Safari would enlarge the page', async () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
    const page = await (await open('signed in', phone)).newPage()
    const small: Record<string, string[]> = {}
    for (const address of everyAddress()) {
      const path = typeof address === 'string' ? address : address[0]
      await page.goto(server.baseUrl + path)
      const found = await page.evaluate<string[]>(smallFields)
      if (found.length > 0) small[path] = found
    }
    expect(small).toEqual({})
  })

  test('on a touch screen, what is not part of a text is at least 44 px high', async () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
    const page = await (await open('signed in', phone)).newPage()
    const low: Record<string, string[]> = {}
    for (const path of [
      '/',
      '/library/manuscripts',
      '/search?q=page',
      '/discover',
      '/shelves',
      '/add',
      '/teams',
      '/account',
      '/keys',
    ]) {
      await page.goto(server.baseUrl + path)
      const found = await page.evaluate<string[]>(lowTargets)
      if (found.length > 0) low[path] = found
    }
    expect(low).toEqual({})
  })

  /** Forms that are submitted, and a text on the page afterwards. */
  const filled: [string, string, (page: Page) => Promise<unknown>, string][] = [
    [
      '/sign-in',
      'signed out',
      async (page) => {
        await page.getByLabel('Email address').fill('nobody@lectern.example')
        await page.getByLabel('Password').fill(password)
        await page.getByRole('button', { name: 'Sign in' }).click()
      },
      'is incorrect',
    ],
    [
      '/reset',
      'signed out',
      async (page) => {
        await page.getByLabel('Email address').fill('nobody@nowhere')
        await page.getByRole('button', { name: 'Send reset link' }).click()
      },
      'Enter an email address',
    ],
    [
      '/account/delete',
      'signed in',
      async (page) => {
        await page.getByLabel('Current password').fill('not mine at all')
        await page.getByRole('button', { name: 'Delete account' }).click()
      },
      'This is not your current password.',
    ],
    [
      '/keys',
      'signed in',
      async (page) => {
        await page.getByLabel('Name').fill('Nothing')
        for (const box of await page.getByRole('checkbox').all()) await box.uncheck()
        await page.getByRole('button', { name: 'Create key' }).click()
      },
      'Select at least one permission',
    ],
    [
      '/keys',
      'signed in',
      async (page) => {
        await page.getByLabel('Name').fill('Made just now')
        await page.getByRole('button', { name: 'Create key' }).click()
      },
      'it will not be shown again',
    ],
    [
      '/sign-in',
      'signed in',
      async (page) => {
        await page.goto(server.baseUrl + places.authorize)
        await page.getByRole('link', { name: 'Use another account' }).click()
        await page.getByLabel('Email address').fill('nobody@lectern.example')
        await page.getByLabel('Password').fill(password)
        await page.getByRole('button', { name: 'Sign in' }).click()
      },
      'is incorrect',
    ],
    [
      '/account',
      'signed in',
      async (page) => {
        await page.goto(`${server.baseUrl}/books/${places.book}/edit/2`)
        await page.evaluate("document.querySelector('[name=version]').value = '1'")
        await page.getByRole('textbox', { name: 'Text' }).fill('# Page 2\n\nby a person\n')
        await page.getByRole('button', { name: 'Save', exact: true }).click()
      },
      'was changed in the meantime',
    ],
    [
      '/connect',
      'signed in',
      async (page) => {
        for (const fold of await page.locator('main summary').all()) await fold.click()
      },
      'bearer-token-env-var',
    ],
  ]

  test.for(filled)('%s, %s, with submitted forms: accessible, nothing cut off', { timeout: 60_000 }, async (form) => {
    const [path, who, fill, words] = form
    const { page, problems } = await watch(await open(who))
    await page.goto(server.baseUrl + path)
    await fill(page)
    await page.getByText(words).first().waitFor()
    expect([...problems, ...(await problemsOf(page))]).toEqual([])
  })

  test('without JavaScript every page shows its heading, and its buttons work', { timeout: 60_000 }, async () => {
    const page = await (await open('signed in', { javaScriptEnabled: false })).newPage()
    for (const address of everyAddress()) {
      const path = typeof address === 'string' ? address : address[0]
      await page.goto(server.baseUrl + path)
      expect(await page.locator('h1').isVisible(), path).toBe(true)
      expect(await page.locator('button[disabled]').count(), path).toBe(0)
    }
  })

  /** A browser page that records problems while loading. */
  async function watch(context: BrowserContext): Promise<{ page: Page; problems: string[] }> {
    const page = await context.newPage()
    // The content security policy allows no scripts, so the test injects this one and runs it when needed.
    await page.addInitScript(`globalThis.loadAxe = () => {\n${await axeSource}\n}`)
    const problems: string[] = []
    // The console also reports a status of 400 or more.
    page.on('console', (message) => {
      if (!message.text().startsWith('Failed to load resource')) problems.push(`console: ${message.text()}`)
    })
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('request', (request) => {
      if (!request.url().startsWith(server.baseUrl)) problems.push(`remote: ${request.url()}`)
    })
    return { page, problems }
  }
})

/** Returns the problems of a loaded page, in every size and colour scheme. */
async function problemsOf(page: Page): Promise<string[]> {
  const problems: string[] = []
  const parts = await page.evaluate<Record<'inline' | 'headings' | 'invalid', number>>(`loadAxe()\n;${countParts}`)
  if (parts.inline > 0) problems.push('inline')
  if (parts.headings !== 1) problems.push('not one h1')
  if (parts.invalid > 0) problems.push('a field that screen readers call invalid before it is filled in')
  for (const [[width, colorScheme], rules] of looks) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    const found = await page.evaluate<string[]>(problemsOfLook(rules))
    problems.push(...found.map((one) => `${width} ${colorScheme}: ${one}`))
  }
  return problems
}

const axeSource = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** A script that returns the HTML of fields for typing with letters below 16 px. */
const smallFields = `[...document.querySelectorAll('input, select, textarea')]
  .filter(({ type }) => !['hidden', 'checkbox', 'radio', 'file', 'color', 'submit'].includes(type))
  .filter((field) => parseFloat(getComputedStyle(field).fontSize) < 16)
  .map(({ outerHTML }) => outerHTML.slice(0, 200))`

/** A script that returns the HTML of links, buttons and fields, other than those in lines of text, that are lower than 44 px. */
const lowTargets = `[...document.querySelectorAll('a, button, summary, select, label.tick, input')]
  .filter((target) => !target.matches('.skip, [type="checkbox"], [type="radio"], [type="hidden"], [type="file"]'))
  .filter((target) => getComputedStyle(target).display !== 'inline')
  .filter((target) => { const { width, height } = target.getBoundingClientRect(); return width > 2 && height > 2 && height < 43.5 })
  .map(({ outerHTML }) => outerHTML.slice(0, 200))`

const countParts = `({
  inline: document.querySelectorAll('script:not([src^="/assets/"]), style, [style], [onclick], img:not([src^="/"])').length,
  headings: document.querySelectorAll('h1').length,
  invalid: document.querySelectorAll('input:invalid:not([aria-invalid]), textarea:invalid:not([aria-invalid])').length
})`

/** Makes a script that returns which elements are cut off and what axe finds. */
function problemsOfLook(rules: readonly string[] | 'all'): string {
  const options = {
    resultTypes: ['violations'],
    ...(rules === 'all' ? {} : { preload: false, runOnly: { type: 'rule', values: rules } }),
  }
  return `(async () => {
    const beyond = document.documentElement.scrollWidth - innerWidth
    const { violations } = await axe.run(${JSON.stringify(options)})
    return [
      ...(beyond > 0 ? [beyond + ' px beyond the window'] : []),
      ...violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 200)).join(' | ')),
    ]
  })()`
}

/** Only the session cookie: cookies of finished authorizations interfere with new ones. */
function sessionOf({ browser }: WebPerson) {
  return { name: 'lectern', value: browser.cookies.get('lectern') ?? '', url: server.baseUrl }
}

/** Creates test data for every page. */
async function furnish({ account, browser }: WebPerson): Promise<Places> {
  const { services } = server.running.opened
  const owner = await server.createPerson()
  const call = async (tool: string, input: Record<string, unknown>) => {
    const { ok, body, text } = await rest.call(server, owner, tool, input)
    if (!ok) throw new Error(`${tool}: ${text}`)
    return body
  }
  const { team } = await call('create_team', { name: 'A team' })
  const { invite } = await call('invite_team_member', { teamId: team.id, email: account.email })
  // The longest title that there can be is one word.
  const book = await makeBook(server, account, { title: 'Pages'.repeat(40), content: markdownPages(12) })
  const deleted = await makeBook(server, account, { title: 'A deleted book' })
  await browser.post('/library/delete', {
    ...hiddenFields((await browser.get('/account')).text, '/sign-out'),
    ids: deleted,
  })
  const app = await registerProgram(server, { client_name: 'Claude Code' })
  await app.connect(browser)
  const site = await registerProgram(server, { client_name: 'A website', redirect_uris: ['https://site.example/back'] })
  await browser.submit('/keys', '/keys', { name: 'Laptop', scopes: ['library:read'] })
  const { key } = await createApiKey(services, account.id, {})
  const own = await rest.call(server, { key }, 'create_team', { name: 'My team' })
  await rest.call(server, { key }, 'create_department', { teamId: own.body.team.id, name: 'Research' })
  await makeShelf(server, account, 'A shelf')
  await publishBook(server, await server.createPerson({ plan: 'PRO' }), {
    title: 'A published book',
    terms: { tags: ['paper'] },
  })
  await rest.call(server, { key }, 'create_manuscript', { title: 'Kept'.repeat(50), itemId: book })
  const report = await rest.call(server, { key }, 'send_report', { title: 'A report', body: 'Something is wrong.' })
  await rest.call(server, { key }, 'put_item_page', { id: book, pageNum: 2, content: '# Page 2\n\nby an agent\n' })
  const draft = { accountId: account.id, itemId: book, place: '3', content: '# Page 3\n\ntyped\n', version: 1 }
  await services.drafts.save({ ...draft, revision: 'r', at: services.now() }, null)
  const unfinished = await makeUnfinishedBook(server, account, { total: 12 })
  await unfinished.show('# One\n\nThe first page.', 'The second page.')
  const locked = await makeUnfinishedBook(server, account, { title: 'A locked book' })
  await locked.fail('ENCRYPTED')
  const pathOf = (url: string) => url.replace(server.baseUrl, '')
  return {
    book,
    unfinished: unfinished.id,
    team: own.body.team.id,
    invite: invite.url.split('/').at(-1),
    mailed: services.inviteTokens.tokenFor(invite.id, 'mailed'),
    report: report.body.id,
    claim: pathOf((await issueLink(services, 'claim', null)).url),
    reset: pathOf((await issueLink(services, 'reset', account.id)).url),
    signUp: pathOf((await issueLink(services, 'sign_up', { email: 'new@lectern.example' })).url),
    confirm: pathOf((await issueLink(services, 'confirm', account.id)).url),
    newEmail: pathOf(
      (await issueLink(services, 'change_email', { accountId: account.id, email: 'other@lectern.example' })).url,
    ),
    authorize: pathOf(app.authorizeUrl().href),
    refused: pathOf(app.authorizeUrl({ client_id: 'nobody' }).href),
    held: pathOf(site.authorizeUrl({ resource: 'https://elsewhere.example/' }).href),
  }
}
