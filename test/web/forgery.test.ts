import { beforeAll, describe, expect, test } from 'vitest'
import { issueLink } from '../../src/accounts/issue-link.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { hiddenFields, webClient, type WebClient } from '../support/web-client.ts'
import { password, signedInPerson } from '../support/signed-in-person.ts'

/** With this configuration, the account page has the form for search by meaning. No worker runs, so nothing is sent. */
const embeddings = { LECTERN_EMBEDDINGS_URL: 'http://127.0.0.1:9/v1', LECTERN_EMBEDDINGS_MODEL: 'none' }
const server = useTestServer({
  LECTERN_ROLE: 'web',
  LECTERN_SIGNUP: 'open',
  LECTERN_IMPORT_URL: 'https',
  ...embeddings,
})

/** Every form of a signed-in account: page, action and fields. */
const ownForms: [page: string, action: string, fields: Record<string, string>][] = [
  ['/account', '/sign-out', {}],
  [
    '/account',
    '/account/password',
    { current: password, password: 'other words of mine', again: 'other words of mine' },
  ],
  ['/account', '/account/confirm-email/send', {}],
  ['/account', '/account/confirm-email', { token: 'x' }],
  ['/account/email', '/account/email', { email: 'forged@lectern.example', current: password }],
  ['/account', '/account/new-email', { token: 'x' }],
  ['/account', '/account/sessions/end-all', {}],
  ['/account', '/account/meaning-search', { enabled: 'off' }],
  ['/account', '/account/sessions/end', {}],
  ['/keys', '/keys', { name: 'forged', scopes: 'library:read', expires: '' }],
  ['/keys', '/keys/revoke', {}],
  ['/cli-auth?port=8123', '/cli-auth', { port: '8123' }],
  ['/library/usable', '/library/usable', { ids: 'x' }],
  ['/add', '/add', { shelf: '' }],
  ['/add', '/add/url', { url: 'https://books.example/whales.pdf' }],
  ['/add/markdown', '/add/markdown', { title: 'Forged', author: '', content: '# Forged' }],
  ['/imports', '/imports/cancel', { job: 'x' }],
  ['/imports', '/imports/retry', { item: 'x' }],
  ['/imports', '/imports/delete', { item: 'x' }],
  ['/notifications', '/notifications/read', { id: 'x' }],
  ['/notifications', '/notifications/read-all', { until: '2100-01-01T00:00:00.000Z' }],
]

type Attack = (browser: WebClient, action: string, fields: Record<string, string>) => Promise<{ status: number }>

const foreign = { Origin: 'https://evil.example' }

const attacks: [string, Attack][] = [
  ['without a token', (browser, action, { csrf: _, ...fields }) => browser.post(action, fields)],
  ['with an empty token', (browser, action, fields) => browser.post(action, { ...fields, csrf: '' })],
  [
    'with a token of another session',
    async (browser, action, fields) => {
      const other = await signedInPerson(server)
      const { csrf = '' } = hiddenFields((await other.browser.get('/account')).text, '/sign-out')
      return browser.post(action, { ...fields, csrf })
    },
  ],
  [
    'with the token of somebody who is not signed in',
    async (browser, action, fields) => {
      const visitor = webClient(server)
      const { csrf = '' } = hiddenFields((await visitor.get('/sign-in')).text, '/sign-in')
      browser.cookies.set('lectern-form', visitor.cookies.get('lectern-form') as string)
      return browser.post(action, { ...fields, csrf })
    },
  ],
  ['from another origin', (browser, action, fields) => browser.post(action, fields, foreign)],
  ['from an opaque origin', (browser, action, fields) => browser.post(action, fields, { Origin: 'null' })],
  ['from a subdomain', (browser, action, fields) => browser.post(action, fields, { 'Sec-Fetch-Site': 'same-site' })],
  ['across sites', (browser, action, fields) => browser.post(action, fields, { 'Sec-Fetch-Site': 'cross-site' })],
  ['as JSON', (browser, action, fields) => browser.post(action, fields, { 'Content-Type': 'application/json' })],
  ['as plain text', (browser, action, fields) => browser.post(action, fields, { 'Content-Type': 'text/plain' })],
]

describe.for(attacks)('a form that is sent %s', ([, attack]) => {
  test('a forged form changes nothing', async () => {
    const { browser, account } = await signedInPerson(server)
    const { csrf = '' } = hiddenFields((await browser.get('/account')).text, '/sign-out')
    for (const [, action, fields] of ownForms) {
      const { status } = await attack(browser, action, { csrf, ...fields })
      expect([action, status]).toEqual([action, expect.toSatisfy((code: number) => code === 403 || code === 415)])
    }
    const { services } = server.running.opened
    expect(await services.accounts.listKeys(account.id)).toEqual([])
    expect(await services.webSessions.list(account.id, new Date())).toHaveLength(1)
    const kept = (await services.accounts.findWithPassword(account.email))?.password ?? null
    expect((await services.passwords.verify(password, kept)).ok).toBe(true)
  })
})

test('every form on every page has a CSRF token', async () => {
  const { browser } = await signedInPerson(server)
  for (const page of new Set(ownForms.map(([path]) => path))) {
    const { text } = await browser.get(page)
    const forms = text.match(/<form\b[\s\S]*?<\/form>/g) ?? []
    expect(forms.length).toBeGreaterThan(0)
    for (const form of forms) expect(form).toMatch(/method="post"[\s\S]*name="csrf" value="[\w-]{86}"/)
  }
})

/** Setup is always refused, because the server has accounts. */
const visitorForms = [
  ['/sign-in', 403],
  ['/sign-up', 403],
  ['/reset', 403],
  ['/setup', 409],
] as const

describe.for(visitorForms)('the form of %s', ([action, refused]) => {
  const fields = { email: 'new@lectern.example', password, again: password, token: '' }

  beforeAll(async () => {
    const { id } = await server.createPerson()
    if (action !== '/reset') return
    fields.token =
      new URL((await issueLink(server.running.opened.services, 'reset', id)).url).searchParams.get('token') ?? ''
  })

  test('the form is refused without the cookie of its CSRF token', async () => {
    const browser = webClient(server)
    const { csrf = '' } = hiddenFields((await browser.get('/sign-in')).text, '/sign-in')
    browser.cookies.clear()
    expect((await browser.post(action, { ...fields, csrf })).status).toBe(refused)
  })

  test("the form is refused with another browser's CSRF token, with a remedy", async () => {
    const other = webClient(server)
    const { csrf = '' } = hiddenFields((await other.get('/sign-in')).text, '/sign-in')
    const browser = webClient(server)
    await browser.get('/sign-in')
    const answer = await browser.post(action, { ...fields, csrf })
    expect(answer.status).toBe(refused)
    if (refused === 403) expect(answer.text).toContain('Send it again')
    expect(await server.running.opened.services.accounts.byEmail(fields.email)).toBeNull()
  })

  test('the form is refused from another origin', async () => {
    const browser = webClient(server)
    const { csrf = '' } = hiddenFields((await browser.get('/sign-in')).text, '/sign-in')
    const answer = await browser.post(action, { ...fields, csrf }, foreign)
    expect(answer.status).toBe(403)
    expect(answer.text).toContain(server.baseUrl)
  })

  test('the form is refused if it exceeds the size limit', async () => {
    const browser = webClient(server)
    const { csrf = '' } = hiddenFields((await browser.get('/sign-in')).text, '/sign-in')
    const answer = await browser.post(action, { ...fields, csrf, name: 'x'.repeat(40_000) })
    expect(answer.status).toBe(413)
  })
})

test('an expired sign-in form keeps the email address and can be sent again', async () => {
  const { email, browser: first } = await signedInPerson(server)
  await first.submit('/account', '/sign-out', {})
  const browser = webClient(server)
  const stale = await browser.post('/sign-in', { email, password, csrf: 'x' })
  expect(stale.status).toBe(403)
  expect(stale.text).toContain(`value="${email}"`)
  const again = await browser.post('/sign-in', { ...hiddenFields(stale.text, '/sign-in'), email, password })
  expect(again.status).toBe(303)
})

test('a form of an ended session redirects to the sign-in page, which says so and leads back', async () => {
  const { browser, account } = await signedInPerson(server)
  const hidden = hiddenFields((await browser.get('/account')).text, '/account/password')
  await server.running.opened.services.webSessions.endAll(account.id)
  const send = (headers: Record<string, string>) =>
    browser.post('/account/password', { ...hidden, current: password, password: 'x' }, headers)
  for (const [referrer, next] of [
    [`${server.baseUrl}/account?a=b`, '%2Faccount%3Fa%3Db'],
    ['https://evil.example/shelves', '%2Faccount'],
    [`${server.baseUrl}.evil.example/shelves`, '%2Faccount'],
  ] as const) {
    const { location } = await send({ Referer: referrer })
    expect(location).toBe(`/sign-in?next=${next}&done=ended`)
    expect((await browser.get(location ?? '')).text).toContain('what you sent was not saved')
  }
})

describe('every page', () => {
  test('every page forbids framing, loads only its stylesheet and images, and is not cached', async () => {
    const { browser, account } = await signedInPerson(server)
    const { url } = await issueLink(server.running.opened.services, 'reset', account.id)
    const pages = [
      '/',
      '/docs',
      '/connect',
      '/sign-in',
      '/sign-up',
      '/setup',
      url,
      '/account',
      '/keys',
      '/nothing/here',
    ]
    for (const path of [...pages.slice(0, -1), '/cli-auth?port=1', '/library/usable', '/support/x', '/sign-out']) {
      const { headers, text } = await browser.get(path)
      if (path !== '/sign-in') {
        const policy = headers.get('content-security-policy') ?? ''
        expect(policy).toMatch(
          /^default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'/,
        )
        expect(policy).toContain("frame-ancestors 'none'")
        expect(policy).not.toContain('unsafe')
        expect(headers.get('x-frame-options')).toBe('DENY')
        expect(headers.get('x-content-type-options')).toBe('nosniff')
      }
      expect(headers.get('cache-control')).toBe('no-store')
      expect(text).not.toMatch(/<script(?! type="module" src="\/assets\/)|<style| style=| on[a-z]+="/)
    }
  })
})
