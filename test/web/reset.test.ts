import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { attemptLimits } from '../../src/accounts/attempt-limiter.ts'
import { startSmtpServer, type SmtpServer } from '../support/smtp-server.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { webClient } from '../support/web-client.ts'
import { accountWithPassword, signedInPerson, signIn } from '../support/signed-in-person.ts'

let server: TestServer
let smtp: SmtpServer

beforeAll(async () => {
  smtp = await startSmtpServer()
  server = await startTestServer({ LECTERN_ROLE: 'web', LECTERN_SMTP_URL: smtp.url, LECTERN_TRUSTED_PROXIES: '1' })
})
afterAll(async () => {
  await server.close()
  await smtp.close()
})

let clients = 0

/** Requests a link from a client address that is used only once. */
async function ask(email: string, client = `198.51.100.${++clients}`) {
  const browser = webClient(server)
  const { text } = await browser.get('/reset')
  const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? ''
  return browser.post('/reset/request', { csrf, email }, { 'X-Forwarded-For': client })
}

const linkIn = (text: string) => /http\S+\/reset\?token=\S+/.exec(text)?.[0] ?? ''
const freshPassword = 'some other words'

describe('a forgotten password', () => {
  test('the emailed reset link works once and ends every session', async () => {
    const { account, browser } = await signedInPerson(server, { name: 'Ada' })
    const answer = await ask(` ${account.email.toUpperCase()} `)
    expect([answer.status, answer.location]).toEqual([303, '/reset?done=asked'])
    const mail = await smtp.next()
    expect(mail.to).toEqual([account.email])
    expect(mail.headers['subject']).toBe('Choose a new Lectern password')
    expect(mail.text).not.toContain('Ada')

    const page = linkIn(mail.text).replace(server.baseUrl, '')
    const other = webClient(server)
    const fields = { password: freshPassword, again: freshPassword }
    expect((await other.submit(page, '/reset', fields)).location).toBe('/sign-in?done=reset')
    expect((await browser.get('/account')).status).toBe(303)
    expect((await signIn(webClient(server), account.email)).status).toBe(401)
    expect((await signIn(webClient(server), account.email, freshPassword)).status).toBe(303)
    const again = await webClient(server).get(page)
    expect(again.status).toBe(404)
    expect(again.text).toContain('has expired or has already been used')
    expect(again.text).toContain('action="/reset/request"')
  })

  test('the sign-in page links to the password reset', async () => {
    const { text } = await webClient(server).get('/sign-in')
    expect(text).toContain('href="/reset"')
    expect((await webClient(server).get('/reset')).text).toContain('We will email you a link')
  })

  test('an invalid email address is explained', async () => {
    const answer = await ask('ada')
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('Enter an email address')
    expect(answer.text).toContain('value="ada"')
  })

  test('using a reset link invalidates all earlier ones', async () => {
    const account = await accountWithPassword(server)
    await ask(account.email)
    await ask(account.email)
    const [first, second] = [await smtp.next(), await smtp.next()].map(({ text }) => linkIn(text))
    expect(first).not.toBe(second)
    const path = (url: string) => url.replace(server.baseUrl, '')
    await webClient(server).submit(path(first as string), '/reset', { password: freshPassword, again: freshPassword })
    expect((await webClient(server).get(path(second as string))).status).toBe(404)
  })
})

describe('whether an address has an account', () => {
  test('neither the response nor its timing reveals whether an address has an account', async () => {
    const known = await accountWithPassword(server)
    const { services } = server.running.opened
    const looked: string[] = []
    const byEmail = services.accounts.byEmail
    let end: () => void = () => {}
    const ended = new Promise<null>((resolve) => {
      end = () => resolve(null)
    })
    services.accounts.byEmail = (email) => {
      looked.push(email)
      return ended
    }
    const [there, absent] = await Promise.all([ask(known.email), ask('nobody@lectern.example')]).finally(() => {
      services.accounts.byEmail = byEmail
      end()
    })
    // Both responses came before either lookup ended.
    expect(looked.sort()).toEqual(['nobody@lectern.example', known.email].sort())
    expect([there.status, there.location, there.text]).toEqual([absent.status, absent.location, absent.text])
  })

  test('the rate limit does not reveal whether an address has an account', async () => {
    const known = await accountWithPassword(server)
    const statuses = async (email: string) => {
      const answers = []
      for (let count = 0; count <= attemptLimits.reset_mail.max; count++) answers.push((await ask(email)).status)
      return answers
    }
    const expected = [...Array.from({ length: attemptLimits.reset_mail.max }, () => 303), 429]
    expect(await statuses(known.email)).toEqual(expected)
    expect(await statuses('nobody-else@lectern.example')).toEqual(expected)
    for (let count = 0; count < attemptLimits.reset_mail.max; count++) await smtp.next()
  })
})

test('one client address can request only a limited number of reset links', async () => {
  const { attemptLimiter: attempts } = server.running.opened.services
  for (let count = 0; count < attemptLimits.reset_request.max; count++) {
    await attempts.consume('reset_request', '203.0.113.9')
  }
  const answer = await ask('somebody@lectern.example', '203.0.113.9')
  expect(answer.status).toBe(429)
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(59 * 60)
})

test('a suspended account gets no reset email', async () => {
  const [suspended, other] = [await accountWithPassword(server), await accountWithPassword(server)]
  await server.running.opened.services.accounts.change(suspended.id, { suspendedAt: new Date() })
  expect((await ask(suspended.email)).location).toBe('/reset?done=asked')
  await ask(other.email)
  expect((await smtp.next()).to).toEqual([other.email])
})

test('a reset form sent by another site is refused', async () => {
  const csrf = 'x'.repeat(43)
  const answer = await webClient(server).post('/reset/request', { csrf, email: 'a@lectern.example' })
  expect(answer.status).toBe(403)
})

test('without email, the page says who can create a reset link', async () => {
  const plain = await startTestServer({ LECTERN_ROLE: 'web' })
  try {
    const page = await webClient(plain).get('/reset')
    expect(page.text).toContain('Ask the administrator of this server for a link')
    expect(page.text).not.toContain('action="/reset/request"')
    const { email } = await accountWithPassword(plain)
    const answer = await webClient(plain).post('/reset/request', { email, csrf: '' })
    expect([answer.status, answer.text.includes('Ask the administrator of this server for a link')]).toEqual([
      200,
      true,
    ])
  } finally {
    await plain.close()
  }
}, 60_000)
