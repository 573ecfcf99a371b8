import { makeBook } from '../../support/make-book.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { send } from '../../support/transports.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { createTeamClient, type TeamClient } from '../../support/team-client.ts'

const server = useTestServer()
let desk: TeamClient

beforeAll(async () => {
  desk = createTeamClient(server)
})

async function scene() {
  const [owner, admin, member] = (await Promise.all([1, 2, 3].map(() => server.createPerson()))) as [
    Person,
    Person,
    Person,
  ]
  const team = await desk.createTeam(owner, 'The team')
  await desk.addMember(team, admin, 'ADMIN')
  await desk.addMember(team, member)
  return { owner, admin, member, team }
}

const idOf = /^[a-z0-9]{26}$/
/** The fields of a team without departments and books, except its members. */
const nothingInIt = { seatLimit: null, departmentCount: 0, itemCount: 0 }
const teamMemberId = expect.stringMatching(/^[a-z0-9]{24,32}$/)

describe('a team', () => {
  test('is created with the caller as owner, and listed by name with role and member count', async () => {
    const { owner, admin, team } = await scene()
    const { status, body } = await desk.call(admin, 'POST /teams', { name: '  Another ' })
    expect(status).toBe(201)
    expect(body).toEqual({
      team: { id: expect.stringMatching(idOf), name: 'Another', role: 'OWNER', memberCount: 1, ...nothingInIt },
    })
    expect((await desk.call(admin, 'GET /teams')).body).toEqual({
      teams: [body.team, { id: team, name: 'The team', role: 'ADMIN', memberCount: 3, ...nothingInIt }],
    })
    expect((await desk.call(owner, 'GET /teams')).body.teams).toMatchObject([{ id: team, role: 'OWNER' }])
    expect((await desk.call(await server.createPerson(), 'GET /teams')).body).toEqual({ teams: [] })
  })

  test.for([
    ['no name', undefined, /name is required/],
    ['blank', '  ', /name must have 1 to 100 characters/],
    ['101 characters', 'n'.repeat(101), /name must have 1 to 100 characters/],
    ['only punctuation', '!!', /name needs a letter or a digit/],
    ['a bidirectional override', 'Press\u202eecilA', /name must be one line, without .* invisible characters/],
    ['a zero-width space, as another name', 'Ac\u200bme', /name must be one line, without .* invisible characters/],
    ['a line separator', 'Acme\u2028Books', /name must be one line, without .* invisible characters/],
    ['tag characters', 'Acme\u{e0041}', /name must be one line, without .* invisible characters/],
    ['two lines', 'A\nB', /name must be one line/],
    ['a number', 7, /name must be a string/],
  ] as const)('refuses a name that is %s', async ([, name, says]) => {
    const { status, body } = await desk.call(await server.createPerson(), 'POST /teams', { name })
    expect([status, body.code]).toEqual([400, 'INVALID_INPUT'])
    expect(body.error).toMatch(says)
  })

  test('shows each member the numbers of what they can see', async () => {
    const { owner, admin, member, team } = await scene()
    await desk.createDepartment(team, owner, 'Sales', [member])
    await desk.createDepartment(team, owner, 'Press')
    const [own, whole, sales, press] = [
      await makeBook(server, member),
      await makeBook(server, owner),
      await makeBook(server, owner),
      await makeBook(server, owner),
    ]
    await desk.shareItem(team, member, own)
    await desk.call(owner, `PATCH /teams/${team}/items`, { itemId: own, departmentSlugs: ['press'] })
    await desk.shareItem(team, owner, whole)
    await desk.shareItem(team, owner, sales, { departmentSlugs: ['sales', 'press'] })
    await desk.shareItem(team, owner, press, { departmentSlugs: ['press'] })
    const otherTeam = await desk.createTeam(member, 'Zoo')
    for (const person of [owner, admin]) {
      const { teams } = (await desk.call(person, 'GET /teams')).body
      expect(teams).toMatchObject([{ id: team, memberCount: 3, departmentCount: 2, itemCount: 4 }])
    }
    const { teams } = (await desk.call(member, 'GET /teams')).body
    expect(teams).toMatchObject([
      { id: team, departmentCount: 1, itemCount: 3 },
      { id: otherTeam, departmentCount: 0, itemCount: 0 },
    ])
    const { items } = (await desk.call(member, `GET /teams/${team}/items`)).body
    expect(items).toHaveLength(3)
  })

  test('omits seatLimit for a client that fails on null', async () => {
    const { owner, team } = await scene()
    const headers = { 'User-Agent': 'ck-cli/0.7.42' }
    const { body } = await send(server, owner.key, { method: 'GET', path: '/api/v1/teams', headers })
    const { seatLimit: _, ...counts } = nothingInIt
    expect(body).toEqual({ teams: [{ id: team, name: 'The team', role: 'OWNER', memberCount: 3, ...counts }] })
  })

  test('is renamed by its owner', async () => {
    const { owner, member, team } = await scene()
    const { body } = await desk.call(owner, `PATCH /teams/${team}`, { name: 'Renamed' })
    expect(body).toEqual({ team: { id: team, name: 'Renamed', role: 'OWNER', memberCount: 3, ...nothingInIt } })
    expect((await desk.call(member, 'GET /teams')).body.teams).toMatchObject([{ name: 'Renamed' }])
  })

  test('that is deleted disappears for everybody, with everything that belonged to it', async () => {
    const { owner, member, team } = await scene()
    await desk.createDepartment(team, owner, 'Sales', [member])
    await desk.call(owner, `POST /teams/${team}/members`, { email: 'guest@lectern.example' })
    expect((await desk.call(owner, `DELETE /teams/${team}`)).body).toEqual({ success: true })
    for (const person of [owner, member]) {
      expect((await desk.call(person, 'GET /teams')).body).toEqual({ teams: [] })
      expect((await desk.call(person, `GET /teams/${team}/members`)).body.code).toBe('NOT_A_TEAM_MEMBER')
    }
    const { db } = server.running.opened.database
    for (const collection of ['members', 'departments', 'shares', 'invites']) {
      expect([collection, await db.collection(collection).countDocuments({ teamId: team })]).toEqual([collection, 0])
    }
  })

  test('is created once by calls with one idempotency key', async () => {
    const person = await server.createPerson()
    const found = () =>
      send(server, person.key, {
        method: 'POST',
        path: '/api/v1/teams',
        body: { name: 'Once' },
        headers: { 'Idempotency-Key': 'once' },
      })
    expect((await found()).body).toEqual((await found()).body)
    expect((await desk.call(person, 'GET /teams')).body.teams).toHaveLength(1)
  })
})

describe('the list of members', () => {
  test('shows addresses to owners and admins, owners first', async () => {
    const { owner, admin, member, team } = await scene()
    await desk.createDepartment(team, owner, 'Sales', [member])
    const nameOf = ({ email }: Person) => email.split('@')[0]
    const { body } = await desk.call(admin, `GET /teams/${team}/members`)
    expect(body).toEqual({
      members: [
        { teamMemberId, email: owner.email, emailHidden: false, name: nameOf(owner), role: 'OWNER', departments: [] },
        { teamMemberId, email: admin.email, emailHidden: false, name: nameOf(admin), role: 'ADMIN', departments: [] },
        {
          teamMemberId,
          email: member.email,
          emailHidden: false,
          name: nameOf(member),
          role: 'MEMBER',
          departments: ['sales'],
        },
      ],
      invites: [],
    })
  })

  test('gives each member an opaque id per team, the same everywhere, that reveals nothing about the account', async () => {
    const { owner, member, team } = await scene()
    await desk.createDepartment(team, owner, 'Sales', [member])
    const { members } = (await desk.call(owner, `GET /teams/${team}/members`)).body
    expect(new Set(members.map((each: { teamMemberId: string }) => each.teamMemberId)).size).toBe(3)
    const [inDepartment] = (await desk.call(owner, `GET /teams/${team}/departments/sales/members`)).body.members
    expect(inDepartment).toEqual(members[2])
    const elsewhere = await desk.createTeam(owner, 'Elsewhere')
    await desk.addMember(elsewhere, member)
    const there = (await desk.call(owner, `GET /teams/${elsewhere}/members`)).body.members[1]
    expect(there.email).toBe(member.email)
    expect(there.teamMemberId).not.toBe(inDepartment.teamMemberId)
    expect(JSON.stringify(members)).not.toContain(member.id)
  })

  test('masks the addresses of others to plain members, and names that repeat an address', async () => {
    const { owner, admin, member, team } = await scene()
    await server.running.opened.services.accounts.change(admin.id, { name: 'Ada Admin' })
    await desk.createDepartment(team, owner, 'Sales', [admin])
    await desk.createDepartment(team, owner, 'Press', [member, admin])
    await desk.call(owner, `POST /teams/${team}/members`, { email: 'guest@lectern.example' })
    const { body, text } = await desk.call(member, `GET /teams/${team}/members`)
    const masked = 'r***@lectern.example'
    expect(body.members).toEqual([
      { teamMemberId, email: masked, emailHidden: true, name: 'r***', role: 'OWNER', departments: [] },
      { teamMemberId, email: masked, emailHidden: true, name: 'Ada Admin', role: 'ADMIN', departments: ['press'] },
      {
        teamMemberId,
        email: member.email,
        emailHidden: false,
        name: expect.any(String),
        role: 'MEMBER',
        departments: ['press'],
      },
    ])
    expect(body.invites).toMatchObject([
      { email: 'g***@lectern.example', emailHidden: true, invitedBy: 'r***', url: null, status: 'PENDING' },
    ])
    for (const { email } of [owner, admin]) expect(text).not.toContain(email.split('@')[0])
    expect(text).not.toContain('guest')
  })
})

describe('roles', () => {
  test('are read in any case', async () => {
    const { owner, member, team } = await scene()
    const route = `/teams/${team}/members`
    const { body } = await desk.call(owner, `PATCH ${route}`, { email: member.email, role: 'admin' })
    expect(body).toMatchObject({ member: { role: 'ADMIN' } })
    for (const [role, invited] of [
      ['admin', 'ADMIN'],
      ['Member', 'MEMBER'],
      ['chief', 'MEMBER'],
    ]) {
      const answer = await desk.call(owner, `POST ${route}`, { email: `${role}@lectern.example`, role })
      expect(answer.body.invite.role).toBe(invited)
    }
    const unknown = await desk.call(owner, `PATCH ${route}`, { email: member.email, role: 'chief' })
    expect([unknown.status, unknown.body.code]).toEqual([400, 'INVALID_INPUT'])
  })

  test('are changed by owners, also to OWNER', async () => {
    const { owner, admin, team } = await scene()
    const route = `PATCH /teams/${team}/members`
    const { body } = await desk.call(owner, route, { email: admin.email.toUpperCase(), role: 'OWNER' })
    expect(body).toMatchObject({ success: true, member: { email: admin.email, role: 'OWNER' } })
    expect((await desk.call(admin, route, { email: owner.email, role: 'MEMBER' })).status).toBe(200)
    expect((await desk.call(owner, 'GET /teams')).body.teams).toMatchObject([{ role: 'MEMBER' }])
  })

  test.for([
    ['an unknown role', 'KING', 400, 'INVALID_INPUT'],
    ['no role', undefined, 400, 'INVALID_INPUT'],
    ['an address without a member', 'ADMIN', 404, 'MEMBER_NOT_FOUND'],
  ] as const)('refuses %s', async ([, role, status, code]) => {
    const { owner, team } = await scene()
    const answer = await desk.call(owner, `PATCH /teams/${team}/members`, { email: 'nobody@lectern.example', role })
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })

  test('the last owner cannot lose the role', async () => {
    const { owner, team } = await scene()
    const step = await desk.call(owner, `PATCH /teams/${team}/members`, { email: owner.email, role: 'ADMIN' })
    expect([step.status, step.body.code]).toEqual([409, 'CONFLICT'])
    const leave = await desk.call(owner, `POST /teams/${team}/leave`)
    expect([leave.status, leave.body.code]).toEqual([409, 'CONFLICT'])
    expect(leave.body.error).toMatch(/Make another member an owner first, or delete the team/)
    expect((await desk.call(owner, 'GET /teams')).body.teams).toMatchObject([{ role: 'OWNER' }])
  })

  test('of two owners who leave in parallel one stays', async () => {
    for (let run = 0; run < 5; run++) {
      const { owner, admin, team } = await scene()
      await desk.call(owner, `PATCH /teams/${team}/members`, { email: admin.email, role: 'OWNER' })
      const answers = await Promise.all([owner, admin].map((person) => desk.call(person, `POST /teams/${team}/leave`)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    }
  })

  test('of two owners who remove each other in parallel one stays', async () => {
    const { owner, admin, team } = await scene()
    await desk.call(owner, `PATCH /teams/${team}/members`, { email: admin.email, role: 'OWNER' })
    const remove = (by: Person, { email }: Person) => desk.call(by, `DELETE /teams/${team}/members`, { email })
    await Promise.all([remove(owner, admin), remove(admin, owner)])
    const left = await server.running.opened.services.members.list(team)
    expect(left.filter(({ role }) => role === 'OWNER')).toHaveLength(1)
  })
})

describe('removing', () => {
  test('removes a member from the team', async () => {
    const { owner, member, team } = await scene()
    const { body } = await desk.call(owner, `DELETE /teams/${team}/members`, {
      email: ` ${member.email.toUpperCase()} `,
    })
    expect(body).toEqual({ success: true, member: { email: member.email } })
    expect((await desk.call(member, 'GET /teams')).body).toEqual({ teams: [] })
    expect((await desk.call(owner, 'GET /teams')).body.teams).toMatchObject([{ memberCount: 2 }])
  })

  test('revokes an invitation that nobody has accepted', async () => {
    const { owner, team } = await scene()
    const guest = await server.createPerson()
    await desk.call(owner, `POST /teams/${team}/members`, { email: guest.email })
    const { body } = await desk.call(owner, `DELETE /teams/${team}/members`, { email: guest.email })
    expect(body).toEqual({ success: true, member: { email: guest.email } })
    expect((await desk.call(guest, 'GET /invites')).body).toEqual({ invites: [] })
  })

  test('refuses oneself and unknown addresses', async () => {
    const { owner, team } = await scene()
    const self = await desk.call(owner, `DELETE /teams/${team}/members`, { email: owner.email })
    expect([self.status, self.body.code]).toEqual([400, 'CANNOT_REMOVE_SELF'])
    expect(self.body.error).toMatch(/cannot remove yourself/)
    const absent = await desk.call(owner, `DELETE /teams/${team}/members`, { email: 'nobody@lectern.example' })
    expect([absent.status, absent.body.code]).toEqual([404, 'MEMBER_NOT_FOUND'])
  })
})
