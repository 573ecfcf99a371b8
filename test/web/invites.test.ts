import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAccount } from '../../src/accounts/create-account.ts'
import { notifyPendingInvites } from '../../src/teams/notify-invite.ts'
import { send } from '../support/transports.ts'
import { startTestServer, type Person, type TestServer } from '../support/server.ts'
import { startSmtpServer, type SmtpServer } from '../support/smtp-server.ts'
import { createTeamClient, type TeamClient } from '../support/team-client.ts'
import { webClient } from '../support/web-client.ts'
import { password, signedInPerson, signIn } from '../support/signed-in-person.ts'

let server: TestServer
let desk: TeamClient
let owner: Person
let team: string
let smtp: SmtpServer

beforeAll(async () => {
  smtp = await startSmtpServer()
  server = await startTestServer({ LECTERN_ROLE: 'web', LECTERN_SIGNUP: 'team', LECTERN_SMTP_URL: smtp.url })
  desk = createTeamClient(server)
  owner = await server.createPerson()
  team = await desk.createTeam(owner, 'Walrus & <b>friends</b>')
})
afterAll(async () => {
  await server.close()
  await smtp.close()
})

/** Invites an email address. Returns the path of the invitation's page. */
async function invitation(email: string, role?: string): Promise<string> {
  const { body } = await desk.call(owner, `POST /teams/${team}/members`, { email, role })
  return body.invite.url.slice(server.baseUrl.length)
}

const isMember = async (email: string): Promise<boolean> => {
  const { accounts, members } = server.running.opened.services
  const account = await accounts.byEmail(email)
  return account !== null && (await members.find(team, account.id)) !== null
}

describe('the page of an invitation', () => {
  test('a signed-out invitee signs in, returns and joins the team', async () => {
    const { email, browser: other } = await signedInPerson(server)
    await other.submit('/account', '/sign-out', {})
    const path = await invitation(email)
    const browser = webClient(server)
    const page = await browser.get(path)
    expect(page.status).toBe(200)
    expect(page.text).toContain('Walrus &amp; &lt;b&gt;friends&lt;/b&gt;')
    expect(page.text).toContain(email)
    const next = /href="(\/sign-in\?next=[^"]+)"/.exec(page.text)?.[1] ?? ''
    const entered = await signIn(browser, email, password, next)
    expect(entered.location).toBe(path)
    const joined = await browser.submit(path, path, { answer: 'accept' })
    expect([joined.status, joined.location]).toEqual([303, path])
    const welcome = (await browser.get(path)).text
    expect(welcome).toContain('You are a member of this team')
    expect(welcome).toContain(`href="/teams/${team}">Open the team</a>`)
    expect(await isMember(email)).toBe(true)
  })

  test('those who invite learn that the invitation is mailed', async () => {
    const leader = await signedInPerson(server)
    await desk.addMember(team, leader.account, 'ADMIN')
    const form = { email: 'mailed@lectern.example', role: 'MEMBER' }
    const { location } = await leader.browser.submit(`/teams/${team}`, `/teams/${team}/invite`, form)
    const { text } = await leader.browser.get(location ?? '')
    expect(text).toContain('The invitation is on its way by email')
    expect(text).toMatch(
      />The server sends a link by mail\. If it does not arrive, send this one: <code data-copy>http/,
    )
    expect(text).not.toContain('>Send this link')
  })

  test('an accepted invitation leads a signed-out member to the sign-in and to the team', async () => {
    const { email, browser } = await signedInPerson(server)
    const path = await invitation(email)
    await browser.submit(path, path, { answer: 'accept' })
    const elsewhere = webClient(server)
    const { text } = await elsewhere.get(path)
    expect(text).toContain('This invitation has been accepted')
    expect(text).not.toContain('Create account')
    const next = /class="button" href="(\/sign-in\?next=[^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect((await signIn(elsewhere, email, password, next)).location).toBe(path)
    expect((await elsewhere.get(path)).text).toContain('You are a member of this team')
  })

  test('an invitation can be declined', async () => {
    const { email, browser } = await signedInPerson(server)
    const path = await invitation(email, 'ADMIN')
    expect((await browser.get(path)).text).toContain('as an admin')
    await browser.submit(path, path, { answer: 'decline' })
    expect((await browser.get(path)).text).toContain('You have declined this invitation')
    expect(await isMember(email)).toBe(false)
  })

  test('an invitation for another address is explained and changes nothing', async () => {
    const path = await invitation('guest@lectern.example')
    const { email, browser } = await signedInPerson(server)
    const page = await browser.get(path)
    expect(page.status).toBe(200)
    expect(page.text).toMatch(
      /This invitation is for <strong>guest@lectern\.example<\/strong>, but you are signed in as/,
    )
    expect(page.text).not.toContain('value="accept"')
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const forced = await browser.post(path, { csrf, answer: 'accept' })
    expect(forced.status).toBe(404)
    expect(forced.text).toContain('for another email address')
    expect(await isMember(email)).toBe(false)
    const signedOut = await browser.submit(path, '/sign-out', {})
    expect(signedOut.location).toBe(path)
    expect((await browser.get(path)).text).toContain('>Create account and join</a>')
  })

  test.for([
    ['MEMBER', 'a member', false],
    ['ADMIN', 'an admin', true],
  ] as const)(
    'an invitation as %s says who sent it, what the role allows and what others see',
    async ([role, words, manages]) => {
      const name = (await server.running.opened.services.accounts.byId(owner.id))?.name ?? ''
      const { text } = await webClient(server).get(await invitation('guest@lectern.example', role))
      expect(text).toContain(`<bdi>${name}</bdi> invites you to join as ${words}.`)
      expect(text).toContain('can share books of their own.')
      expect(text.includes('Admins also invite people')).toBe(manages)
      expect(text).toContain('The members see your name, and owners and admins also see your email address.')
    },
  )

  test('an invitation needs a session and its CSRF token', async () => {
    const { email, browser } = await signedInPerson(server)
    const path = await invitation(email)
    expect((await browser.post(path, { answer: 'accept' })).status).toBe(403)
    expect((await browser.post(path, { answer: 'accept' }, { Origin: 'https://evil.example' })).status).toBe(403)
    expect((await webClient(server).post(path, { answer: 'accept' })).location).toMatch(/^\/sign-in\?next=/)
    expect(await isMember(email)).toBe(false)
  })

  test.for([
    ['an incomplete link', async (path: string) => path.slice(0, -3)],
    ['an unknown link', async () => '/invites/nothing'],
    [
      'a revoked invitation',
      async (path: string) => {
        await server.running.opened.services.invites.revoke(team, 'gone@lectern.example')
        return path
      },
    ],
  ] as const)('an invitation is not found for %s', async ([, of]) => {
    const path = await of(await invitation('gone@lectern.example'))
    for (const at of [path, `${path}/sign-up`]) expect((await webClient(server).get(at)).status).toBe(404)
  })

  test('an expired invitation is reported as expired', async () => {
    const path = await invitation('late@lectern.example')
    const rows = server.running.opened.database.db.collection('invites')
    await rows.updateOne({ email: 'late@lectern.example' }, { $set: { expiresAt: new Date(0) } })
    expect((await webClient(server).get(path)).text).toContain('This invitation has expired')
    expect((await webClient(server).get(`${path}/sign-up`)).status).toBe(404)
  })
})

describe('signing up through an invitation', () => {
  const signUp = (path: string, fields: Record<string, string> = {}) =>
    webClient(server).submit(`${path}/sign-up`, `${path}/sign-up`, {
      name: 'New',
      password,
      again: password,
      ...fields,
    })

  test('an invitation creates an account if teams may invite, and is thereby accepted', async () => {
    const email = 'new@lectern.example'
    const path = await invitation(email)
    expect((await webClient(server).get(path)).text).toContain(`href="${path}/sign-up"`)
    const answer = await signUp(path, { email: 'other@lectern.example' })
    expect(answer.status).toBe(303)
    expect(await isMember(email)).toBe(true)
    expect(await server.running.opened.services.accounts.byEmail('other@lectern.example')).toBeNull()
    const browser = webClient(server)
    expect((await browser.get(answer.location ?? '')).text).toMatch(new RegExp(`name="email"[^>]*value="${email}"`))
    const entered = await signIn(browser, email, password, answer.location ?? '')
    expect(entered.location).toBe(path)
    expect((await browser.get(path)).text).toContain('You are a member of this team')
    const account = await server.running.opened.services.accounts.byEmail(email)
    const filter = { unread: false, limit: 10 }
    expect(await server.running.opened.services.notifications.list(account?.id ?? '', filter)).toEqual([])
  })

  test('sign-up by invitation does not reveal or change an existing account', async () => {
    const { email } = await signedInPerson(server)
    const taken = await signUp(await invitation(email), { password: 'some other words', again: 'some other words' })
    const free = await signUp(await invitation('free@lectern.example'))
    const without = (location: string | null) => location?.replace(/invites%2F[^&]+|email=[^&]+/g, '')
    expect([taken.status, taken.text, without(taken.location)]).toEqual([
      free.status,
      free.text,
      without(free.location),
    ])
    expect(await isMember(email)).toBe(false)
    expect((await signIn(webClient(server), email)).status).toBe(303)
  })

  test('sign-up by invitation refuses a weak password and shows the form again', async () => {
    const path = await invitation('weak@lectern.example')
    const answer = await signUp(path, { password: 'short', again: 'short' })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('Error: Create account')
    expect(await server.running.opened.services.accounts.byEmail('weak@lectern.example')).toBeNull()
  })

  test('sign-up by invitation is refused if sign-up is closed', async () => {
    const closed = await startTestServer({ LECTERN_ROLE: 'web', LECTERN_SIGNUP: 'closed' })
    const [person, counter] = [await closed.createPerson(), createTeamClient(closed)]
    const { body } = await counter.call(person, `POST /teams/${await counter.createTeam(person)}/members`, {
      email: 'new@lectern.example',
    })
    const path = body.invite.url.slice(closed.baseUrl.length)
    expect((await webClient(closed).get(path)).text).not.toContain('sign-up')
    expect((await webClient(closed).get(`${path}/sign-up`)).status).toBe(403)
    const forced = await webClient(closed).post(`${path}/sign-up`, { password, again: password })
    expect(forced.status).toBe(403)
    await closed.close()
  })
})

describe('an address that was invited before it had an account', () => {
  test('a new account is notified of its pending invitation and accepts it', async () => {
    const email = 'before@lectern.example'
    const path = await invitation(email)
    const { services } = server.running.opened
    const account = await createAccount(
      services,
      { email },
      { password: await services.passwords.hash(password), emailProven: true },
    )
    await notifyPendingInvites(services, account)
    await notifyPendingInvites(services, account)
    const told = await services.notifications.list(account.id, { unread: true, type: 'team_invite', limit: 10 })
    expect(told).toHaveLength(1)
    expect(await isMember(email)).toBe(false)
    const browser = webClient(server)
    await signIn(browser, email)
    const page = await browser.get('/invites')
    expect(page.text).toContain(`href="${path}"`)
    await browser.submit(path, path, { answer: 'accept' })
    expect(await isMember(email)).toBe(true)
    expect((await browser.get('/invites')).text).toContain('You have no pending invitations')
  })
})

describe('by mail', () => {
  const mailedTo = (email: string) => smtp.mails.filter(({ to }) => to.includes(email))

  async function mailTo(email: string) {
    for (;;) {
      const [mail] = mailedTo(email)
      if (mail) return mail
      await smtp.next()
    }
  }

  test('the invited address gets an email with a separate link', async () => {
    const shown = await invitation('mailed@lectern.example')
    const { text } = await mailTo('mailed@lectern.example')
    expect(text).not.toContain(shown)
    const path = /http\S+(\/invites\/\S+)/.exec(text)?.[1] ?? ''
    expect((await webClient(server).get(path)).text).toContain('mailed@lectern.example')
    expect(text).toContain('The invitation is for mailed@lectern.example')
  })

  test('an address gets at most ten invitation emails per hour', async () => {
    const { attemptLimiter: attempts } = server.running.opened.services
    const email = 'plagued@lectern.example'
    const invite = (to: string) =>
      send(server, owner.key, { method: 'POST', path: `/api/v1/teams/${team}/members`, body: { email: to } })
    for (let i = 0; i < 10; i++) await attempts.consume('invite_mail', email)
    expect((await invite(email)).status).toBe(201)
    await invite('control@lectern.example')
    await mailTo('control@lectern.example')
    expect(mailedTo(email)).toEqual([])
  })
})
