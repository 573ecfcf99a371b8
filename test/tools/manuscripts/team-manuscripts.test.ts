import { beforeAll, describe, expect, test } from 'vitest'
import { transports } from '../../support/transports.ts'
import { makeBook } from '../../support/make-book.ts'
import { plansEnvironment } from '../../support/plans-environment.ts'
import { expectRefusal, type ExpectedRefusal } from '../../support/expect-refusal.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { createTeamClient, type TeamClient } from '../../support/team-client.ts'
import { countOwnedBooks } from '../../support/count-books.ts'

const server = useTestServer(await plansEnvironment({ tier: 'TWO', itemLimit: 10, manuscriptSlots: 2 }))
let desk: TeamClient

beforeAll(async () => {
  desk = createTeamClient(server)
})

const notFound: ExpectedRefusal = { status: 404, code: 'NOT_FOUND', message: /Manuscript not found/ }
const forbidden = (says: RegExp): ExpectedRefusal => ({ status: 403, code: 'FORBIDDEN', message: says })

describe.for(transports)('over %s', ([name, transport]) => {
  const call = async (person: Person, tool: string, input: Record<string, unknown> = {}) => {
    await server.running.opened.database.db.collection('rates').deleteMany({})
    return transport.call(server, person, tool, input)
  }
  const list = async (person: Person) => (await call(person, 'list_manuscripts')).body.manuscripts

  /** The author is a plain member; the owner and an admin manage the team. */
  async function scene(input: object = {}) {
    const [owner, admin, author, member, stranger] = await Promise.all([
      server.createPerson(),
      server.createPerson(),
      server.createPerson({ plan: 'TWO' }),
      server.createPerson(),
      server.createPerson(),
    ])
    const team = await desk.createTeam(owner)
    await desk.addMember(team, admin, 'ADMIN')
    for (const person of [author, member]) await desk.addMember(team, person)
    const made = await call(author, 'create_manuscript', { title: 'The wiki', teamId: team, ...input })
    return { owner, admin, author, member, stranger, team, made, manuscript: made.body.manuscript }
  }

  test('the members of the team list it and can read its book', async () => {
    const { owner, admin, author, member, stranger, team, made, manuscript } = await scene()
    expect(made.status).toBe(name === 'rest' ? 201 : 200)
    expect(manuscript).toMatchObject({ title: 'The wiki', team: true, status: 'ACTIVE', locked: false })
    await call(author, 'append_item_pages', { id: manuscript.itemId, content: '# News\n' })
    for (const person of [author, owner, admin, member]) {
      expect(await list(person)).toMatchObject([{ id: manuscript.id, title: 'The wiki', team: true }])
      expect((await call(person, 'get_item_content', { id: manuscript.itemId })).body.content).toBe('# News\n')
    }
    expect(await list(stranger)).toEqual([])
    const { items } = (await desk.call(member, `GET /teams/${team}/items`)).body
    expect(items).toMatchObject([{ itemId: manuscript.itemId, accessLevel: 'READ', teamWide: true }])
    const told = await desk.call(member, 'GET /user/notifications?type=item_shared')
    expect(told.body.notifications).toMatchObject([{ metadata: { itemId: manuscript.itemId } }])
    const append = await call(member, 'append_item_pages', { id: manuscript.itemId, content: '# Mine\n' })
    expect(append.body.code).toBe('FORBIDDEN')
  })

  test('can use a book that is already shared, whose terms stay', async () => {
    const { author, member, team } = await scene()
    const itemId = await makeBook(server, author, { title: 'Own' })
    await desk.shareItem(team, author, itemId)
    const { services } = server.running.opened
    await services.shares.change(team, itemId, { accessLevel: 'WRITE' })
    await services.teams.change(team, { subscriptionActive: false })
    const made = await call(author, 'create_manuscript', { title: 'Second', itemId, teamId: team })
    expect(made.ok).toBe(true)
    expect((await call(member, 'append_item_pages', { id: itemId, content: '# Mine\n' })).ok).toBe(true)
  })

  test('is listed by status, and only for people who may read its book', async () => {
    const { owner, author, member, team, manuscript } = await scene()
    expect((await call(member, 'list_manuscripts', { status: 'PAUSED' })).body.manuscripts).toEqual([])
    await call(author, 'update_manuscript', { manuscriptId: manuscript.id, status: 'PAUSED' })
    expect((await call(member, 'list_manuscripts', { status: 'PAUSED' })).body.manuscripts).toHaveLength(1)
    await desk.createDepartment(team, owner, 'Sales')
    await desk.call(owner, `PATCH /teams/${team}/items`, { itemId: manuscript.itemId, departmentSlugs: ['sales'] })
    expect(await list(member)).toEqual([])
    expect(await list(owner)).toHaveLength(1)
    const update = await call(member, 'update_manuscript', { manuscriptId: manuscript.id, title: 'Mine' })
    expectRefusal(update, name, notFound)
  })

  test('its author, owners and admins change it; other members may not, strangers do not find it', async () => {
    const { owner, admin, author, member, stranger, manuscript } = await scene()
    const change = (person: Person, fields: object) =>
      call(person, 'update_manuscript', { manuscriptId: manuscript.id, ...fields })
    for (const [person, title] of [
      [owner, 'By owner'],
      [admin, 'By admin'],
      [author, 'By author'],
    ] as const) {
      expect((await change(person, { title })).body.manuscript).toMatchObject({ title, team: true })
      expect(await list(member)).toMatchObject([{ title }])
    }
    expectRefusal(await change(member, { title: 'No' }), name, forbidden(/only the author or a team owner or admin/i))
    expectRefusal(await change(stranger, { title: 'No' }), name, notFound)
  })

  test('only the author may change its book, its team, and archive it', async () => {
    const { owner, author, team, manuscript } = await scene()
    const change = (person: Person, fields: object) =>
      call(person, 'update_manuscript', { manuscriptId: manuscript.id, ...fields })
    const itemId = await makeBook(server, owner)
    const other = await desk.createTeam(owner)
    expectRefusal(await change(owner, { itemId }), name, forbidden(/Only the author may change the book or the team/))
    expectRefusal(await change(owner, { teamId: other }), name, forbidden(/Only the author may change the book or the/))
    expectRefusal(
      await change(owner, { status: 'ARCHIVED' }),
      name,
      forbidden(/Only the author may archive or unarchive/),
    )
    expect((await change(owner, { itemId: manuscript.itemId, teamId: team, title: 'Same' })).ok).toBe(true)
    await call(author, 'archive_manuscript', { manuscriptId: manuscript.id })
    expectRefusal(
      await change(owner, { status: 'ACTIVE' }),
      name,
      forbidden(/Only the author may archive or unarchive/),
    )
  })

  test('only its author archives it', async () => {
    const { owner, member, author, stranger, manuscript } = await scene()
    const archive = (person: Person) => call(person, 'archive_manuscript', { manuscriptId: manuscript.id })
    for (const person of [owner, member]) {
      expectRefusal(await archive(person), name, forbidden(/Only the author may archive a team manuscript/))
    }
    expectRefusal(await archive(stranger), name, notFound)
    expect((await archive(author)).body).toEqual({ success: true })
    expect(await list(member)).toMatchObject([{ status: 'ARCHIVED' }])
  })

  test('takes a slot of its author, also when an owner resumes it', async () => {
    const { owner, author, manuscript } = await scene()
    const change = (person: Person, status: string) =>
      call(person, 'update_manuscript', { manuscriptId: manuscript.id, status })
    expect((await change(owner, 'PAUSED')).body.manuscript.status).toBe('PAUSED')
    for (const title of ['Secret one', 'Secret two']) await call(author, 'create_manuscript', { title })
    const refused = await change(owner, 'ACTIVE')
    expectRefusal(refused, name, {
      status: 403,
      code: 'MANUSCRIPT_LIMIT_EXCEEDED',
      message: /2 manuscript slots/,
      fields: { limit: 2, used: 2, occupants: [] },
    })
    expect(refused.text).not.toContain('Secret')
    const secret = (await list(author)).find(({ title }: { title: string }) => title === 'Secret one')
    await call(author, 'archive_manuscript', { manuscriptId: secret.id })
    expect((await change(owner, 'ACTIVE')).body.manuscript.status).toBe('ACTIVE')
  })

  test('a private one can move to a team and to another team, with its book', async () => {
    const { owner, author, member, team } = await scene()
    const own = (await call(author, 'create_manuscript', { title: 'Own' })).body.manuscript
    expect(own.team).toBe(false)
    const change = (teamId: string) => call(author, 'update_manuscript', { manuscriptId: own.id, teamId })
    expect((await change(team)).body.manuscript.team).toBe(true)
    expect((await call(member, 'get_item_content', { id: own.itemId })).ok).toBe(true)
    const other = await desk.createTeam(owner)
    expectRefusal(await change(other), name, {
      status: 403,
      code: 'NOT_TEAM_MEMBER',
      message: new RegExp(`You are not a member of team ${other}`),
    })
  })

  test('becomes private when its author leaves the team', async () => {
    const { author, owner, team, manuscript } = await scene()
    await desk.call(author, `POST /teams/${team}/leave`)
    expect(await list(author)).toMatchObject([{ id: manuscript.id, team: false, status: 'ACTIVE' }])
    expect(await list(owner)).toEqual([])
    expect((await call(owner, 'get_item_content', { id: manuscript.itemId })).ok).toBe(false)
  })

  test('is refused for a team with an inactive subscription, and leaves nothing behind', async () => {
    const { author, team } = await scene()
    await server.running.opened.services.teams.change(team, { subscriptionActive: false })
    const { services } = server.running.opened
    const before = await countOwnedBooks(services.books, author.id)
    expectRefusal(await call(author, 'create_manuscript', { title: 'No', teamId: team }), name, {
      status: 402,
      code: 'TEAM_SUBSCRIPTION_REQUIRED',
      message: /active team subscription/,
    })
    expect(await countOwnedBooks(services.books, author.id)).toBe(before)
    expect((await list(author)).map(({ title }: { title: string }) => title)).toEqual(['The wiki'])
  })
})
