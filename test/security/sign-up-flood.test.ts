import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { attemptLimits, type AttemptLimiter } from '../../src/accounts/attempt-limiter.ts'
import { createTeamClient, tokenOf } from '../support/team-client.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { startSmtpServer, type SmtpServer } from '../support/smtp-server.ts'
import { password } from '../support/signed-in-person.ts'
import { hiddenFields, webClient } from '../support/web-client.ts'

const { max } = attemptLimits.open_sign_up_in_all
let nextAddress = 0

/** Sends the form for a new account from another client address; returns the page. */
async function signUp(server: TestServer, page = '/sign-up', fields: Record<string, string> = {}) {
  const number = ++nextAddress
  const browser = webClient(server)
  const form = hiddenFields((await browser.get(page)).text, page)
  const typed = { email: `person${number}@flood.example`, name: '', password, again: password, ...fields }
  return browser.post(page, { ...form, ...typed }, { 'X-Forwarded-For': `198.51.100.${number}` })
}

/** Counts sign-ups of others, as if they had just happened. */
async function countSignUps(limiter: AttemptLimiter, count: number) {
  for (let nth = 0; nth < count; nth++) await limiter.consume('open_sign_up_in_all', '')
}

describe.for(['without', 'with'] as const)('open sign-up %s a mail server', (mail) => {
  let server: TestServer
  let smtp: SmtpServer
  beforeAll(async () => {
    smtp = await startSmtpServer()
    const address: Record<string, string> = mail === 'with' ? { LECTERN_SMTP_URL: smtp.url } : {}
    const open = { LECTERN_ROLE: 'web', LECTERN_SIGNUP: 'open', LECTERN_TRUSTED_PROXIES: '1' }
    server = await startTestServer({ ...open, ...address })
  })
  afterAll(async () => {
    await server.close()
    await smtp.close()
  })

  test('clients with many addresses create a bounded number of accounts', async () => {
    const { attemptLimiter } = server.running.opened.services
    await countSignUps(attemptLimiter, max - 2)
    const statuses = []
    for (let nth = 0; nth < 4; nth++) statuses.push((await signUp(server)).status)
    expect(statuses).toEqual([303, 303, 429, 429])
    const refused = await signUp(server)
    expect(refused.text).toContain('Too many people are signing up on this server. Try again in')
    const { db } = server.running.opened.database
    const made = await db.collection(mail === 'with' ? 'tickets' : 'accounts').countDocuments({})
    expect(made).toBeLessThanOrEqual(2)
  })

  test('people with an invitation that was mailed to them can still sign up', async () => {
    if (mail === 'without') return
    const owner = await server.createPerson()
    const desk = createTeamClient(server)
    const team = await desk.createTeam(owner)
    const email = 'invited@flood.example'
    await desk.call(owner, `POST /teams/${team}/members`, { email })
    const mailed = await mailTo(smtp, email)
    const path = `/invites/${tokenOf(/http\S+\/invites\/[\w.~-]+/.exec(mailed)?.[0] ?? '')}/sign-up`
    expect((await signUp(server, path, { email })).status).toBe(303)
  })
})

async function mailTo(smtp: SmtpServer, email: string): Promise<string> {
  for (;;) {
    const found = smtp.mails.findLast(({ to }) => to.includes(email))
    if (found) return found.text
    await smtp.next()
  }
}
