import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { inviteMember } from '../../src/teams/invite-member.ts'
import { contextOf } from '../support/context.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { createTeamClient, tokenOf, type TeamClient } from '../support/team-client.ts'
import { webClient } from '../support/web-client.ts'
import { accountWithPassword } from '../support/signed-in-person.ts'

const server = useTestServer({ LECTERN_ROLE: 'web', LECTERN_SIGNUP: 'team' })
let desk: TeamClient
let the: { owner: Person; admin: Person; guest: Person; team: string }

beforeAll(() => {
  desk = createTeamClient(server)
})
beforeEach(async () => {
  const [owner, admin, guest] = [await server.createPerson(), await server.createPerson(), await server.createPerson()]
  const team = await desk.createTeam(owner)
  await desk.addMember(team, admin, 'ADMIN')
  the = { owner, admin, guest, team }
})

const invite = (person: Person, email: string, role?: string) =>
  desk.call(person, `POST /teams/${the.team}/members`, { email, role })
const accept = (person: Pick<Person, 'key'>, url: string) => desk.call(person, `POST /invites/${tokenOf(url)}/accept`)
const setRole = (role: string) =>
  desk.call(the.owner, `PATCH /teams/${the.team}/members`, { email: the.admin.email, role })
const remove = () => desk.call(the.owner, `DELETE /teams/${the.team}/members`, { email: the.admin.email })
const leave = () => desk.call(the.admin, `POST /teams/${the.team}/leave`)
const pendingOf = async () =>
  (await desk.call(the.owner, `GET /teams/${the.team}/members`)).body.invites.map(({ email }: Person) => email)

describe.for([
  ['removed', remove],
  ['demoted', () => setRole('MEMBER')],
  ['gone', leave],
] as const)('an admin who was %s', ([, lose]) => {
  test('leaves no invitation with which an accomplice could get in', async () => {
    const stranger = 'friend@lectern.example'
    const [known, unknown] = [await invite(the.admin, the.guest.email), await invite(the.admin, stranger)]
    const kept = await invite(the.owner, 'kept@lectern.example')
    expect((await lose()).status).toBe(200)
    expect((await accept(the.guest, known.body.invite.url)).status).toBe(404)
    expect((await desk.call(the.guest, 'GET /invites')).body.invites).toEqual([])
    const path = `${new URL(unknown.body.invite.url).pathname}/sign-up`
    expect((await webClient(server).get(path)).status).toBe(404)
    expect(await server.running.opened.services.accounts.byEmail(stranger)).toBeNull()
    expect(await pendingOf()).toEqual([kept.body.invite.email])
  })
})

describe('an invitation of a former admin', () => {
  const losses = { demoted: () => setRole('MEMBER'), removed: remove }

  test.for(Object.entries(losses))('that a crash has kept is void: %s', async ([, lose]) => {
    const { body } = await invite(the.admin, the.guest.email)
    const rows = server.running.opened.database.db.collection('invites')
    const row = await rows.findOne({ inviteId: body.invite.id })
    await lose()
    await rows.insertOne(row as never)
    expect((await desk.call(the.guest, 'GET /invites')).body.invites).toEqual([])
    expect((await accept(the.guest, body.invite.url)).status).toBe(404)
    expect((await webClient(server).get(new URL(body.invite.url).pathname)).status).toBe(404)
  })

  test('to be an admin, as the first release allowed it, is void if an admin sent it', async () => {
    const { body } = await invite(the.admin, the.guest.email)
    const rows = server.running.opened.database.db.collection('invites')
    await rows.updateOne({ inviteId: body.invite.id }, { $set: { role: 'ADMIN' } })
    expect((await desk.call(the.guest, 'GET /invites')).body.invites).toEqual([])
    expect((await accept(the.guest, body.invite.url)).status).toBe(404)
    await setRole('OWNER')
    expect((await accept(the.guest, body.invite.url)).body.team.role).toBe('ADMIN')
  })

  test('that is sent while the role is being lost is removed', async () => {
    const ctx = await contextOf(server, the.admin)
    const invites = {
      ...ctx.invites,
      async createOrRenew(...args: Parameters<typeof ctx.invites.createOrRenew>) {
        await setRole('MEMBER')
        return ctx.invites.createOrRenew(...args)
      },
    }
    const sending = inviteMember({ ...ctx, invites }, { teamId: the.team, email: the.guest.email })
    await expect(sending).rejects.toMatchObject({ code: 'FORBIDDEN_ROLE' })
    expect(await pendingOf()).toEqual([])
  })

  test('that an owner renewed belongs to the owner, and stays', async () => {
    await invite(the.admin, the.guest.email)
    const { body } = await invite(the.owner, the.guest.email)
    await setRole('MEMBER')
    expect((await accept(the.guest, body.invite.url)).status).toBe(200)
  })

  test('that was accepted stays: the members remain', async () => {
    const { body } = await invite(the.admin, the.guest.email)
    await accept(the.guest, body.invite.url)
    await remove()
    expect((await accept(the.guest, body.invite.url)).status).toBe(200)
    expect((await desk.call(the.guest, 'GET /teams')).body.teams).toHaveLength(1)
  })
})

describe('only owners can invite admins', () => {
  test('an admin who invites an admin is refused, also by renewing the invitation of an owner', async () => {
    const refusal = { status: 403, code: 'FORBIDDEN_ROLE', message: /Only an OWNER .* MEMBER, or ask an owner/ }
    expectRefusal(await invite(the.admin, the.guest.email, 'ADMIN'), 'rest', refusal)
    expect(await pendingOf()).toEqual([])
    await invite(the.owner, the.guest.email, 'MEMBER')
    expectRefusal(await invite(the.admin, the.guest.email, 'ADMIN'), 'rest', refusal)
    const { body } = await desk.call(the.owner, `GET /teams/${the.team}/members`)
    expect(body.invites).toMatchObject([{ role: 'MEMBER' }])
    expect((await invite(the.owner, the.guest.email, 'ADMIN')).body.invite.role).toBe('ADMIN')
    expect((await invite(the.admin, 'other@lectern.example')).status).toBe(201)
  })

  test('an owner who becomes an admin leaves invitations of members, none of admins', async () => {
    await setRole('OWNER')
    await invite(the.admin, 'admin@lectern.example', 'ADMIN')
    await invite(the.admin, 'member@lectern.example')
    await setRole('ADMIN')
    expect(await pendingOf()).toEqual(['member@lectern.example'])
  })
})

test("closing an account with another account's address removes none of its invitations", async () => {
  const { services } = server.running.opened
  const account = await accountWithPassword(server, { emailProven: false })
  await invite(the.owner, account.email)
  await services.invites.eraseAccount(account)
  expect(await pendingOf()).toEqual([account.email])
  await services.invites.eraseAccount({ ...account, emailProvenAt: new Date() })
  expect(await pendingOf()).toEqual([])
})
