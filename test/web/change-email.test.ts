import { afterAll, beforeAll, expect, test } from 'vitest'
import { attemptLimits } from '../../src/accounts/attempt-limiter.ts'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { issueLink } from '../../src/accounts/issue-link.ts'
import { recentPasswordMs } from '../../src/accounts/recent-password.ts'
import { eraseMemberships } from '../../src/teams/erase-memberships.ts'
import { send } from '../support/transports.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { password, signedInPerson, signIn, type WebPerson } from '../support/signed-in-person.ts'
import { startSmtpServer, type SmtpServer } from '../support/smtp-server.ts'
import { createTeamClient } from '../support/team-client.ts'
import { hiddenFields, webClient } from '../support/web-client.ts'

let smtp: SmtpServer
let server: TestServer
beforeAll(async () => {
  smtp = await startSmtpServer()
  server = await startTestServer({ LECTERN_ROLE: 'web', LECTERN_SMTP_URL: smtp.url })
})
afterAll(async () => {
  await server.close()
  await smtp.close()
})

let addresses = 0
const newAddress = () => `new${++addresses}@lectern.example`

const request = ({ browser }: WebPerson, email: string, more: Record<string, string> = {}) =>
  browser.submit('/account/email', '/account/email', { email, ...more })

const follow = ({ browser }: WebPerson, path: string) => browser.submit(path, '/account/new-email', {})

/** The first mail to an address that is not an invitation to a team. */
async function mailTo(email: string): Promise<string> {
  for (;;) {
    const mail = smtp.mails.find(({ to, text }) => to.includes(email) && !text.includes('/invites/'))
    if (mail) return mail.text
    await smtp.next()
  }
}

/** The link to a new address, without the address of the server. */
const linkTo = async (email: string) => /http\S+?(\/account\/new-email\S+)/.exec(await mailTo(email))?.[1] ?? ''

async function whoami(accountId: string) {
  const { key } = await createApiKey(server.running.opened.services, accountId, {})
  return (await send(server, key, { method: 'GET', path: '/api/v1/auth/whoami' })).body
}

const storedAccount = (id: string) => server.running.opened.services.accounts.byId(id)

/** Lets the password of all sessions of a person become too old for changes that need a recent one. */
async function ageSessions({ account }: WebPerson): Promise<void> {
  const passwordAt = new Date(Date.now() - recentPasswordMs)
  await server.running.opened.database.db
    .collection('webSessions')
    .updateMany({ accountId: account.id }, { $set: { createdAt: passwordAt } })
}

test('the address changes with the mailed link, and the previous one is told', async () => {
  const person = await signedInPerson(server)
  const { browser, account, email } = person
  const { services } = server.running.opened
  const reset = await issueLink(services, 'reset', account.id)
  const desk = createTeamClient(server)
  const owner = await server.createPerson()
  const address = newAddress()
  await desk.call(owner, `POST /teams/${await desk.createTeam(owner, 'The waiting team')}/members`, { email: address })

  expect((await browser.get('/account')).text).toContain('href="/account/email"')
  const sent = await request(person, ` ${address.toUpperCase()}`)
  expect(sent).toMatchObject({ status: 303, location: '/account?done=email-link-sent' })
  expect((await browser.get('/account?done=email-link-sent')).text).toContain(
    'We have sent an email to the new address',
  )
  const link = await linkTo(address)
  const page = (await browser.get(link)).text
  for (const shown of [email, address]) expect(page).toContain(shown)
  expect((await whoami(account.id)).email).toBe(email)

  expect((await follow(person, link)).location).toBe('/account?done=email-changed')
  expect((await browser.get('/account?done=email-changed')).text).toContain('Your email address is changed')
  expect((await whoami(account.id)).email).toBe(address)
  expect((await signIn(webClient(server), address)).status).toBe(303)
  expect((await signIn(webClient(server), email)).status).toBe(401)
  expect(await mailTo(email)).toContain('If it was not you, ask the administrator')
  expect((await browser.get('/invites')).text).toContain('The waiting team')
  // The link was mailed to the previous address.
  expect((await browser.get(reset.url.slice(server.baseUrl.length))).status).toBe(404)
  expect((await browser.get(link)).status).toBe(404)
  const [entry] = await services.audit.list({ accountId: account.id, type: 'email_changed', limit: 2 })
  expect(entry).toMatchObject({ actorId: account.id, detail: {} })
})

test('a link changes only the account that asked for it', async () => {
  const [person, stranger] = [await signedInPerson(server), await signedInPerson(server)]
  const address = newAddress()
  await request(person, address)
  const link = await linkTo(address)
  expect((await webClient(server).get(link)).location).toMatch(/^\/sign-in/)
  expect((await stranger.browser.get(link)).status).toBe(404)
  const { csrf = '' } = hiddenFields((await stranger.browser.get('/account')).text, '/account/name')
  const token = new URL(link, server.baseUrl).searchParams.get('token') ?? ''
  expect((await stranger.browser.post('/account/new-email', { csrf, token })).status).toBe(404)
  expect((await storedAccount(person.account.id))?.email).toBe(person.email)
  expect((await storedAccount(stranger.account.id))?.email).toBe(stranger.email)
  expect((await follow(person, link)).status).toBe(303)
})

test('a session without a recent password has to enter it', async () => {
  const person = await signedInPerson(server)
  const address = newAddress()
  expect((await person.browser.get('/account/email')).text).not.toContain('name="current"')
  await ageSessions(person)
  for (const [current, message] of [
    ['', 'Enter your current password'],
    ['not mine at all', 'not your current password'],
  ] as const) {
    const refused = await request(person, address, { current })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain(message)
    expect(refused.text).toMatch(new RegExp(`name="email"[^>]*value="${address}"`))
  }
  // The session is another one after the password was checked, also on a page that shows a problem.
  const refused = await request(person, person.email, { current: password })
  expect(refused.text).toContain('Your account has this address already')
  const fields = hiddenFields(refused.text, '/account/email')
  const sent = await person.browser.post('/account/email', { ...fields, email: address })
  expect(sent.location).toBe('/account?done=email-link-sent')
  expect(await linkTo(address)).not.toBe('')
})

test('the answer does not reveal that an address has an account, which gets a mail about it', async () => {
  const [person, other] = [await signedInPerson(server), await signedInPerson(server)]
  expect((await request(person, other.email)).location).toBe('/account?done=email-link-sent')
  const text = await mailTo(other.email)
  expect(text).toContain('it already has one')
  expect(text).not.toContain('/account/new-email')
  expect((await signIn(webClient(server), other.email)).status).toBe(303)
})

test('an address that has got an account since is refused', async () => {
  const person = await signedInPerson(server)
  const address = newAddress()
  await request(person, address)
  const link = await linkTo(address)
  const other = await signedInPerson(server)
  await server.running.opened.services.accounts.replaceEmail(other.account.id, {
    from: other.email,
    to: address,
    provenAt: new Date(),
  })
  const refused = await follow(person, link)
  expect(refused.status).toBe(409)
  expect(refused.text).toContain(`There is an account for ${address} already.`)
  expect((await storedAccount(person.account.id))?.email).toBe(person.email)
})

test('of two links followed at once, one changes the address', async () => {
  const person = await signedInPerson(server)
  const [first, second] = [newAddress(), newAddress()]
  await request(person, first)
  await request(person, second)
  const links = [await linkTo(first), await linkTo(second)]
  const { csrf = '' } = hiddenFields((await person.browser.get('/account')).text, '/account/name')
  const answers = await Promise.all(
    links.map((link) => {
      const token = new URL(link, server.baseUrl).searchParams.get('token') ?? ''
      return person.browser.post('/account/new-email', { csrf, token })
    }),
  )
  const changed = answers.flatMap(({ status }, at) => (status === 303 ? [[first, second][at]] : []))
  expect(changed).toHaveLength(1)
  expect((await storedAccount(person.account.id))?.email).toBe(changed[0])
})

test.for([
  ['none', '', 'Enter an email address'],
  ['no address', 'nobody', 'Enter an email address'],
  ['two', 'a@lectern.example, b@lectern.example', 'Enter an email address'],
  ['a long one', `${'a'.repeat(250)}@lectern.example`, 'This address is too long'],
] as const)('%s is refused', async ([, address, message]) => {
  const person = await signedInPerson(server)
  const refused = await request(person, address)
  expect(refused.status).toBe(400)
  expect(refused.text).toContain(message)
  expect(refused.text).toMatch(/id="email"[^>]*aria-invalid="true"/)
})

test('links are limited for each account and for each address', async () => {
  const person = await signedInPerson(server)
  const statuses: number[] = []
  for (let i = 0; i <= attemptLimits.change_email.max; i++) statuses.push((await request(person, newAddress())).status)
  expect(statuses).toEqual([...Array.from({ length: attemptLimits.change_email.max }, () => 303), 429])
  const [other, address] = [await signedInPerson(server), newAddress()]
  for (let i = 0; i < attemptLimits.confirm_mail.max; i++) await request(other, address)
  expect((await request(other, address)).status).toBe(429)
})

test('a mail to an unproven previous address is not sent, because somebody else may own it', async () => {
  const person = await signedInPerson(server, { emailProven: false })
  const address = newAddress()
  await request(person, address)
  await follow(person, await linkTo(address))
  expect((await storedAccount(person.account.id))?.emailProvenAt).toBeInstanceOf(Date)
  // Mails are sent in order, so this one would have come later.
  const last = newAddress()
  await request(person, last)
  await linkTo(last)
  expect(smtp.mails.flatMap(({ to }) => to)).not.toContain(person.email)
})

test('invitations that an account accepted with an earlier address end with its membership', async () => {
  const desk = createTeamClient(server)
  const { services, database } = server.running.opened
  const invites = database.db.collection('invites')
  const owner = await server.createPerson()
  for (const end of ['leave', 'erase'] as const) {
    const [person, team] = [await server.createPerson(), await desk.createTeam(owner)]
    await desk.inviteAndAccept(team, owner, person)
    const change = { from: person.email, to: newAddress(), provenAt: new Date() }
    await services.accounts.replaceEmail(person.id, change)
    const account = await storedAccount(person.id)
    if (!account) throw new Error('The account is missing.')
    expect(await invites.countDocuments({ acceptedBy: person.id })).toBe(1)
    if (end === 'leave') expect((await desk.call(person, `POST /teams/${team}/leave`)).status).toBe(200)
    else await eraseMemberships(services, account)
    expect(await invites.countDocuments({ acceptedBy: person.id })).toBe(0)
  }
})
