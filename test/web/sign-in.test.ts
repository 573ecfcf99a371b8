import { describe, expect, test, vi } from 'vitest'
import { attemptLimits } from '../../src/accounts/attempt-limiter.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { hiddenFields, webClient } from '../support/web-client.ts'
import { accountWithPassword, password, signedInPerson, signIn } from '../support/signed-in-person.ts'

const server = useTestServer({ LECTERN_ROLE: 'web', LECTERN_TRUSTED_PROXIES: '1' })

const wrong = 'The email address or the password is incorrect.'
let addresses = 0

/** A client address that is unique in this file. */
const fromElsewhere = () => ({ 'X-Forwarded-For': `192.0.2.${++addresses}` })

async function tryPassword(email: string, secret: string, headers: Record<string, string> = fromElsewhere()) {
  const browser = webClient(server)
  const hidden = hiddenFields((await browser.get('/sign-in')).text, '/sign-in')
  return browser.post('/sign-in', { ...hidden, email, password: secret }, headers)
}

describe('signing in', () => {
  test('a page opened by another name of this computer leads to its address, because its forms would be refused', async () => {
    const open = (url: string) => fetch(url, { redirect: 'manual' })
    const there = server.baseUrl.replace('127.0.0.1', 'localhost')
    const page = await open(`${there}/sign-in?next=/add`)
    expect([page.status, page.headers.get('location')]).toEqual([303, `${server.baseUrl}/sign-in?next=/add`])
    expect((await open(`${server.baseUrl}/sign-in`)).status).toBe(200)
    expect((await open(`${there}/api/v1/health`)).status).toBe((await open(`${server.baseUrl}/api/v1/health`)).status)
  })

  test('sign-in leads to the account page, which shows who is signed in', async () => {
    const { browser, email } = await signedInPerson(server)
    const page = await browser.get('/account')
    expect(page.status).toBe(200)
    expect(page.text).toContain(email)
    expect((await browser.get('/')).text).toContain('Sign out')
  })

  test('a visitor who followed a link to a page is told why they have to sign in', async () => {
    const words = 'Sign in to continue to the page that you opened.'
    const browser = webClient(server)
    const { location } = await browser.get('/books/some/pages/3')
    expect((await browser.get(location ?? '')).text).toContain(words)
    expect((await browser.get('/sign-in')).text).not.toContain(words)
  })

  test('sign-in accepts the email address in capitals and the password in another Unicode normalization', async () => {
    const { services } = server.running.opened
    const account = await accountWithPassword(server)
    await services.accounts.setPassword(account.id, await services.passwords.hash('caf\u00e9 and more'))
    const answer = await tryPassword(account.email.toUpperCase(), 'cafe\u0301 and more')
    expect(answer.status).toBe(303)
  })

  test.for<[string, () => Promise<string>, string]>([
    ['a wrong password', async () => (await accountWithPassword(server)).email, 'not my password'],
    ['an unknown address', async () => 'nobody@lectern.example', password],
    ['an account without a password', async () => (await server.createPerson()).email, password],
  ])('sign-in responds the same for %s', async ([, address, secret]) => {
    const email = await address()
    const verify = vi.spyOn(server.running.opened.services.passwords, 'verify')
    const answer = await tryPassword(email, secret)
    expect(verify).toHaveBeenCalledTimes(1)
    verify.mockRestore()
    expect(answer.status).toBe(401)
    expect(answer.text).toContain(wrong)
    expect(answer.text).toContain('<title>Error: Sign in')
    expect(answer.text).toContain(`value="${email}"`)
    expect(answer.text).not.toContain(secret)
    expect(answer.setCookies).toEqual([])
  })

  test('sign-in to a suspended account is refused only after its password is checked', async () => {
    const account = await accountWithPassword(server)
    await server.running.opened.services.accounts.change(account.id, { suspendedAt: new Date() })
    expect((await tryPassword(account.email, 'wrong password')).text).toContain(wrong)
    const answer = await tryPassword(account.email, password)
    expect(answer.status).toBe(403)
    expect(answer.text).toContain('suspended')
  })

  test.for([
    ['no address', { email: '', password }, 'Enter an email address', 'email'],
    ['half an address', { email: 'me@', password }, 'Enter an email address', 'email'],
    ['no password', { email: 'a@lectern.example', password: '' }, 'Enter your password', 'password'],
  ] as const)('names the field with %s', async ([, fields, message, field]) => {
    const answer = await webClient(server).submit('/sign-in', '/sign-in', fields)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain(message)
    expect(answer.text).toMatch(new RegExp(`id="${field}"[^>]*aria-invalid="true"`))
    expect(answer.text).toContain(`id="${field}-problem"`)
  })
})

describe('the session', () => {
  test('the session cookie is HttpOnly and SameSite', async () => {
    const account = await accountWithPassword(server)
    const answer = await tryPassword(account.email, password)
    const line = answer.setCookies.find((cookie) => cookie.startsWith('lectern='))
    expect(line).toMatch(/^lectern=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)
  })

  test('the session cookie has the __Host- prefix and is Secure over https', async () => {
    const { createCookies } = await import('../../src/web/cookies.ts')
    const cookies = createCookies('https://lectern.example')
    expect(cookies.setSession('x')).toBe('__Host-lectern=x; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax; Secure')
    expect(cookies.setVisitorToken('x')).toMatch(/^__Host-lectern-form=x; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
    expect(cookies.clearSession()).toMatch(/^__Host-lectern=; Max-Age=0; /)
  })

  test('a session is stored as a hash of its token', async () => {
    const { browser } = await signedInPerson(server)
    const token = browser.cookies.get('lectern') as string
    const rows = await server.running.opened.database.db.collection('webSessions').find().toArray()
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain(token)
  })

  test('a session id is never taken from the browser', async () => {
    const account = await accountWithPassword(server)
    const planted = 'A'.repeat(43)
    const browser = webClient(server, new Map([['lectern', planted]]))
    await signIn(browser, account.email)
    expect(browser.cookies.get('lectern')).not.toBe(planted)
    const attacker = webClient(server, new Map([['lectern', planted]]))
    expect((await attacker.get('/account')).location).toContain('/sign-in')
  })

  test('signing in ends the previous session of the browser', async () => {
    const { browser } = await signedInPerson(server)
    const former = webClient(server, new Map(browser.cookies))
    // The form was loaded before the first sign-in.
    const other = await accountWithPassword(server)
    const visitor = webClient(server, new Map([['lectern-form', browser.cookies.get('lectern-form') as string]]))
    const hidden = hiddenFields((await visitor.get('/sign-in')).text, '/sign-in')
    const answer = await browser.post('/sign-in', { ...hidden, email: other.email, password })
    expect(answer.status).toBe(303)
    expect((await browser.get('/account')).text).toContain(other.email)
    expect((await former.get('/account')).status).toBe(303)
  })

  test('signing out ends the session in the database and in the browser', async () => {
    const { browser } = await signedInPerson(server)
    const copy = webClient(server, new Map(browser.cookies))
    const answer = await browser.submit('/account', '/sign-out', {})
    expect(answer.location).toBe('/sign-in?done=signed-out')
    expect(browser.cookies.has('lectern')).toBe(false)
    expect((await browser.get('/sign-in?done=signed-out')).text).toContain('You are signed out.')
    expect((await copy.get('/account')).status).toBe(303)
  })

  test('a session ends when its account is suspended', async () => {
    const { browser, account } = await signedInPerson(server)
    await server.running.opened.services.accounts.change(account.id, { suspendedAt: new Date() })
    expect((await browser.get('/account')).location).toBe('/sign-in?next=%2Faccount')
    await server.running.opened.services.accounts.change(account.id, { suspendedAt: null })
    expect((await browser.get('/account')).status).toBe(303)
  })

  test('a session and its cookie are extended by use', async () => {
    const { browser, account } = await signedInPerson(server)
    const sessions = server.running.opened.database.db.collection('webSessions')
    const before = new Date(Date.now() - 6 * 60_000)
    const soon = new Date(Date.now() + 60_000)
    await sessions.updateOne({ accountId: account.id }, { $set: { lastSeenAt: before, expiresAt: soon } })
    const answer = await browser.get('/account')
    expect(answer.setCookies.join()).toContain(`lectern=${browser.cookies.get('lectern')}; Max-Age=2592000`)
    const row = await sessions.findOne({ accountId: account.id })
    expect(row?.['expiresAt'].getTime()).toBeGreaterThan(Date.now() + 29 * 24 * 60 * 60_000)
    expect((await browser.get('/account')).setCookies).toEqual([])
  })

  test('an expired session is refused before the database deletes it', async () => {
    const { browser, account } = await signedInPerson(server)
    const sessions = server.running.opened.database.db.collection('webSessions')
    await sessions.updateOne({ accountId: account.id }, { $set: { expiresAt: new Date(Date.now() - 1) } })
    expect((await browser.get('/account')).status).toBe(303)
  })
})

describe('the limits', () => {
  test('exactly ten wrong passwords are checked per email address and client address, also in parallel', async () => {
    const account = await accountWithPassword(server)
    const there = fromElsewhere()
    const attempt = () => tryPassword(account.email, 'wrong password', there)
    const answers = await Promise.all(Array.from({ length: 14 }, attempt))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(attemptLimits.password_network.max)
    expect(statuses.filter((status) => status === 429)).toHaveLength(4)
    const right = await tryPassword(account.email, password, there)
    expect(right.status).toBe(429)
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(14 * 60)
    expect(right.text).toContain('Too many attempts. Try again in 15 minutes.')
  })

  test('the limits are the same for an address without an account', async () => {
    const email = 'nobody-at-all@lectern.example'
    const there = fromElsewhere()
    const answers = await Promise.all(Array.from({ length: 12 }, () => tryPassword(email, 'wrong password', there)))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2)
  })

  test('the limits are reset by the correct password', async () => {
    const account = await accountWithPassword(server)
    const there = fromElsewhere()
    for (let i = 0; i < 9; i++) await tryPassword(account.email, 'wrong password', there)
    expect((await tryPassword(account.email, password, there)).status).toBe(303)
    for (let i = 0; i < 9; i++) expect((await tryPassword(account.email, 'wrong password', there)).status).toBe(401)
    expect((await tryPassword(account.email, password, there)).status).toBe(303)
  })

  test('the limits apply to one client address across accounts', async () => {
    const { attemptLimiter: attempts } = server.running.opened.services
    for (let i = 0; i < attemptLimits.sign_in.max; i++) await attempts.consume('sign_in', '198.51.100.7')
    const account = await accountWithPassword(server)
    const there = { 'X-Forwarded-For': '198.51.100.7' }
    expect((await tryPassword(account.email, password, there)).status).toBe(429)
    const spoofed = { 'X-Forwarded-For': '203.0.113.1, 198.51.100.7' }
    expect((await tryPassword(account.email, password, spoofed)).status).toBe(429)
    expect((await tryPassword(account.email, password)).status).toBe(303)
  })
})

const foreignNext = [
  '//evil.example/',
  '/\\evil.example/',
  'https://evil.example/',
  'javascript:alert(1)',
  '/\t/evil.example',
  '\\/evil.example',
  '/.//evil.example',
  '@evil.example',
  'evil.example',
  '',
]

describe('the page after sign-in', () => {
  test('a page that needs a sign-in is shown after it, with its query string', async () => {
    const account = await accountWithPassword(server)
    const browser = webClient(server)
    const { location } = await browser.get('/keys?done=revoked')
    expect(location).toBe('/sign-in?next=%2Fkeys%3Fdone%3Drevoked')
    expect((await signIn(browser, account.email, password, location as string)).location).toBe('/keys?done=revoked')
  })

  test.for(foreignNext)('the next URL %j stays on this server', async (next) => {
    const account = await accountWithPassword(server)
    const browser = webClient(server)
    const page = `/sign-in?next=${encodeURIComponent(next)}`
    const answer = await signIn(browser, account.email, password, page)
    const target = new URL(answer.headers.get('location') as string)
    expect(target.origin).toBe(server.baseUrl)
    expect((await browser.get(page)).headers.get('location')).toBe(target.href)
  })
})
