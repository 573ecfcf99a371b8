import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { maxLiveKeys } from '../../src/accounts/key-slot-store.ts'
import { attemptLimits } from '../../src/accounts/attempt-limiter.ts'
import { recentPasswordMs } from '../../src/accounts/recent-password.ts'
import { maxSessionAgeMs } from '../../src/accounts/web-session-store.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { hiddenFields, webClient, type Fields, type WebClient } from '../support/web-client.ts'
import { password, signedInPerson, type WebPerson } from '../support/signed-in-person.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
const dayMs = 24 * 60 * 60 * 1000

/** Changes a session so that it began earlier. */
async function age({ account }: WebPerson, ms: number, fields: object = {}): Promise<void> {
  const createdAt = new Date(Date.now() - ms)
  const sessions = server.running.opened.database.db.collection('webSessions')
  await sessions.updateMany({ accountId: account.id }, { $set: { createdAt, ...fields } })
}

const keysOf = async ({ account }: WebPerson) =>
  (await server.running.opened.services.accounts.listKeys(account.id)).length

const wanted: Fields = { name: 'Mine now', scopes: ['library:read'] }

async function postKey({ browser }: WebPerson) {
  const csrf = /name="csrf-token" content="([^"]+)"/.exec((await browser.get('/keys')).text)?.[1] ?? ''
  const response = await fetch(`${server.baseUrl}/api/v1/auth/keys`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-CSRF-Token': csrf,
      Cookie: `lectern=${browser.cookies.get('lectern')}`,
    },
    body: JSON.stringify({ name: 'Mine now' }),
  })
  return { status: response.status, body: (await response.json()) as { error: string; code: string } }
}

describe('a session whose password was checked long ago', () => {
  let person: WebPerson
  beforeEach(async () => {
    person = await signedInPerson(server)
    await age(person, recentPasswordMs)
  })

  test('cannot create a key on the page without the password', async () => {
    const { browser } = person
    expect((await browser.get('/keys')).text).toContain('Current password')
    const answer = await browser.submit('/keys', '/keys', wanted)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('Enter your current password.')
    expect((await browser.submit('/keys', '/keys', { ...wanted, current: 'a wrong guess' })).status).toBe(400)
    expect(await keysOf(person)).toBe(0)
    const made = await browser.submit('/keys', '/keys', { ...wanted, current: password })
    expect([made.status, made.text.includes('Current password')]).toEqual([200, false])
    expect((await browser.submit('/keys', '/keys', wanted)).status).toBe(200)
    expect(await keysOf(person)).toBe(2)
  })

  test('can send the form again after a problem that was found once the password was checked', async () => {
    const { browser, account } = person
    const { services } = server.running.opened
    const made = []
    for (let i = 0; i < maxLiveKeys; i++) made.push(await createApiKey(services, account.id, {}))
    const full = await browser.submit('/keys', '/keys', { ...wanted, current: password })
    expect(full.status).toBe(403)
    await services.accounts.revokeKey(account.id, made[0]?.id ?? '', new Date())
    expect((await browser.post('/keys', { ...hiddenFields(full.text, '/keys'), ...wanted })).status).toBe(200)
  })

  test('cannot give a key to a program without the password', async () => {
    const { browser } = person
    const page = '/cli-auth?port=8123&state=s'
    const refused = await browser.submit(page, '/cli-auth', {})
    expect([refused.status, refused.location]).toEqual([400, null])
    expect(hiddenFields(refused.text, '/cli-auth')).toMatchObject({ port: '8123', state: 's' })
    expect(await keysOf(person)).toBe(0)
    const answer = await browser.submit(page, '/cli-auth', { current: password })
    expect(answer.location).toMatch(/^http:\/\/127\.0\.0\.1:8123\/callback\?key=lectern_\w+&state=s$/)
  })

  test('creates no key over REST until the password is confirmed', async () => {
    const { browser } = person
    const refused = await postKey(person)
    expect(refused).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } })
    expect(refused.body.error).toContain(`${server.baseUrl}/account/confirm`)
    const confirm = { current: password, next: '/keys' }
    expect((await browser.submit('/account/confirm', '/account/confirm', confirm)).location).toBe('/keys')
    expect((await postKey(person)).status).toBe(201)
  })

  test('cannot guess the password: wrong ones count as at a sign-in', async () => {
    const { browser } = person
    const statuses = []
    for (let i = 0; i <= attemptLimits.password_browser.max; i++) {
      const page = ['/keys', '/cli-auth?port=1', '/account/confirm'][i % 3] as string
      statuses.push(
        (await browser.submit(page, page.split('?')[0] as string, { ...wanted, current: 'a guess' })).status,
      )
    }
    expect(statuses.at(-2)).toBe(400)
    expect(statuses.at(-1)).toBe(429)
    expect((await browser.submit('/keys', '/keys', { ...wanted, current: password })).status).toBe(429)
  })

  test('does not redirect to another server after confirmation', async () => {
    const next = 'https://elsewhere.example/'
    const answer = await person.browser.submit('/account/confirm', '/account/confirm', { current: password, next })
    expect(answer.location).toBe('/')
  })
})

describe('a copy of the cookie of a session', () => {
  let person: WebPerson
  let thief: WebClient
  beforeEach(async () => {
    person = await signedInPerson(server)
    await age(person, recentPasswordMs)
    thief = webClient(server, new Map(person.browser.cookies))
    expect((await thief.get('/account')).status).toBe(200)
  })

  const fresh = { password: 'some other words', again: 'some other words' }
  test.for<[action: string, page: string, fields: Fields]>([
    ['changes it', '/account', { ...fresh, current: password }],
    ['confirms it', '/account/confirm', { current: password }],
    ['creates a key with it', '/keys', { ...wanted, current: password }],
    ['gives a key to a program with it', '/cli-auth?port=8123', { current: password }],
  ])('is of no use after its owner enters the password and %s', async ([, page, fields]) => {
    const { browser } = person
    const { pathname } = new URL(page, server.baseUrl)
    const answer = await browser.submit(page, pathname === '/account' ? '/account/password' : pathname, fields)
    expect(answer.status).toBeLessThan(400)
    expect((await thief.get('/account')).location).toContain('/sign-in')
    expect((await browser.get('/keys')).text).not.toContain('Current password')
    expect((await browser.submit('/keys', '/keys', wanted)).status).toBe(200)
  })

  test('the page of a new key has forms of the new session', async () => {
    const { browser } = person
    const { text } = await browser.submit('/keys', '/keys', { ...wanted, current: password })
    expect((await browser.post('/sign-out', hiddenFields(text, '/sign-out'))).location).toBe('/sign-in?done=signed-out')
  })
})

test('a fresh sign-in needs no confirmation', async () => {
  const person = await signedInPerson(server)
  expect((await person.browser.get('/keys')).text).not.toContain('Current password')
  expect((await person.browser.submit('/keys', '/keys', wanted)).status).toBe(200)
  expect((await postKey(person)).status).toBe(201)
})

describe('a session has a maximum lifetime', () => {
  test('it ends 90 days after the sign-in, even if it is used every day', async () => {
    const person = await signedInPerson(server)
    await age(person, maxSessionAgeMs - dayMs)
    expect((await person.browser.get('/account')).status).toBe(200)
    await age(person, maxSessionAgeMs)
    expect((await person.browser.get('/account')).location).toContain('/sign-in')
    const { webSessions, now } = server.running.opened.services
    expect(await webSessions.list(person.account.id, now())).toEqual([])
  })

  test('its use does not extend it beyond that day', async () => {
    const person = await signedInPerson(server)
    await age(person, maxSessionAgeMs - dayMs, { lastSeenAt: new Date(Date.now() - 60 * 60_000), expiresAt: soon() })
    expect((await person.browser.get('/account')).status).toBe(200)
    const sessions = server.running.opened.database.db.collection('webSessions')
    const row = await sessions.findOne({ accountId: person.account.id })
    const left = row?.['expiresAt'].getTime() - Date.now()
    expect(left / dayMs).toBeCloseTo(1, 1)
  })
})

const soon = () => new Date(Date.now() + 60_000)
