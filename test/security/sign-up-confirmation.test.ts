import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { attemptLimits } from '../../src/accounts/attempt-limiter.ts'
import { completeSignUp, requestSignUp } from '../../src/accounts/confirm-sign-up.ts'
import type { MailMessage } from '../../src/mail/mailer.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { startSmtpServer, type SmtpServer } from '../support/smtp-server.ts'
import { createTeamClient } from '../support/team-client.ts'
import { webClient } from '../support/web-client.ts'
import { accountWithPassword, password, signIn } from '../support/signed-in-person.ts'

let server: TestServer
let smtp: SmtpServer
let addresses = 0

beforeAll(async () => {
  smtp = await startSmtpServer()
  server = await startTestServer({ LECTERN_ROLE: 'web', LECTERN_SIGNUP: 'open', LECTERN_SMTP_URL: smtp.url })
})
beforeEach(() => server.running.opened.services.attemptLimiter.reset('sign_up', '127.0.0.1'))
afterAll(async () => {
  await server.close()
  await smtp.close()
})

const newAddress = () => `somebody${++addresses}@lectern.example`
const signUp = (email: string, more: Record<string, string> = {}) =>
  webClient(server).submit('/sign-up', '/sign-up', { email, ...more })
const accountOf = (email: string) => server.running.opened.services.accounts.byEmail(email)

async function mailTo(email: string): Promise<string> {
  for (;;) {
    const mail = smtp.mails.findLast(({ to }) => to.includes(email))
    if (mail) return mail.text
    await smtp.next()
  }
}

const linkIn = (text: string) => /http\S+?(\/sign-up\/confirm\?token=\S+)/.exec(text)?.[1] ?? ''

describe('with open sign-up and a mail server', () => {
  test('no account exists before the mailed link is followed, whatever password was sent', async () => {
    const email = newAddress()
    await signUp(email, { password, again: password, name: 'Call 555 now' })
    expect(await accountOf(email)).toBeNull()
    expect((await signIn(webClient(server), email)).status).toBe(401)
    const text = await mailTo(email)
    expect(text).not.toContain('555')
    const path = linkIn(text)
    const browser = webClient(server)
    expect((await browser.get(path)).text).toContain(email)
    expect(await accountOf(email)).toBeNull()
    const own = { name: 'Me', password: 'some other words', again: 'some other words' }
    expect((await browser.submit(path, '/sign-up/confirm', own)).location).toBe('/')
    expect(await accountOf(email)).toMatchObject({ name: 'Me', emailProvenAt: expect.any(Date) })
    expect((await signIn(webClient(server), email)).status).toBe(401)
    expect((await signIn(webClient(server), email, 'some other words')).status).toBe(303)
    const again = await webClient(server).get(path)
    expect(again.status).toBe(404)
    expect(again.text).toContain('If you have created your account with it, <a href="/sign-in">sign in</a>.')
    const signedIn = await browser.get(path)
    expect(signedIn.status).toBe(404)
    expect(signedIn.text).toContain('You are signed in. <a href="/">Go to your library</a>')
  })

  test('the answer is the same whether or not the address has an account; only its owner is told', async () => {
    const known = await accountWithPassword(server)
    const [taken, free] = [await signUp(known.email), await signUp(newAddress())]
    expect([taken.status, taken.location, taken.text]).toEqual([free.status, free.location, free.text])
    expect(taken.location).toBe('/sign-up?done=sent')
    const text = await mailTo(known.email)
    expect(text).toContain('already has one')
    expect(linkIn(text)).toBe('')
  })

  test('the answer does not wait for anything that depends on the address', async () => {
    const { services } = server.running.opened
    const composed: (() => Promise<MailMessage | null>)[] = []
    const reads: string[] = []
    const accounts = new Proxy(services.accounts, {
      get: (_, name) => () => (reads.push(String(name)), new Promise(() => {})),
    })
    const mail = {
      send: async () => {},
      composeAndSend: (compose: (typeof composed)[number]) => void composed.push(compose),
      state: () => ({ waiting: 0, problem: null }),
    }
    await requestSignUp({ ...services, accounts, mail }, newAddress(), '192.0.2.1')
    expect(reads).toEqual([])
    expect(composed).toHaveLength(1)
  })

  test('mails to one address are limited, for every address alike', async () => {
    const known = await accountWithPassword(server)
    for (const email of [known.email, newAddress()]) {
      const statuses: number[] = []
      for (let i = 0; i <= attemptLimits.confirm_mail.max; i++) statuses.push((await signUp(email)).status)
      expect(statuses).toEqual([303, 303, 303, 303, 429])
    }
  })

  test('a link shown to a team leader leads to the confirmation and cannot bypass it', async () => {
    const desk = createTeamClient(server)
    const owner = await server.createPerson()
    const email = newAddress()
    const team = await desk.createTeam(owner)
    const { body } = await desk.call(owner, `POST /teams/${team}/members`, { email })
    const path = new URL(body.invite.url).pathname
    expect((await webClient(server).get(path)).text).toContain(`Sign up at ${server.baseUrl}/sign-up`)
    const refused = await webClient(server).get(`${path}/sign-up`)
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('This link creates no account')])
  })

  test('the second of two links to one address creates no second account and changes no password', async () => {
    const email = newAddress()
    const { services } = server.running.opened
    const [first, second] = await Promise.all(
      [1, 2].map(() => services.tickets.issue('sign_up', { email }, services.now())),
    )
    const browser = { clientAddress: '192.0.2.1', userAgent: null, previousToken: null, browserIdFor: () => null }
    await completeSignUp(services, { token: first?.token ?? '', password }, browser)
    const again = completeSignUp(services, { token: second?.token ?? '', password: 'some other words' }, browser)
    await expect(again).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('Sign in') })
    expect((await signIn(webClient(server), email)).status).toBe(303)
  })

  test('a sign-up link becomes invalid when open sign-up ends', async () => {
    const { token } = await server.running.opened.services.tickets.issue(
      'sign_up',
      { email: newAddress() },
      server.running.opened.services.now(),
    )
    const closed = await startTestServer({ LECTERN_ROLE: 'web' })
    expect((await webClient(closed).get(`/sign-up/confirm?token=${token}`)).status).toBe(403)
    await closed.close()
  })
})
