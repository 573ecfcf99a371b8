import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { callMcp, followRedirect, openConsent, registerProgram, sendConsent, type Program } from '../support/oauth.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { hiddenFields, webClient, type PageAnswer, type WebClient } from '../support/web-client.ts'
import { accountWithPassword, password, signedInPerson, signIn, type WebPerson } from '../support/signed-in-person.ts'

const asked = 'Confirm your identity'
const question = 'Connect A test?'
const hour = 3600

/** The claims of an id token. */
function claimsOf(token: string): { auth_time: number; sub: string } {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
}

/** A pending authorization and its current page. */
interface Open {
  path: string
  page: PageAnswer
}

describe('sign-in requirements of a client', () => {
  const server = useTestServer({ LECTERN_ROLE: 'web', LECTERN_SIGNUP: 'open' })
  let app: Program
  let person: WebPerson
  let browser: WebClient
  const collection = <T extends object = any>(name: string) => server.running.opened.database.db.collection<T>(name)
  const grants = () => collection('oauth').countDocuments({ kind: 'Grant' })

  beforeAll(async () => {
    app = await registerProgram(server)
  })
  beforeEach(async () => {
    await collection('rates').deleteMany({})
    person = await signedInPerson(server, { name: 'Ada' })
    browser = person.browser
  })

  const begin = (changes: Record<string, string | null>, who = browser) =>
    openConsent(who, app.authorizeUrl({ scope: 'openid library:read', ...changes }))

  /** Submits the sign-in form of an authorization. */
  async function enter({ page }: Open, fields: Record<string, string> = {}, who = browser): Promise<PageAnswer> {
    const action = /action="([^"]+\/sign-in[^"]*)"/.exec(page.text)?.[1] ?? ''
    return who.post(action, { ...hiddenFields(page.text, action), email: person.email, password, ...fields })
  }

  async function enterAndReturn(open: Open, fields: Record<string, string> = {}, who = browser): Promise<Open> {
    const { status, location } = await enter(open, fields, who)
    expect([status, location]).toEqual([303, open.path])
    return { path: open.path, page: await who.get(open.path) }
  }

  /** Gives consent and reads the id token. */
  async function allow(open: Open, who = browser): Promise<{ authTime: number; subject: unknown; idToken: string }> {
    const { params } = await followRedirect(who, await sendConsent(who, open))
    const { status, body } = await app.exchange(params.get('code') ?? '')
    expect(status).toBe(200)
    const { auth_time: authTime, sub } = claimsOf(body.id_token)
    return { authTime, subject: sub, idToken: body.id_token }
  }

  /** Sets the time of the sign-in to the given number of seconds ago; returns it in seconds since 1970. */
  async function signedInAgo(seconds: number): Promise<number> {
    const createdAt = new Date(Date.now() - seconds * 1000)
    await collection('webSessions').updateMany({ accountId: person.account.id }, { $set: { createdAt } })
    return Math.floor(createdAt.getTime() / 1000)
  }

  const nowSeconds = () => Math.floor(Date.now() / 1000)

  describe('prompt=login', () => {
    test('prompt=login asks a signed-in user for the password once and reports the time', async () => {
      await signedInAgo(hour)
      const open = await begin({ prompt: 'login' })
      expect(open.page.status).toBe(200)
      expect(open.page.text).toContain(asked)
      expect(open.page.text).toContain('A test asks you to enter your password again')
      expect(open.page.text).toContain(`value="${person.email}"`)
      expect(open.page.text).not.toContain('name="scopes"')
      const next = await enterAndReturn(open)
      expect(next.page.text).toContain(question)
      expect((await browser.get(open.path)).text).toContain(question)
      const { authTime, subject } = await allow(next)
      expect(subject).toBe(person.account.id)
      expect(nowSeconds() - authTime).toBeLessThan(60)
    })

    test('prompt=login asks again for the next authorization', async () => {
      await allow(await enterAndReturn(await begin({ prompt: 'login' })))
      expect((await begin({ prompt: 'login' })).page.text).toContain(asked)
    })

    test('prompt=login asks a user who is not signed in once', async () => {
      const stranger = webClient(server)
      const open = await begin({ prompt: 'login' }, stranger)
      expect(open.page.text).toContain('Sign in to connect A test.')
      const next = await enterAndReturn(open, {}, stranger)
      expect(next.page.text).toContain(question)
      expect(nowSeconds() - (await allow(next, stranger)).authTime).toBeLessThan(60)
    })

    test('prompt=login is not satisfied by another sign-in', async () => {
      const { path } = await begin({ prompt: 'login' })
      await browser.submit('/sign-out', '/sign-out', {})
      await signIn(browser, person.email)
      expect((await browser.get(path)).text).toContain(asked)
    })

    test('prompt=login cannot be bypassed by sending the consent form', async () => {
      const { path, page } = await begin({ prompt: 'login' })
      const before = await grants()
      const fields = { ...hiddenFields(page.text, path), answer: 'allow', scopes: ['library:read'] }
      expect(await browser.post(path, fields)).toMatchObject({ status: 303, location: path })
      const named = await browser.get(`${path}?account=${await sessionId()}`)
      expect(named.text).toContain(asked)
      expect(await grants()).toBe(before)

      async function sessionId() {
        return (await collection('webSessions').findOne({ accountId: person.account.id })).sessionId
      }
    })

    test('a wrong password shows the form again and does not satisfy prompt=login', async () => {
      const open = await begin({ prompt: 'login' })
      const refused = await enter(open, { password: 'not my password' })
      expect(refused.status).toBe(401)
      expect(refused.text).toContain('The email address or the password is incorrect.')
      expect(refused.text).toContain(asked)
      expect((await browser.get(`${open.path}/sign-in`)).location).toBe(open.path)
      expect((await browser.get(open.path)).text).toContain(asked)
      expect((await enterAndReturn({ ...open, page: refused })).page.text).toContain(question)
    })

    test('prompt=login accepts another account and ends the session of the first', async () => {
      const other = await accountWithPassword(server)
      const next = await enterAndReturn(await begin({ prompt: 'login' }), { email: other.email })
      expect(next.page.text).toContain(other.email)
      expect((await allow(next)).subject).toBe(other.id)
      expect(await collection('webSessions').countDocuments({ accountId: person.account.id })).toBe(0)
    })

    test('prompt=login can be cancelled without a password', async () => {
      const { path, page } = await begin({ prompt: 'login' })
      const { params } = await followRedirect(browser, await sendConsent(browser, { path, page }, { deny: true }))
      expect(params.get('error')).toBe('access_denied')
    })

    test('prompt=login can be combined with prompt=consent', async () => {
      const next = await enterAndReturn(await begin({ prompt: 'login consent' }))
      expect(next.page.text).toContain(question)
      await allow(next)
    })

    test('a sign-in for an authorization is a sign-in of the browser', async () => {
      const stranger = webClient(server)
      await enterAndReturn(await begin({ prompt: 'login' }, stranger), {}, stranger)
      expect((await stranger.get('/account')).text).toContain(person.email)
    })
  })

  describe('the sign-in form of an authorization', () => {
    test.for([
      ['without its token', { csrf: '' }, {}, 403],
      ['with a guessed token', { csrf: 'guessed' }, {}, 403],
      ['from another site', {}, { Origin: 'https://evil.example' }, 403],
    ] as const)('a sign-in form %s is refused', async ([, fields, headers, status]) => {
      const { path, page } = await begin({ prompt: 'login' })
      const action = `${path}/sign-in`
      const form = { ...hiddenFields(page.text, action), email: person.email, password, ...fields }
      const answer = await browser.post(action, form, headers)
      expect(answer.status).toBe(status)
      expect(answer.setCookies.join()).not.toContain('lectern=')
      expect((await browser.get(path)).text).toContain(asked)
    })

    test('the sign-in form works in no other browser', async () => {
      const { path } = await begin({ prompt: 'login' })
      const other = await signedInPerson(server)
      const hidden = hiddenFields((await webClient(server).get('/sign-in')).text, '/sign-in')
      const answer = await other.browser.post(`${path}/sign-in`, { ...hidden, email: other.email, password })
      expect(answer.status).toBe(404)
    })

    test('the sign-in form counts attempts like the sign-in page', async () => {
      const open = await begin({ prompt: 'login' })
      const tries = Array.from({ length: 10 }, () => enter(open, { password: 'not my password' }))
      await Promise.all(tries)
      const answer = await enter(open)
      expect(answer.status).toBe(429)
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    })
  })

  describe('max_age', () => {
    test('max_age accepts a recent sign-in and reports its time', async () => {
      const since = await signedInAgo(hour / 2)
      const open = await begin({ max_age: String(hour) })
      expect(open.page.text).toContain(question)
      expect((await allow(open)).authTime).toBe(since)
    })

    test.for([
      ['older', '60', 100],
      ['not allowed to be older than 0 seconds', '0', 0],
    ] as const)('max_age asks again, once, for a sign-in that is %s', async ([, max_age, age]) => {
      await signedInAgo(age)
      const open = await begin({ max_age })
      expect(open.page.text).toContain(asked)
      const next = await enterAndReturn(open)
      expect(next.page.text).toContain(question)
      expect(nowSeconds() - (await allow(next)).authTime).toBeLessThan(60)
    })

    test('default_max_age of a registration applies to requests without max_age', async () => {
      const careful = await registerProgram(server, { default_max_age: 60 })
      await signedInAgo(100)
      const { page } = await openConsent(browser, careful.authorizeUrl({ scope: 'openid library:read' }))
      expect(page.text).toContain(asked)
    })

    test('max_age does not limit the time to answer the consent page', async () => {
      await signedInAgo(hour + 50)
      const { path, page } = await begin({ max_age: String(2 * hour) })
      // 90 minutes pass.
      await signedInAgo(2.5 * hour + 50)
      const row = await collection('oauth').findOne({ kind: 'Interaction' }, { sort: { createdAt: -1 } })
      const payload = JSON.parse(row.payload)
      const begun = JSON.stringify({ ...payload, iat: payload.iat - 1.5 * hour })
      await collection('oauth').updateOne({ _id: row._id }, { $set: { payload: begun } })
      await allow({ path, page })
    })

    test.for(['-1', 'an hour', '1.5'])('max_age %s is refused', async (max_age) => {
      const { headers } = await browser.get(app.authorizeUrl({ scope: 'openid library:read', max_age }).href)
      expect(new URL(headers.get('location') ?? '').searchParams.get('error')).toBe('invalid_request')
    })
  })

  describe('prompt=none', () => {
    const silent = async (changes: Record<string, string>, who = browser) => {
      const { status, headers } = await who.get(
        app.authorizeUrl({ scope: 'openid library:read', prompt: 'none', ...changes }).href,
      )
      const address = new URL(headers.get('location') ?? '')
      expect([status, `${address.origin}${address.pathname}`]).toEqual([303, 'http://127.0.0.1:3333/callback'])
      expect(address.searchParams.get('state')).toBe('the state')
      expect(address.searchParams.has('code')).toBe(false)
      return address.searchParams.get('error')
    }

    test.for<[string, Record<string, string>, string]>([
      ['somebody is signed in', {}, 'consent_required'],
      ['somebody has signed in recently enough', { max_age: '3600' }, 'consent_required'],
      ['the sign-in is too old', { max_age: '60' }, 'login_required'],
      ['no sign-in is young enough', { max_age: '0' }, 'login_required'],
      ['it is combined with another value', { prompt: 'none login' }, 'invalid_request'],
    ])('%s', async ([, changes, error]) => {
      await signedInAgo(100)
      expect(await silent(changes)).toBe(error)
    })

    test('prompt=none fails with login_required if nobody is signed in', async () => {
      expect(await silent({}, webClient(server))).toBe('login_required')
    })

    test('prompt=none fails with consent_required even after earlier consent', async () => {
      await app.connect(browser)
      expect(await silent({})).toBe('consent_required')
    })

    test('prompt=none checks the account of id_token_hint', async () => {
      const { idToken } = await allow(await begin({}))
      expect(await silent({ id_token_hint: idToken })).toBe('consent_required')
      const other = await signedInPerson(server)
      expect(await silent({ id_token_hint: idToken }, other.browser)).toBe('login_required')
    })

    test('prompt=none fails with login_required for a suspended account', async () => {
      await server.running.opened.services.accounts.change(person.account.id, { suspendedAt: new Date() })
      expect(await silent({})).toBe('login_required')
    })
  })

  test('prompt=consent asks for consent again', async () => {
    await app.connect(browser)
    const open = await begin({ prompt: 'consent' })
    expect(open.page.text).toContain(question)
    expect(open.page.text).toContain('name="scopes"')
    await allow(open)
  })

  test('an unknown prompt is refused', async () => {
    const { headers } = await browser.get(app.authorizeUrl({ prompt: 'create' }).href)
    expect(new URL(headers.get('location') ?? '').searchParams.get('error')).toBe('invalid_request')
  })

  test('the metadata lists the supported prompts', async () => {
    const document: any = await (await fetch(`${server.baseUrl}/.well-known/openid-configuration`)).json()
    expect(document.prompt_values_supported).toEqual(['none', 'login', 'consent', 'select_account'])
  })

  describe('the account', () => {
    test('prompt=select_account can continue with the current account', async () => {
      const { path, page } = await begin({ prompt: 'select_account' })
      expect(page.text).toContain('Choose an account')
      expect(page.text).toContain('Continue as Ada')
      expect(page.text).not.toContain('name="scopes"')
      const account = /name="account" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
      const next = { path, page: await browser.get(`${path}?account=${account}`) }
      expect(next.page.text).toContain(question)
      const nothing = await sendConsent(browser, next, { scopes: [] })
      expect(nothing.text).toContain('Select at least one permission')
      expect((await allow(next)).subject).toBe(person.account.id)
    })

    test('prompt=select_account can continue with another account', async () => {
      const other = await accountWithPassword(server)
      const next = await enterAndReturn(await begin({ prompt: 'select_account' }), { email: other.email })
      expect(next.page.text).toContain(question)
      expect((await allow(next)).subject).toBe(other.id)
    })

    test('the account can be changed on every page of an authorization', async () => {
      const other = await accountWithPassword(server)
      const { path, page } = await begin({})
      expect(page.text).toContain(`href="${path}?account=change"`)
      const change = await browser.get(`${path}?account=change`)
      expect(change.text).toContain('Use another account')
      const refused = await enter({ path, page: change }, { email: other.email, password: 'wrong' })
      expect(refused.text).toContain('Use another account')
      const next = await enterAndReturn({ path, page: refused }, { email: other.email })
      const tokens = await followRedirect(browser, await sendConsent(browser, next)).then(({ params }) =>
        app.exchange(params.get('code') ?? ''),
      )
      const whoami = { method: 'tools/call', params: { name: 'whoami', arguments: {} } }
      const { body } = await callMcp(server, tokens.body.access_token, whoami)
      expect(body.result.structuredContent.email).toBe(other.email)
    })

    test('id_token_hint requires a sign-in with its account', async () => {
      const { idToken } = await allow(await begin({}))
      const other = await signedInPerson(server)
      const open = await begin({ id_token_hint: idToken }, other.browser)
      expect(open.page.text).toContain('A test requires an account other than')
      expect(open.page.text).not.toContain(person.email)
      const wrong = await enterAndReturn(open, { email: other.email }, other.browser)
      expect(wrong.page.text).toContain('Sign in with another account')
      const next = await enterAndReturn(wrong, {}, other.browser)
      expect((await allow(next, other.browser)).subject).toBe(person.account.id)
    })
  })

  describe('login_hint', () => {
    test('login_hint fills in the email address for a user who is not signed in', async () => {
      const stranger = webClient(server)
      const begun = await stranger.get(app.authorizeUrl({ login_hint: person.email }).href)
      const { location } = await stranger.get(begun.location!)
      expect(location).toBe(
        `/sign-in?next=${encodeURIComponent(begun.location!)}&email=${encodeURIComponent(person.email)}&done=connect`,
      )
      expect((await stranger.get(location!)).text).toContain(`value="${person.email}"`)
      const entered = await stranger.submit(location!, '/sign-in', { email: person.email, password })
      expect(entered.location).toBe(begun.location)
    })

    test('login_hint fills in the email address if the password is requested again', async () => {
      const { page } = await begin({ prompt: 'login', login_hint: 'grace@lectern.example' })
      expect(page.text).toContain('value="grace@lectern.example"')
    })

    test.for(['not an address', '"><script>', `${'x'.repeat(300)}@lectern.example`])(
      'a login_hint that is not an email address is ignored: %s',
      async (login_hint) => {
        const stranger = webClient(server)
        const begun = await stranger.get(app.authorizeUrl({ login_hint }).href)
        expect((await stranger.get(begun.location!)).location).toBe(
          `/sign-in?next=${encodeURIComponent(begun.location!)}&done=connect`,
        )
        const { text } = await stranger.get(`/sign-in?email=${encodeURIComponent(login_hint)}`)
        expect(text).toMatch(/type="email"\s+value=""/)
        expect(text).not.toMatch(/<script(?! type="module" src="\/assets\/)/)
        expect(text).not.toContain('x'.repeat(300))
      },
    )

    test('login_hint changes nothing for a signed-in user without further requirements', async () => {
      const { page } = await begin({ login_hint: 'grace@lectern.example' })
      expect(page.text).toContain(question)
      expect(page.text).not.toContain('grace')
    })
  })
})
