import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { attemptLimits } from '../../src/accounts/attempt-limiter.ts'
import { createAccount } from '../../src/accounts/create-account.ts'
import { issueLink } from '../../src/accounts/issue-link.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { startSmtpServer } from '../support/smtp-server.ts'
import { hiddenFields, webClient } from '../support/web-client.ts'
import { accountWithPassword, password, signedInPerson, signIn } from '../support/signed-in-person.ts'

const fresh = 'some other words'

async function link(server: TestServer, kind: 'invite' | 'reset', accountId: string): Promise<string> {
  const { url } = await issueLink(server.running.opened.services, kind, accountId)
  return url.slice(server.baseUrl.length)
}

test.for([
  ['open', '>Create account</a>'],
  ['team', 'No account yet? Ask the person who sent you here, or the administrator of this server, to invite you.'],
  ['invite', 'No account yet? Ask the person who sent you here, or the administrator of this server, to invite you.'],
  ['closed', 'No account yet? Ask the administrator of this server to create one for you.'],
] as const)('with the mode %s, the sign-in page says how to get an account', async ([mode, words]) => {
  const server = await startTestServer({ LECTERN_ROLE: 'web', LECTERN_SIGNUP: mode })
  try {
    // Without any account, it says instead where the setup link is.
    expect((await webClient(server).get('/sign-in')).text).not.toContain('No account yet?')
    await server.createPerson()
    const { text } = await webClient(server).get('/sign-in?next=%2Fbooks%2Fx')
    expect(text).toContain(words)
    // Who connects an app may have none, and who signs out has one.
    expect((await webClient(server).get('/sign-in?done=connect')).text).toContain(words)
    const signedOut = await webClient(server).get('/sign-in?done=signed-out')
    expect(signedOut.text.includes('No account yet?')).toBe(mode === 'open')
  } finally {
    await server.close()
  }
})

describe('open sign-up', () => {
  let server: TestServer

  beforeAll(async () => {
    server = await startTestServer({ LECTERN_ROLE: 'web', LECTERN_SIGNUP: 'open' })
  })
  afterAll(() => server.close())

  const join = (email: string, secret = password) =>
    webClient(server).submit('/sign-up', '/sign-up', { email, name: 'New', password: secret, again: secret })

  test('open sign-up creates an account that can sign in', async () => {
    const answer = await join('new@lectern.example')
    expect(answer.location).toBe('/sign-in?done=signed-up')
    const account = await server.running.opened.services.accounts.byEmail('new@lectern.example')
    expect(account).toMatchObject({ name: 'New', admin: false })
    expect((await signIn(webClient(server), 'new@lectern.example')).status).toBe(303)
  })

  test('a visitor without an account continues at the page that they opened', async () => {
    const browser = webClient(server)
    const next = '/books/x?page=2'
    const kept = `next=${encodeURIComponent(next)}`
    expect((await browser.get(`/sign-in?${kept}`)).text).toContain(`href="/sign-up?${kept}">Create account</a>`)
    expect((await browser.get(`/sign-up?${kept}`)).text).toContain(`href="/sign-in?${kept}">Sign in</a>`)
    const email = 'sent-a-link@lectern.example'
    const fields = { email, name: 'New', password }
    const refused = await browser.submit(`/sign-up?${kept}`, '/sign-up', { ...fields, again: 'different' })
    expect(hiddenFields(refused.text, '/sign-up')).toMatchObject({ next })
    const created = await browser.post('/sign-up', {
      ...hiddenFields(refused.text, '/sign-up'),
      ...fields,
      again: password,
    })
    expect(created.location).toBe(`/sign-in?done=signed-up&${kept}`)
    const signedIn = await browser.submit(created.location!, '/sign-in', { email, password })
    expect(signedIn.location).toBe(next)
  })

  test('a visitor who is mailed a link can continue at the page that they opened, and nowhere else', async () => {
    const smtp = await startSmtpServer()
    const mailing = await startTestServer({ LECTERN_SIGNUP: 'open', LECTERN_SMTP_URL: smtp.url })
    try {
      const browser = webClient(mailing)
      const sent = await browser.submit('/sign-up?next=%2Fbooks%2Fx', '/sign-up', { email: 'mailed@lectern.example' })
      expect(sent.location).toBe('/sign-up?done=sent&next=%2Fbooks%2Fx')
      const { text } = await browser.get(sent.location!)
      expect(text).toContain(`<a href="${mailing.baseUrl}/books/x">continue to the page that you opened</a>`)
      const elsewhere = await browser.get('/sign-up?done=sent&next=%2F%2Fevil.example')
      expect(elsewhere.text).toContain(`<a href="${mailing.baseUrl}/">continue to the page that you opened</a>`)
    } finally {
      await mailing.close()
      await smtp.close()
    }
  })

  test('the home page has buttons to sign in and to create an account', async () => {
    const { text } = await webClient(server).get('/')
    expect(text).toContain('<a class="button" href="/sign-in">Sign in</a>')
    expect(text).toContain('href="/sign-up">Create account</a>')
  })

  test('open sign-up does not reveal or change an existing account', async () => {
    const { email } = await accountWithPassword(server)
    const [taken, free] = [await join(email, fresh), await join('free@lectern.example', fresh)]
    expect([taken.status, taken.text, taken.location]).toEqual([free.status, free.text, free.location])
    expect((await signIn(webClient(server), email)).status).toBe(303)
    expect((await signIn(webClient(server), email, fresh)).status).toBe(401)
  })

  test('open sign-up is limited per client address and hour', async () => {
    const { attemptLimiter: attempts } = server.running.opened.services
    const there = '127.0.0.1'
    await attempts.reset('sign_up', there)
    for (let i = 0; i < attemptLimits.sign_up.max; i++) await attempts.consume('sign_up', there)
    const answer = await join('late@lectern.example')
    expect(answer.status).toBe(429)
    expect(answer.text).toContain('value="late@lectern.example"')
    await attempts.reset('sign_up', there)
  })
})

describe('sign-up by invitation', () => {
  let server: TestServer

  beforeAll(async () => {
    server = await startTestServer({ LECTERN_ROLE: 'web' })
  })
  afterAll(() => server.close())

  test('the home page offers no account that it would refuse', async () => {
    const { text } = await webClient(server).get('/')
    expect(text).toContain('<a class="button" href="/sign-in">Sign in</a>')
    expect(text).not.toContain('/sign-up')
  })

  test('sign-up by invitation is refused without a link', async () => {
    const browser = webClient(server)
    const page = await browser.get('/sign-up')
    expect(page.status).toBe(403)
    expect(page.text).toContain('requires an invitation')
    const given = { email: 'x@lectern.example', password, again: password }
    expect((await browser.submit('/sign-in', '/sign-in', {})).status).toBe(400)
    const { csrf } = { csrf: /name="csrf" value="([^"]+)"/.exec((await browser.get('/sign-in')).text)?.[1] as string }
    expect((await browser.post('/sign-up', { ...given, csrf })).status).toBe(403)
    expect(await server.running.opened.services.accounts.byEmail('x@lectern.example')).toBeNull()
  })

  test('an invited person chooses a password and a name and is signed in', async () => {
    const account = await createAccount(server.running.opened.services, { email: 'guest@lectern.example' })
    const path = await link(server, 'invite', account.id)
    const browser = webClient(server)
    expect((await browser.get(path)).text).toContain('guest@lectern.example')
    const answer = await browser.submit(path, '/sign-up', { name: 'Guest', password, again: password })
    expect(answer.location).toBe('/')
    expect((await browser.get('/account')).text).toContain('Guest')
    expect((await webClient(server).get(path)).text).toContain('has expired or has already been used')
    expect((await signIn(webClient(server), 'guest@lectern.example')).status).toBe(303)
  })

  test('concurrent uses of an invitation link create one account', async () => {
    const account = await createAccount(server.running.opened.services, { email: 'raced@lectern.example' })
    const path = await link(server, 'invite', account.id)
    const given = { name: '', password, again: password }
    const answers = await Promise.all([1, 2, 3, 4].map(() => webClient(server).submit(path, '/sign-up', given)))
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
  })

  test('a refused password does not consume the link', async () => {
    const account = await createAccount(server.running.opened.services, { email: 'weak@lectern.example' })
    const path = await link(server, 'invite', account.id)
    const browser = webClient(server)
    const weak = await browser.submit(path, '/sign-up', { name: 'W', password: 'weak12345', again: 'weak12345' })
    expect(weak.status).toBe(400)
    expect(weak.text).toMatch(/id="password"[^>]*aria-invalid="true"/)
    expect((await browser.submit(path, '/sign-up', { name: 'W', password, again: password })).status).toBe(303)
  })
})

test('closed sign-up refuses the page and invitations', async () => {
  const server = await startTestServer({ LECTERN_ROLE: 'web', LECTERN_SIGNUP: 'closed' })
  const account = await createAccount(server.running.opened.services, { email: 'guest@lectern.example' })
  const path = await link(server, 'invite', account.id)
  for (const address of ['/sign-up', path]) {
    const page = await webClient(server).get(address)
    expect([page.status, page.text.includes('<form')]).toEqual([403, false])
  }
  expect((await webClient(server).post('/sign-up', { token: path, password })).status).toBe(403)
  await server.close()
})

describe('a forgotten password', () => {
  let server: TestServer

  beforeAll(async () => {
    server = await startTestServer({ LECTERN_ROLE: 'web' })
  })
  afterAll(() => server.close())

  test('a forgotten password without a link is explained', async () => {
    const page = await webClient(server).get('/reset')
    expect(page.status).toBe(200)
    expect(page.text).toContain('lectern user reset --email ADDRESS')
  })

  test('a reset link sets a new password once and signs out every browser', async () => {
    const { account, browser: before } = await signedInPerson(server)
    const [path, second] = [await link(server, 'reset', account.id), await link(server, 'reset', account.id)]
    const browser = webClient(server)
    const answer = await browser.submit(path, '/reset', { password: fresh, again: fresh })
    expect(answer.location).toBe('/sign-in?done=reset')
    expect((await before.get('/account')).status).toBe(303)
    for (const used of [path, second]) expect((await browser.get(used)).status).toBe(404)
    expect((await signIn(webClient(server), account.email)).status).toBe(401)
    expect((await signIn(webClient(server), account.email, fresh)).status).toBe(303)
  })

  test('a reset link lifts the limit on wrong passwords', async () => {
    const account = await accountWithPassword(server)
    const { attemptLimiter: attempts } = server.running.opened.services
    const { max } = attemptLimits.password_address
    for (let i = 0; i < max; i++) await attempts.consume('password_address', account.email)
    expect((await signIn(webClient(server), account.email)).status).toBe(429)
    const path = await link(server, 'reset', account.id)
    await webClient(server).submit(path, '/reset', { password: fresh, again: fresh })
    expect((await signIn(webClient(server), account.email, fresh)).status).toBe(303)
  })
})
