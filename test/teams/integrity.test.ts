import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eraseMemberships } from '../../src/teams/erase-memberships.ts'
import { runChecks } from '../../src/admin/doctor/run-checks.ts'
import type { Context } from '../../src/app/context.ts'
import { sweep } from '../../src/maintenance/sweep.ts'
import { createLog } from '../../src/app/log.ts'
import { createManuscript } from '../../src/manuscripts/create-manuscript.ts'
import { acceptInvite } from '../../src/teams/answer-invite.ts'
import { createTeam } from '../../src/teams/create-team.ts'
import { deleteDepartment } from '../../src/teams/delete-department.ts'
import { deleteTeam } from '../../src/teams/delete-team.ts'
import { inviteMember } from '../../src/teams/invite-member.ts'
import { leaveTeam } from '../../src/teams/leave-team.ts'
import { shareItem } from '../../src/teams/share-item.ts'
import { updateShare } from '../../src/teams/update-share.ts'
import { makeBook } from '../support/make-book.ts'
import { contextOf } from '../support/context.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { createTeamClient, tokenOf, type TeamClient } from '../support/team-client.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let desk: TeamClient

beforeAll(async () => {
  desk = createTeamClient(server)
})

const crash = new Error('crash')
const crashes = () => Promise.reject(crash)
const rows = (name: string) => server.running.opened.database.db.collection<{ _id: string }>(name)

function sweepLater(): Promise<void> {
  const later = new Date(Date.now() + 10 * 60_000)
  return sweep({ ...server.running.opened.services, now: () => later, log: createLog('silent') })
}

async function findings(): Promise<string[]> {
  const { services, database } = server.running.opened
  const { checks } = await runChecks({ db: database.db, services, deep: false })
  return checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`)
}

interface Scene {
  owner: Person
  member: Person
  team: string
  /** A book of the owner, shared with Sales. */
  book: string
  /** A book of the member, shared with the team. */
  own: string
  department: string
  as: { owner: Context; member: Context }
}

let the: Scene

beforeEach(async () => {
  const [owner, member] = await Promise.all([server.createPerson(), server.createPerson()])
  const team = await desk.createTeam(owner)
  await desk.addMember(team, member)
  const department = await desk.createDepartment(team, owner, 'Sales', [member])
  const [book, own] = [await makeBook(server, owner), await makeBook(server, member)]
  await desk.shareItem(team, owner, book, { departmentSlugs: ['sales'] })
  await desk.shareItem(team, member, own)
  const as = { owner: await contextOf(server, owner), member: await contextOf(server, member) }
  the = { owner, member, team, book, own, department, as }
})

const reads = async (person: Person, id: string) => (await desk.call(person, `GET /items/${id}/content`)).ok

describe('after a crash', () => {
  test('the sweep adds the missing founder to a new team', async () => {
    const { owner, as } = the
    const crashing = { ...as.owner, members: { ...as.owner.members, add: crashes } }
    await expect(createTeam(crashing, { name: 'Half' })).rejects.toThrow(crash)
    expect(await findings()).toEqual([])
    await sweepLater()
    const { teams } = (await desk.call(owner, 'GET /teams')).body
    expect(teams).toContainEqual(expect.objectContaining({ name: 'Half', role: 'OWNER', memberCount: 1 }))
  })

  test('a member who was leaving has no access, and the sweep removes their shares', async () => {
    const { owner, member, team, book, own, as } = the
    const crashing = { ...as.member, shares: { ...as.member.shares, removeOwned: crashes } }
    await expect(leaveTeam(crashing, { teamId: team })).rejects.toThrow(crash)
    expect(await reads(member, book)).toBe(false)
    expect(await findings()).toEqual([])
    await sweepLater()
    expect(await reads(owner, own)).toBe(false)
    expect(await rows('members').countDocuments({ teamId: team })).toBe(1)
  })

  test.for(['listLeaving', 'markLeaving'] as const)('the sweep completes the deletion of a team (%s)', async (step) => {
    const { owner, member, team, as } = the
    const crashing = { ...as.owner, members: { ...as.owner.members, [step]: crashes } }
    await expect(deleteTeam(crashing, { teamId: team })).rejects.toThrow(crash)
    for (const person of [owner, member]) expect((await desk.call(person, 'GET /teams')).body).toEqual({ teams: [] })
    await sweepLater()
    for (const name of ['members', 'departments', 'shares', 'invites']) {
      expect([name, await rows(name).countDocuments({ teamId: team } as object)]).toEqual([name, 0])
    }
    expect(await rows('teams').findOne({ _id: team })).toBeNull()
  })

  test('the sweep completes the deletion of a department, with its shares', async () => {
    const { owner, member, team, book, as } = the
    const crashing = { ...as.owner, shares: { ...as.owner.shares, removeDepartment: crashes } }
    await expect(deleteDepartment(crashing, { teamId: team, dept: 'sales' })).rejects.toThrow(crash)
    expect(await reads(member, book)).toBe(false)
    expect((await desk.call(owner, `GET /teams/${team}/departments`)).body).toEqual({ departments: [] })
    expect(await findings()).toEqual([])
    await sweepLater()
    expect(await server.running.opened.services.shares.find(team, book)).toBeNull()
    expect(await rows('departments').countDocuments({ teamId: team })).toBe(0)
  })

  test('the sweep, or accepting again, completes an interrupted acceptance', async () => {
    for (const finish of ['sweep', 'repeat']) {
      const guest = await server.createPerson()
      const { invite } = await inviteMember(the.as.owner, { teamId: the.team, email: guest.email })
      const token = tokenOf(invite?.url ?? '')
      const ctx = await contextOf(server, guest)
      await expect(acceptInvite({ ...ctx, members: { ...ctx.members, add: crashes } }, { token })).rejects.toThrow(
        crash,
      )
      expect((await desk.call(guest, 'GET /teams')).body).toEqual({ teams: [] })
      if (finish === 'sweep') await sweepLater()
      else await acceptInvite(ctx, { token })
      expect((await desk.call(guest, 'GET /teams')).body.teams).toMatchObject([{ id: the.team }])
    }
  })

  test('an interrupted acceptance does not readmit a member who has been removed since', async () => {
    const guest = await server.createPerson()
    const { invite } = await inviteMember(the.as.owner, { teamId: the.team, email: guest.email })
    const ctx = await contextOf(server, guest)
    const crashing = { ...ctx, invites: { ...ctx.invites, clearJoining: crashes } }
    await expect(acceptInvite(crashing, { token: tokenOf(invite?.url ?? '') })).rejects.toThrow(crash)
    await desk.call(the.owner, `DELETE /teams/${the.team}/members`, { email: guest.email })
    await sweepLater()
    expect((await desk.call(guest, 'GET /teams')).body).toEqual({ teams: [] })
  })

  test('the sweep shares the book of a team manuscript that is not shared yet', async () => {
    const { owner, team, as } = the
    const crashing = { ...as.member, shares: { ...as.member.shares, add: crashes } }
    await expect(createManuscript(crashing, { title: 'T', teamId: team })).rejects.toThrow(crash)
    expect((await desk.call(owner, 'GET /manuscripts')).body).toEqual({ manuscripts: [] })
    await sweepLater()
    expect((await desk.call(owner, 'GET /manuscripts')).body.manuscripts).toMatchObject([{ title: 'T', team: true }])
  })
})

describe('a share is reverted if, while it is created,', () => {
  /** Returns a context in which `happen` runs between the check and the write. */
  const afterAdd = (ctx: Context, happen: () => Promise<unknown>): Context => ({
    ...ctx,
    shares: {
      ...ctx.shares,
      async add(share) {
        const added = await ctx.shares.add(share)
        await happen()
        return added
      },
    },
  })

  test('the book is deleted', async () => {
    const { owner, team, as } = the
    const itemId = await makeBook(server, owner)
    const racing = afterAdd(as.owner, () => as.owner.books.remove(owner.id, itemId))
    const sharing = shareItem(racing, { teamId: team, itemId, accessLevel: 'READ' })
    await expect(sharing).rejects.toMatchObject({ code: 'ITEM_NOT_OWNED' })
    expect(await as.owner.shares.listByBook(itemId)).toEqual([])
    await server.running.opened.services.books.add({ ...(await bookLike(the.book)), id: itemId })
  })

  test('the owner of the book leaves the team', async () => {
    const { member, team, as } = the
    const itemId = await makeBook(server, member)
    const racing = afterAdd(as.member, () => leaveTeam(as.member, { teamId: team }))
    const sharing = shareItem(racing, { teamId: team, itemId, accessLevel: 'READ' })
    await expect(sharing).rejects.toMatchObject({ code: 'NOT_A_TEAM_MEMBER' })
    expect(await as.member.shares.listByBook(itemId)).toEqual([])
  })

  test('the department is deleted; it never becomes a share with the whole team', async () => {
    const { owner, team, book, as } = the
    const itemId = await makeBook(server, owner)
    const gone = () => deleteDepartment(as.owner, { teamId: team, dept: 'sales' })
    const sharing = shareItem(afterAdd(as.owner, gone), {
      teamId: team,
      itemId,
      departmentSlugs: ['sales'],
      accessLevel: 'READ',
    })
    await expect(sharing).rejects.toMatchObject({ code: 'DEPARTMENT_NOT_FOUND' })
    expect(await as.owner.shares.listByBook(itemId)).toEqual([])
    expect(await as.owner.shares.find(team, book)).toBeNull()
  })

  test('the department is deleted while the share is changed', async () => {
    const { owner, team, own, as } = the
    await desk.createDepartment(team, owner, 'Press')
    const racing: Context = {
      ...as.owner,
      shares: {
        ...as.owner.shares,
        async change(...given) {
          await deleteDepartment(as.owner, { teamId: team, dept: 'press' })
          return as.owner.shares.change(...given)
        },
      },
    }
    const changing = updateShare(racing, { teamId: team, itemId: own, departmentSlugs: ['press'] })
    await expect(changing).rejects.toMatchObject({ code: 'DEPARTMENT_NOT_FOUND' })
    expect(await as.owner.shares.find(team, own)).toBeNull()
  })

  test('the team is deleted while somebody joins', async () => {
    const guest = await server.createPerson()
    const { invite } = await inviteMember(the.as.owner, { teamId: the.team, email: guest.email })
    const ctx = await contextOf(server, guest)
    const racing: Context = {
      ...ctx,
      members: {
        ...ctx.members,
        async add(member) {
          await deleteTeam(the.as.owner, { teamId: the.team })
          return ctx.members.add(member)
        },
      },
    }
    await expect(acceptInvite(racing, { token: tokenOf(invite?.url ?? '') })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    expect(await rows('members').countDocuments({ teamId: the.team })).toBe(0)
  })

  test('the team is deleted right after somebody joined', async () => {
    const guest = await server.createPerson()
    const { invite } = await inviteMember(the.as.owner, { teamId: the.team, email: guest.email })
    const ctx = await contextOf(server, guest)
    const racing: Context = {
      ...ctx,
      audit: {
        ...ctx.audit,
        async record(entry) {
          await deleteTeam(the.as.owner, { teamId: the.team })
          await ctx.audit.record(entry)
        },
      },
    }
    await expect(acceptInvite(racing, { token: tokenOf(invite?.url ?? '') })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })
})

async function bookLike(id: string) {
  const [book] = await server.running.opened.services.books.byIds([id])
  if (!book) throw new Error(`There is no book ${id}`)
  return book
}

describe('an account that is erased', () => {
  const erase = async (person: Person) => {
    const { services } = server.running.opened
    const account = { ...person, emailProvenAt: new Date() }
    await eraseMemberships(services, account)
    await eraseMemberships(services, account)
  }

  test('leaves its teams to the next owner, without its shares', async () => {
    const { owner, member, team, book } = the
    await erase(owner)
    expect((await desk.call(member, 'GET /teams')).body.teams).toMatchObject([{ id: team, role: 'OWNER' }])
    expect(await reads(member, book)).toBe(false)
    expect((await desk.call(member, `PATCH /teams/${team}`, { name: 'Mine now' })).status).toBe(200)
  })

  test('leaves a team to an admin rather than to the member who joined first', async () => {
    const { owner, team } = the
    const admin = await server.createPerson()
    await desk.addMember(team, admin, 'ADMIN')
    await erase(owner)
    expect((await desk.call(admin, 'GET /teams')).body.teams).toMatchObject([{ id: team, role: 'OWNER' }])
  })

  test('takes teams without other members with it, and the invitations of its address', async () => {
    const alone = await server.createPerson()
    const team = await desk.createTeam(alone)
    await inviteMember(the.as.owner, { teamId: the.team, email: alone.email })
    await erase(alone)
    expect(await rows('teams').findOne({ _id: team })).toBeNull()
    const everything = await Promise.all(
      ['teams', 'members', 'departments', 'shares', 'invites'].map((name) => rows(name).find().toArray()),
    )
    expect(JSON.stringify(everything)).not.toContain(alone.email)
    expect(JSON.stringify(everything)).not.toContain(alone.id)
  })

  test('is removed from the invitations that it sent', async () => {
    const { owner } = the
    await inviteMember(the.as.owner, { teamId: the.team, email: 'guest@lectern.example' })
    await erase(owner)
    expect(JSON.stringify(await rows('invites').find().toArray())).not.toContain(owner.id)
  })
})

describe('the doctor', () => {
  type Break = [finding: RegExp, spoil: (scene: Scene) => Promise<() => Promise<unknown>>]
  const change = async (name: string, filter: object, update: object) => {
    const collection = rows(name)
    const before = await collection.find(filter as never).toArray()
    await collection.updateMany(filter, update)
    return async () => {
      for (const row of before) await collection.replaceOne({ _id: row._id }, row, { upsert: true })
    }
  }
  const drop = async (name: string, filter: object) => {
    const before = await rows(name)
      .find(filter as never)
      .toArray()
    await rows(name).deleteMany(filter)
    return async () => void (await rows(name).insertMany(before))
  }

  test.for<Break>([
    [/teams: team .* has no owner/, ({ team }) => change('teams', { _id: team }, { $set: { ownerIds: [] } })],
    [
      /teams: team .* is listed as owner but has no such membership/,
      ({ team }) => change('teams', { _id: team }, { $push: { ownerIds: 'nobody' } }),
    ],
    [/teams: member .* the team does not exist/, ({ team }) => drop('teams', { _id: team })],
    [/teams: member .* department .* does not exist/, ({ department }) => drop('departments', { _id: department })],
    [/shares: book .* department .* does not exist/, ({ department }) => drop('departments', { _id: department })],
    [
      /shares: book .* its owner is not in the team/,
      ({ team, member }) => drop('members', { _id: `${team}:${member.id}` }),
    ],
    [/shares: book .* it is not .*'s book/, ({ own }) => change('shares', { itemId: own }, { $set: { ownerId: 'x' } })],
    [
      /shares: book .* the book does not exist/,
      ({ own }) => change('shares', { itemId: own }, { $set: { itemId: 'x' } }),
    ],
  ])('finds %s', async ([finding, spoil]) => {
    expect(await findings()).toEqual([])
    const mend = await spoil(the)
    expect((await findings()).join('\n')).toMatch(finding)
    await mend()
    expect(await findings()).toEqual([])
  })
})
