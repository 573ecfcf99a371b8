import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { issueLink } from '../../src/accounts/issue-link.ts'
import { send, sendMcp, transports } from '../support/transports.ts'
import { startTestServer, type Person, type TestServer } from '../support/server.ts'
import { startSmtpServer, type SmtpServer } from '../support/smtp-server.ts'
import { createTeamClient, tokenOf, type TeamClient } from '../support/team-client.ts'
import { webClient, type WebClient } from '../support/web-client.ts'
import { accountWithPassword, password, signIn } from '../support/signed-in-person.ts'

const fresh = 'some other words'
const secretTeam = 'The secret team'

interface Scene {
  server: TestServer
  desk: TeamClient
  attacker: Person
  /** A team of the attacker. */
  decoy: string
  honest: Person
  /** A team that has nothing to do with the attacker. */
  team: string
}

async function sceneOn(environment: Record<string, string>): Promise<Scene> {
  const server = await startTestServer({ LECTERN_ROLE: 'web', ...environment })
  const desk = createTeamClient(server)
  const [attacker, honest] = [await server.createPerson(), await server.createPerson()]
  const [decoy, team] = [await desk.createTeam(attacker, 'Decoy'), await desk.createTeam(honest, secretTeam)]
  return { server, desk, attacker, decoy, honest, team }
}

let victims = 0
const newVictim = () => `victim${++victims}@lectern.example`

const invite = ({ desk }: Scene, person: Person, team: string, email: string) =>
  desk.call(person, `POST /teams/${team}/members`, { email })

/** Tries every page that creates accounts, with every link that the attacker has seen. */
async function trySignUp({ server }: Scene, email: string, links: readonly string[]): Promise<void> {
  const fields = { email, name: 'Not me', password, again: password }
  const visitorForm = async (browser: WebClient) =>
    /name="csrf" value="([^"]+)"/.exec((await browser.get('/sign-in')).text)?.[1] ?? ''
  for (const path of ['/sign-up', ...links.map((link) => `${new URL(link).pathname}/sign-up`)]) {
    const browser = webClient(server)
    await browser.post(path, { ...fields, csrf: await visitorForm(browser) })
  }
}

/** Returns all links to invitations in the answers that a team leader gets. */
async function linksShown({ desk, attacker, decoy }: Scene, answers: object[]): Promise<string[]> {
  const { body } = await desk.call(attacker, `GET /teams/${decoy}/members`)
  return [...JSON.stringify([...answers, body]).matchAll(/http[^"\s]+\/invites\/[^"\s]+/g)].map(([link]) => link)
}

/** Returns all texts in which an account sees its invitations: REST, MCP and the page. */
async function toldOf({ server }: Scene, accountId: string, email: string): Promise<string> {
  const { services } = server.running.opened
  const { key } = await createApiKey(services, accountId, {})
  const answers = await Promise.all(transports.map(([, by]) => by.call(server, { key }, 'list_notifications', {})))
  const invites = await send(server, key, { method: 'GET', path: '/api/v1/invites' })
  const listed = await sendMcp(server, key, { method: 'tools/call', params: { name: 'list_invites', arguments: {} } })
  const browser = webClient(server)
  await signIn(browser, email)
  const page = await browser.get('/invites')
  expect([invites.status, page.status]).toEqual([200, 200])
  return [...answers.map(({ text }) => text), invites.text, listed.text, page.text].join('\n')
}

describe.for([
  ['open', true],
  ['team', true],
  ['invite', false],
  ['closed', false],
] as const)('with LECTERN_SIGNUP=%s and without mail', ([mode, signsUp]) => {
  let scene: Scene
  beforeAll(async () => {
    scene = await sceneOn({ LECTERN_SIGNUP: mode })
  })
  afterAll(() => scene.server.close())

  test('an account that does not own the address sees and accepts no invitations to it', async () => {
    const victim = newVictim()
    const { server, desk, attacker, decoy, honest, team } = scene
    const { accounts, invites, members } = server.running.opened.services
    expect((await invite(scene, honest, team, victim)).status).toBe(201)
    const decoyed = await invite(scene, attacker, decoy, victim)
    await trySignUp(scene, victim, await linksShown(scene, [decoyed.body]))
    const squatter = await accounts.byEmail(victim)
    expect(squatter !== null).toBe(signsUp)
    if (!squatter) return
    expect(squatter.emailProvenAt).toBeNull()
    // Renews and resends the invitation, now that the address has an account.
    await invite(scene, honest, team, victim)
    const other = await desk.createTeam(honest, `${secretTeam}, again`)
    await invite(scene, honest, other, victim)
    expect(await toldOf(scene, squatter.id, victim)).not.toContain(secretTeam)
    const { key } = await createApiKey(server.running.opened.services, squatter.id, {})
    const foreign = (await invites.listPending(victim, new Date())).filter(({ teamId }) => teamId !== decoy)
    expect(foreign).toHaveLength(2)
    for (const { id } of foreign) {
      const forged = tokenOf(decoyed.body.invite.url ?? '').slice(26)
      const answer = await send(server, key, {
        method: 'POST',
        path: `/api/v1/invites/${id}${forged}/accept`,
        body: {},
      })
      expect(answer.status).toBe(404)
    }
    expect((await members.listByAccount(squatter.id)).map(({ teamId }) => teamId)).not.toContain(team)
  })

  test('an unproven account joins only with the link of that team', async () => {
    const { server, desk, honest, team } = scene
    const { services } = server.running.opened
    const account = await accountWithPassword(server, { emailProven: false })
    const { key } = await createApiKey(services, account.id, {})
    const { body } = await invite(scene, honest, team, account.email)
    await invite(scene, honest, await desk.createTeam(honest, 'Another'), account.email)
    const accepted = await desk.call({ key }, `POST /invites/${tokenOf(body.invite.url)}/accept`)
    expect(accepted.status).toBe(200)
    expect((await desk.call({ key }, 'GET /teams')).body.teams).toMatchObject([{ name: secretTeam }])
    expect((await services.accounts.byId(account.id))?.emailProvenAt).toBeNull()
  })
})

describe('with LECTERN_SIGNUP=invite', () => {
  let scene: Scene
  let smtp: SmtpServer
  beforeAll(async () => {
    smtp = await startSmtpServer()
    scene = await sceneOn({ LECTERN_SMTP_URL: smtp.url })
  })
  afterAll(async () => {
    await scene.server.close()
    await smtp.close()
  })

  async function mailedPath(email: string): Promise<string> {
    for (;;) {
      const mail = smtp.mails.findLast(({ to }) => to.includes(email))
      if (mail) return /http\S+?(\/(?:invites|account)\/\S+)/.exec(mail.text)?.[1] ?? ''
      await smtp.next()
    }
  }

  test('a leader never sees the mailed link, and no link while the address has no account', async () => {
    const victim = newVictim()
    const { attacker, decoy } = scene
    const answers = [await invite(scene, attacker, decoy, victim), await invite(scene, attacker, decoy, victim)]
    expect(answers.map(({ body }) => body.invite.url)).toEqual([null, null])
    expect(answers[0]?.body.invite.urlNote).toMatch(/has no account.*mails it/)
    const path = await mailedPath(victim)
    expect(await linksShown(scene, answers)).toEqual([])
    await accountWithPassword(scene.server)
    const known = await accountWithPassword(scene.server)
    const shown = await invite(scene, attacker, decoy, known.email)
    expect(shown.body.invite.url).toMatch(/\/invites\//)
    expect(shown.body.invite).not.toHaveProperty('urlNote')
    expect(JSON.stringify([...answers, shown].map(({ body }) => body))).not.toContain(tokenOf(path).slice(26))
    expect(shown.body.invite.url).not.toContain(await mailedPath(known.email))
  })

  test('a link that was shown creates no account, nor does one derived from the id', async () => {
    const victim = newVictim()
    const { server, attacker, decoy } = scene
    const { services } = server.running.opened
    const { body } = await invite(scene, attacker, decoy, victim)
    const shown = `${server.baseUrl}/invites/${services.inviteTokens.tokenFor(body.invite.id, 'shown')}`
    const page = await webClient(server).get(new URL(shown).pathname)
    expect(page.text).not.toContain('Create account and join')
    expect(page.text).toContain('Use the link in the mail that this server sent')
    const form = await webClient(server).get(`${new URL(shown).pathname}/sign-up`)
    expect([form.status, form.text]).toEqual([403, expect.stringContaining('This link creates no account')])
    await trySignUp(scene, victim, [shown])
    expect(await services.accounts.byEmail(victim)).toBeNull()
  })

  test('the mailed link creates an account whose address is proven', async () => {
    const guest = newVictim()
    const { server, honest, team, desk } = scene
    await invite(scene, honest, team, guest)
    await invite(scene, honest, await desk.createTeam(honest, 'Also waiting'), guest)
    const path = await mailedPath(guest)
    const browser = webClient(server)
    const answer = await browser.submit(`${path}/sign-up`, `${path}/sign-up`, { password, again: password })
    expect([answer.status, answer.location]).toEqual([303, path])
    const account = await server.running.opened.services.accounts.byEmail(guest)
    expect(account?.emailProvenAt).toBeInstanceOf(Date)
    // Whoever holds the link owns the address, so that the sign-up also signs in.
    expect((await browser.get(path)).text).toContain('You are a member of this team')
    expect(await toldOf(scene, account?.id ?? '', guest)).toContain('Also waiting')
  })

  test('the mailed link starts no session of an existing account', async () => {
    const { server, honest, team } = scene
    const account = await accountWithPassword(server)
    await invite(scene, honest, team, account.email)
    const path = await mailedPath(account.email)
    const browser = webClient(server)
    const answer = await browser.submit(`${path}/sign-up`, `${path}/sign-up`, { password: fresh, again: fresh })
    expect(answer.location).toMatch(/^\/sign-in\?next=/)
    expect((await browser.get('/account')).location).toMatch(/^\/sign-in\?next=/)
    expect((await signIn(browser, account.email, fresh)).status).toBe(401)
  })

  test('the mailed link proves the address of the account that accepts with it', async () => {
    const { server, honest, team } = scene
    const account = await accountWithPassword(server, { emailProven: false })
    await invite(scene, honest, team, account.email)
    const path = await mailedPath(account.email)
    const browser = webClient(server)
    await signIn(browser, account.email)
    expect((await browser.submit(path, path, { answer: 'accept' })).status).toBe(303)
    expect((await server.running.opened.services.accounts.byId(account.id))?.emailProvenAt).toBeInstanceOf(Date)
  })

  test('the link of an administrator creates an account; other leaders of the team do not see it', async () => {
    const guest = newVictim()
    const { server, desk, attacker, decoy } = scene
    const { services } = server.running.opened
    const admin = await accountWithPassword(server, { admin: true })
    await desk.addMember(decoy, admin, 'ADMIN')
    const { key } = await createApiKey(services, admin.id, {})
    const { body } = await desk.call({ key }, `POST /teams/${decoy}/members`, { email: guest })
    expect(await linksShown(scene, [])).not.toContain(body.invite.url)
    const renewed = await invite(scene, attacker, decoy, guest)
    expect(renewed.body.invite).toMatchObject({ id: body.invite.id, url: null })
    const path = new URL(body.invite.url).pathname
    await webClient(server).submit(`${path}/sign-up`, `${path}/sign-up`, { password, again: password })
    expect((await services.accounts.byEmail(guest))?.emailProvenAt).toBeInstanceOf(Date)
  })

  test('a reset link gives the account to the owner of the address, and ends access created by others', async () => {
    const { server, honest, team } = scene
    const { services } = server.running.opened
    const account = await accountWithPassword(server, { emailProven: false })
    await invite(scene, honest, team, account.email)
    const { key } = await createApiKey(services, account.id, {})
    const { url } = await issueLink(services, 'reset', account.id)
    const owner = webClient(server)
    expect((await owner.get(new URL(url).pathname + new URL(url).search)).text).toContain(
      'connected apps will stop working too',
    )
    await owner.submit(new URL(url).pathname + new URL(url).search, '/reset', { password: fresh, again: fresh })
    expect((await services.accounts.byId(account.id))?.emailProvenAt).toBeInstanceOf(Date)
    expect((await send(server, key, { method: 'GET', path: '/api/v1/invites' })).status).toBe(401)
    await signIn(owner, account.email, fresh)
    expect((await owner.get('/invites')).text).toContain(secretTeam)
    const own = await createApiKey(services, account.id, {})
    const second = await issueLink(services, 'reset', account.id)
    const address = new URL(second.url).pathname + new URL(second.url).search
    await webClient(server).submit(address, '/reset', { password, again: password })
    expect((await send(server, own.key, { method: 'GET', path: '/api/v1/invites' })).status).toBe(200)
  })

  test('an account confirms its address by a mail; that requires both the account and the address', async () => {
    const { server, honest, team } = scene
    const { services } = server.running.opened
    const account = await accountWithPassword(server, { emailProven: false })
    const browser = webClient(server)
    await signIn(browser, account.email)
    const sent = await browser.submit('/account', '/account/confirm-email/send', {})
    expect(sent.location).toBe('/account?done=confirmation-sent')
    const path = await mailedPath(account.email)
    await invite(scene, honest, team, account.email)
    const isProven = async () => (await services.accounts.byId(account.id))?.emailProvenAt !== null
    expect((await webClient(server).get(path)).location).toMatch(/^\/sign-in/)
    const stranger = await accountWithPassword(server)
    const other = webClient(server)
    await signIn(other, stranger.email)
    expect((await other.get(path)).status).toBe(404)
    const csrf = /name="csrf" value="([^"]+)"/.exec((await other.get('/account')).text)?.[1] ?? ''
    const token = new URL(path, server.baseUrl).searchParams.get('token') ?? ''
    expect((await other.post('/account/confirm-email', { csrf, token })).status).toBe(404)
    await browser.get(path)
    expect(await isProven()).toBe(false)
    expect((await browser.submit(path, '/account/confirm-email', {})).location).toBe('/account?done=confirmed')
    expect(await isProven()).toBe(true)
    expect(await toldOf(scene, account.id, account.email)).toContain(secretTeam)
    expect((await browser.get('/account')).text).not.toContain('/account/confirm-email/send')
  })

  test('at most four confirmation mails an hour go to one address', async () => {
    const account = await accountWithPassword(scene.server, { emailProven: false })
    const browser = webClient(scene.server)
    await signIn(browser, account.email)
    const statuses: number[] = []
    for (let i = 0; i < 5; i++)
      statuses.push((await browser.submit('/account', '/account/confirm-email/send', {})).status)
    expect(statuses).toEqual([303, 303, 303, 303, 429])
  })
})

describe('a store of the first release', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await sceneOn({})
  })
  afterAll(() => scene.server.close())

  test('its accounts stay usable and unproven, except for administrators; its links count as shown', async () => {
    const { server, desk, honest, team } = scene
    const { services } = server.running.opened
    const { db } = server.running.opened.database
    const [account, admin] = [await accountWithPassword(server), await accountWithPassword(server, { admin: true })]
    await db
      .collection('accounts')
      .updateMany({ email: { $in: [account.email, admin.email] } }, { $unset: { emailProvenAt: '' } })
    expect((await services.accounts.byId(account.id))?.emailProvenAt).toBeNull()
    expect((await services.accounts.byId(admin.id))?.emailProvenAt).toEqual(admin.createdAt)
    expect((await signIn(webClient(server), account.email)).status).toBe(303)
    const { body } = await invite(scene, honest, team, account.email)
    const { key } = await createApiKey(services, account.id, {})
    expect((await desk.call({ key }, 'GET /invites')).body).toEqual({
      invites: [],
      note: expect.stringContaining('/account'),
    })
    expect(services.inviteTokens.verify(tokenOf(body.invite.url))?.kind).toBe('shown')
    expect((await desk.call({ key }, `POST /invites/${tokenOf(body.invite.url)}/accept`)).status).toBe(200)
  })
})
