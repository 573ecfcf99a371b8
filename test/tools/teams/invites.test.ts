import { beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { createTeamClient, tokenOf, type TeamClient } from '../../support/team-client.ts'

const server = useTestServer({ LECTERN_SIGNUP: 'team' })
let desk: TeamClient

beforeAll(async () => {
  desk = createTeamClient(server)
})

async function scene() {
  const [owner, guest] = (await Promise.all([1, 2].map(() => server.createPerson()))) as [Person, Person]
  return { owner, guest, team: await desk.createTeam(owner, 'The team') }
}

const invite = (owner: Person, team: string, body: object) => desk.call(owner, `POST /teams/${team}/members`, body)
const accept = (person: Person, url: string) => desk.call(person, `POST /invites/${tokenOf(url)}/accept`)
const decline = (person: Person, url: string) => desk.call(person, `POST /invites/${tokenOf(url)}/decline`)

/** Moves the expiry of all invitations of an address into the past. */
async function expire({ email }: Person): Promise<void> {
  const rows = server.running.opened.database.db.collection('invites')
  await rows.updateMany({ email }, { $set: { expiresAt: new Date(Date.now() - 1000) } })
}

describe('inviting', () => {
  test('creates an invitation for seven days, whether or not the address has an account', async () => {
    const { owner, guest, team } = await scene()
    for (const email of [guest.email, 'stranger@lectern.example']) {
      const { status, body } = await invite(owner, team, { email: email.toUpperCase() })
      expect(status).toBe(201)
      const { url, createdAt, expiresAt, ...shown } = body.invite
      expect(body).toMatchObject({
        member: null,
        added: false,
        invited: true,
        pending: true,
        resent: false,
        created: true,
        alreadyExisted: false,
      })
      expect(shown).toEqual({
        id: expect.stringMatching(/^[a-z0-9]{26}$/),
        email,
        emailHidden: false,
        role: 'MEMBER',
        status: 'PENDING',
        invitedBy: owner.email.split('@')[0],
      })
      expect(url).toMatch(new RegExp(`^${server.baseUrl}/invites/[\\w-]{60,}$`))
      expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(7 * 24 * 60 * 60 * 1000)
    }
    const { body } = await desk.call(owner, `GET /teams/${team}/members`)
    expect(body.members).toHaveLength(1)
    expect(body.invites).toHaveLength(2)
  })

  test('again renews the same invitation with the latest role', async () => {
    const { owner, guest, team } = await scene()
    const first = (await invite(owner, team, { email: guest.email })).body.invite
    const { status, body } = await invite(owner, team, { email: guest.email, role: 'ADMIN' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ resent: true, created: false, alreadyExisted: true, pending: true, invited: true })
    expect(body.invite).toMatchObject({ id: first.id, url: first.url, role: 'ADMIN' })
  })

  test('a current member changes nothing', async () => {
    const { owner, guest, team } = await scene()
    await desk.inviteAndAccept(team, owner, guest)
    const { status, body } = await invite(owner, team, { email: guest.email, role: 'ADMIN' })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      invite: null,
      member: { email: guest.email, role: 'MEMBER' },
      added: false,
      invited: false,
      pending: false,
      created: false,
      alreadyExisted: true,
    })
  })

  test.for([['OWNER'], ['KING'], [7], [null], [undefined]] as const)('the role %s becomes MEMBER', async ([role]) => {
    const { owner, guest, team } = await scene()
    expect((await invite(owner, team, { email: guest.email, role })).body.invite.role).toBe('MEMBER')
  })

  test.for([
    ['no address', undefined, /email is required/],
    ['an invalid address', 'nobody', /Enter an email address/],
    ['an operator', { $ne: '' }, /email must be a string/],
  ] as const)('refuses %s', async ([, email, says]) => {
    const { owner, team } = await scene()
    const { status, body } = await invite(owner, team, { email })
    expect([status, body.code]).toEqual([400, 'INVALID_INPUT'])
    expect(body.error).toMatch(says)
  })

  test('one address in parallel creates one invitation', async () => {
    const { owner, guest, team } = await scene()
    const answers = await Promise.all(Array.from({ length: 10 }, () => invite(owner, team, { email: guest.email })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(9)
    expect(new Set(answers.map(({ body }) => body.invite.url)).size).toBe(1)
    expect((await desk.call(guest, 'GET /invites')).body.invites).toHaveLength(1)
  })

  test('notifies an existing account once, without the link', async () => {
    const { owner, guest, team } = await scene()
    const { url } = (await invite(owner, team, { email: guest.email })).body.invite
    await invite(owner, team, { email: guest.email })
    const { body, text } = await desk.call(guest, 'GET /user/notifications?type=team_invite')
    expect(body.notifications).toMatchObject([
      {
        title: expect.stringMatching(/invites you to the team "The team"/),
        metadata: { teamId: team, role: 'MEMBER' },
      },
    ])
    expect(text).not.toContain(tokenOf(url))
  })

  test('stores no token', async () => {
    const { owner, guest, team } = await scene()
    const { url } = (await invite(owner, team, { email: guest.email })).body.invite
    const mac = tokenOf(url).slice(26)
    for (const collection of ['invites', 'notifications']) {
      const rows = await server.running.opened.database.db.collection(collection).find().toArray()
      expect(rows.length).toBeGreaterThan(0)
      expect(JSON.stringify(rows)).not.toContain(mac)
    }
  })
})

describe('an invitation', () => {
  test('is listed for its address, and accepting it creates a membership', async () => {
    const { owner, guest, team } = await scene()
    const { id, url, expiresAt } = (await invite(owner, team, { email: guest.email, role: 'ADMIN' })).body.invite
    expect((await desk.call(guest, 'GET /invites')).body).toEqual({
      invites: [{ id, teamId: team, teamName: 'The team', role: 'ADMIN', expiresAt, url }],
    })
    const { status, body } = await accept(guest, url)
    expect(status).toBe(200)
    const nothingInIt = { seatLimit: null, departmentCount: 0, itemCount: 0 }
    const joined = { id: team, name: 'The team', role: 'ADMIN', memberCount: 2, ...nothingInIt }
    expect(body).toEqual({ success: true, team: joined })
    expect((await accept(guest, url)).body).toEqual(body)
    expect((await desk.call(guest, 'GET /invites')).body).toEqual({ invites: [] })
    expect((await desk.call(owner, `GET /teams/${team}/members`)).body.invites).toEqual([])
  })

  test('that is declined creates no membership, and the address can be invited again', async () => {
    const { owner, guest, team } = await scene()
    const { url } = (await invite(owner, team, { email: guest.email })).body.invite
    expect((await decline(guest, url)).body).toEqual({ success: true })
    expect((await decline(guest, url)).body).toEqual({ success: true })
    expect((await accept(guest, url)).status).toBe(404)
    expect((await desk.call(guest, 'GET /invites')).body).toEqual({ invites: [] })
    const { body } = await desk.call(owner, `GET /teams/${team}/members`)
    expect(body.invites).toMatchObject([{ email: guest.email, status: 'DECLINED', url: null }])
    const again = await invite(owner, team, { email: guest.email })
    expect(again.status).toBe(201)
    expect(again.body.invite.url).not.toBe(url)
    expect((await accept(guest, again.body.invite.url)).status).toBe(200)
  })

  test('that has expired cannot be accepted, and inviting again replaces it', async () => {
    const { owner, guest, team } = await scene()
    const { url } = (await invite(owner, team, { email: guest.email })).body.invite
    await expire(guest)
    expect((await desk.call(guest, 'GET /invites')).body).toEqual({ invites: [] })
    for (const answer of [await accept(guest, url), await decline(guest, url)]) {
      expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND'])
    }
    const { body } = await desk.call(owner, `GET /teams/${team}/members`)
    expect(body.invites).toMatchObject([{ status: 'EXPIRED', url: null }])
    expect((await invite(owner, team, { email: guest.email })).status).toBe(201)
  })

  test('is only for its address; for others it looks missing', async () => {
    const { owner, guest, team } = await scene()
    const { url } = (await invite(owner, team, { email: guest.email })).body.invite
    const other = await server.createPerson()
    const foreign = await accept(other, url)
    const unknown = await accept(other, `${url.slice(0, -4)}AAAA`)
    expect(foreign.status).toBe(404)
    expect({ ...foreign.body, requestId: '' }).toEqual({ ...unknown.body, requestId: '' })
    expect(foreign.body.error).toMatch(/for another email address/)
    expect((await decline(other, url)).status).toBe(404)
    expect((await accept(guest, url)).status).toBe(200)
  })

  test('that was used does not readmit a removed member', async () => {
    const { owner, guest, team } = await scene()
    const { url } = (await invite(owner, team, { email: guest.email })).body.invite
    await accept(guest, url)
    await desk.call(owner, `DELETE /teams/${team}/members`, { email: guest.email })
    expect((await accept(guest, url)).status).toBe(404)
    expect((await desk.call(guest, 'GET /teams')).body).toEqual({ teams: [] })
    await desk.inviteAndAccept(team, owner, guest)
  })

  test('that is accepted many times in parallel creates one membership', async () => {
    const { owner, guest, team } = await scene()
    const { url } = (await invite(owner, team, { email: guest.email })).body.invite
    const answers = await Promise.all(Array.from({ length: 8 }, () => accept(guest, url)))
    expect(answers.filter(({ ok }) => ok).length).toBeGreaterThan(0)
    expect((await desk.call(owner, 'GET /teams')).body.teams).toMatchObject([{ memberCount: 2 }])
  })

  test('ends with its team', async () => {
    const { owner, guest, team } = await scene()
    const { url } = (await invite(owner, team, { email: guest.email })).body.invite
    await desk.call(owner, `DELETE /teams/${team}`)
    expect((await desk.call(guest, 'GET /invites')).body).toEqual({ invites: [] })
    expect((await accept(guest, url)).status).toBe(404)
  })
})
