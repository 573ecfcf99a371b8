import { describe, expect, test } from 'vitest'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { attemptLimits } from '../../src/accounts/attempt-limiter.ts'
import { send } from '../support/transports.ts'
import { newId } from '../../src/core/ids.ts'
import { plansEnvironment } from '../support/plans-environment.ts'
import { seedBooks } from '../support/seed-books.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { hiddenFields, webClient, type WebClient } from '../support/web-client.ts'
import { password, signedInPerson, signIn } from '../support/signed-in-person.ts'

const server = useTestServer({ LECTERN_ROLE: 'web', ...(await plansEnvironment({ tier: 'TWO', itemLimit: 2 })) })

const fresh = 'some other words'

function change(browser: WebClient, fields: Record<string, string>) {
  return browser.submit('/account', '/account/password', {
    current: password,
    password: fresh,
    again: fresh,
    ...fields,
  })
}

describe('the password', () => {
  test('changing the password signs out other browsers', async () => {
    const { browser, email } = await signedInPerson(server)
    const other = webClient(server)
    await signIn(other, email)
    expect((await change(browser, {})).location).toBe('/account?done=password')
    expect((await browser.get('/account?done=password')).text).toContain('Password changed')
    expect((await other.get('/account')).status).toBe(303)
    expect((await signIn(webClient(server), email)).status).toBe(401)
    expect((await signIn(webClient(server), email, fresh)).status).toBe(303)
  })

  test.for([
    ['a wrong current one', { current: 'not mine at all' }, 'current', 'not your current password'],
    ['no current one', { current: '' }, 'current', 'Enter your current password'],
    ['a short one', { password: 'short', again: 'short' }, 'password', 'at least 8 characters'],
    ['two that differ', { again: 'else' }, 'again', 'The passwords do not match'],
  ] as const)('the password stays unchanged with %s', async ([, fields, field, message]) => {
    const { browser, email } = await signedInPerson(server)
    const answer = await change(browser, fields)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain(message)
    expect(answer.text).toMatch(new RegExp(`id="${field}"[^>]*aria-invalid="true"`))
    expect((await signIn(webClient(server), email)).status).toBe(303)
  })

  test('the current password cannot be guessed in an open browser', async () => {
    const { browser } = await signedInPerson(server)
    for (let i = 0; i < attemptLimits.password_browser.max; i++) await change(browser, { current: 'not mine at all' })
    expect((await change(browser, {})).status).toBe(429)
  })
})

describe('the name', () => {
  const rename = (browser: WebClient, name: string) => browser.submit('/account', '/account/name', { name })

  test('can be changed, also for a client and for teams', async () => {
    const { browser, account } = await signedInPerson(server)
    expect(await rename(browser, '  Anna <b> Lind ')).toMatchObject({ status: 303, location: '/account?done=name' })
    const { text } = await browser.get('/account?done=name')
    expect(text).toContain('Name changed.')
    expect(text).toContain('<span class="account-name">Anna &lt;b&gt; Lind</span>')
    expect(text).toMatch(/id="name"[^>]*value="Anna &lt;b&gt; Lind"/)
    const { services } = server.running.opened
    const { key } = await createApiKey(services, account.id, {})
    expect((await send(server, key, { method: 'GET', path: '/api/v1/auth/whoami' })).body.name).toBe('Anna <b> Lind')
  })

  test.for([
    ['an empty one', ' ', 'Enter your name.'],
    ['a line end', 'Anna\nLind', 'must be one line'],
    ['an invisible character', 'Anna\u202eLind', 'must be one line'],
    ['201 characters', 'a'.repeat(201), 'at most 200 characters'],
  ] as const)('stays unchanged with %s', async ([, name, message]) => {
    const { browser, account } = await signedInPerson(server)
    const answer = await rename(browser, name)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain(message)
    expect(answer.text).toMatch(/id="name"[^>]*aria-invalid="true"/)
    expect(answer.text).not.toMatch(/id="current"[^>]*aria-invalid="true"/)
    expect((await server.running.opened.services.accounts.byId(account.id))?.name).toBe(account.name)
  })
})

describe('the sessions', () => {
  test('sessions are listed by browser, and one can be signed out', async () => {
    const { browser, email, account } = await signedInPerson(server)
    const other = webClient(server)
    const hidden = hiddenFields((await other.get('/sign-in')).text, '/sign-in')
    const firefox = { 'User-Agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; rv:140.0) Gecko/20100101 Firefox/140.0' }
    await other.post('/sign-in', { ...hidden, email, password }, firefox)
    const { text } = await browser.get('/account')
    expect(text).toContain('Firefox on Windows')
    expect(text.match(/>This browser</g)).toHaveLength(1)
    const list = await server.running.opened.services.webSessions.list(account.id, new Date())
    const ended = list.find(({ userAgent }) => userAgent?.includes('Firefox'))?.id as string
    const answer = await browser.submit('/account', '/account/sessions/end', { id: ended })
    expect(answer.location).toBe('/account?done=session')
    expect((await other.get('/account')).status).toBe(303)
    expect((await browser.get('/account')).status).toBe(200)
  })

  test('a session of another account cannot be ended', async () => {
    const [mine, theirs] = [await signedInPerson(server), await signedInPerson(server)]
    const [session] = await server.running.opened.services.webSessions.list(theirs.account.id, new Date())
    const answer = await mine.browser.submit('/account', '/account/sessions/end', { id: session?.id as string })
    expect(answer.status).toBe(404)
    expect((await theirs.browser.get('/account')).status).toBe(200)
  })

  test('all sessions can be ended at once', async () => {
    const { browser, email } = await signedInPerson(server)
    const other = webClient(server)
    await signIn(other, email)
    const answer = await browser.submit('/account', '/account/sessions/end-all', {})
    expect(answer.location).toBe('/sign-in?done=signed-out')
    for (const one of [browser, other]) expect((await one.get('/account')).status).toBe(303)
  })
})

describe('the selection of usable books', () => {
  test('the selection is saved; with nothing selected the oldest books stay usable', async () => {
    const { browser, account } = await signedInPerson(server, { plan: 'TWO' })
    const ids = await seedBooks(server, account, { count: 4 })
    const checked = async () =>
      [...(await browser.get('/library/usable')).text.matchAll(/value="(\w+)"\s+checked/g)].map(([, id]) => id).sort()
    expect(await checked()).toEqual(ids.slice(0, 2).sort())
    const picked = await browser.submit('/library/usable', '/library/usable', { ids: ids.slice(2) })
    expect(picked.location).toBe('/library/usable?done=picked')
    expect(await checked()).toEqual(ids.slice(2).sort())
    await browser.submit('/library/usable', '/library/usable', {})
    expect(await checked()).toEqual(ids.slice(0, 2).sort())
    const tooMany = await browser.submit('/library/usable', '/library/usable', { ids })
    expect(tooMany.status).toBe(400)
    expect(tooMany.text).toContain('keeps 2 books usable')
    expect(tooMany.text.match(/checked/g)).toHaveLength(4)
    expect((await browser.get('/account')).text).toContain('href="/library/usable"')
  })

  test('no selection is needed while all books fit', async () => {
    const { browser } = await signedInPerson(server)
    const { text } = await browser.get('/library/usable')
    expect(text).toMatch(/All\s+of\s+them\s+are\s+usable\.\s*<\/p>\s*<p><a href="\/library">/)
  })
})

describe('a support report', () => {
  test('only its reporter and administrators can see a support report', async () => {
    const [reporter, admin, other] = [
      await signedInPerson(server),
      await signedInPerson(server, { admin: true }),
      await signedInPerson(server),
    ]
    const key = await reporter.browser.submit('/keys', '/keys', { name: 'K', scopes: 'library:write', expires: '' })
    const secret = /lectern_[0-9A-Za-z]{40}/.exec(key.text)?.[0] as string
    const body = { title: '<b>Broken</b>', body: '<script>alert(1)</script>\n\nline', type: 'bug' }
    const sent = await send(server, secret, { method: 'POST', path: '/api/v1/report', body })
    const path = sent.body.url.replace(server.baseUrl, '')
    for (const { browser } of [reporter, admin]) {
      const page = await browser.get(path)
      expect(page.status).toBe(200)
      expect(page.text).toContain('&lt;b&gt;Broken&lt;/b&gt;')
      expect(page.text).toContain('&lt;script&gt;')
      expect(page.text).not.toContain('<script>')
    }
    expect((await other.browser.get(path)).status).toBe(404)
    expect((await other.browser.get('/support/none')).status).toBe(404)
    expect((await webClient(server).get(path)).location).toBe(`/sign-in?next=${encodeURIComponent(path)}`)
  })

  test('is listed for its reporter and, with all others, for administrators, whose menu leads there', async () => {
    const [ada, bob, admin] = [
      await signedInPerson(server, { name: 'Ada' }),
      await signedInPerson(server),
      await signedInPerson(server, { admin: true }),
    ]
    const titles = Array.from({ length: 51 }, (_, at) => `Report ${at + 1}.`)
    const { support } = server.running.opened.services
    for (const [at, title] of titles.entries()) {
      const createdAt = new Date(Date.UTC(2100, 0, 1, 0, at))
      await support.add({
        id: newId(createdAt),
        accountId: ada.account.id,
        title,
        body: 'secret',
        type: 'bug',
        createdAt,
      })
    }
    for (const { browser } of [ada, admin]) {
      const { text } = await browser.get('/support')
      const listed = [...text.matchAll(/<a href="\/support\/\w+" dir="auto">(.*?)<\/a>/g)].map(([, title]) => title)
      expect(listed).toEqual(titles.slice(1).toReversed())
      expect(text).not.toContain('secret')
      const older = await browser.get(/href="(\/support\?before=\w+)"/.exec(text)?.[1] ?? '')
      expect([older.text.includes('Report 1.<'), older.text.includes('Report 2.<')]).toEqual([true, false])
    }
    expect((await admin.browser.get('/support')).text).toContain('Bug report from <bdi>Ada</bdi>')
    expect((await bob.browser.get('/support')).text).toContain('No reports')
    const menuOf = async ({ browser }: typeof ada) =>
      (await browser.get('/library')).text.includes('<a href="/support"')
    expect([await menuOf(admin), await menuOf(ada)]).toEqual([true, false])
    for (const { browser } of [ada, admin]) expect((await browser.get('/report')).text).toContain('<a href="/support">')
  })
})

test('a name cannot inject markup into a page', async () => {
  const { browser } = await signedInPerson(server, { name: '"><img src=x onerror=alert(1)>' })
  for (const path of ['/', '/account', '/keys', '/cli-auth?port=1']) {
    const { text } = await browser.get(path)
    expect(text).not.toContain('<img')
    expect(text).toContain('&lt;img')
  }
})
