import { beforeAll, describe, expect, test } from 'vitest'
import { mcp, transports, type Transport } from '../../support/transports.ts'
import { makeBook } from '../../support/make-book.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { createTeamClient, type TeamClient } from '../../support/team-client.ts'

const server = useTestServer()
let desk: TeamClient

beforeAll(async () => {
  desk = createTeamClient(server)
})

interface Scene {
  owner: Person
  member: Person
  team: string
  book: string
  manuscript: string
  session: string
}

/** A member of Sales who can read and write a book, has it on a shelf and has an open research session. */
async function scene(transport: Transport): Promise<Scene> {
  const [owner, member] = await Promise.all([server.createPerson(), server.createPerson()])
  const team = await desk.createTeam(owner)
  await desk.inviteAndAccept(team, owner, member)
  await desk.createDepartment(team, owner, 'Sales', [member])
  const book = await makeBook(server, owner, { title: 'Walruses', content: '# One\n\ntusks and whiskers\n' })
  await desk.shareItem(team, owner, book, { accessLevel: 'WRITE', departmentSlugs: ['sales'] })
  const made = await desk.call(owner, 'POST /manuscripts', { title: 'Kept', itemId: book, teamId: team })
  const { sessionId } = (await transport.call(server, member, 'start_access_session')).body
  await transport.call(server, member, 'create_shelf', { name: 'Sea' })
  await transport.call(server, member, 'add_to_shelf', { shelf: 'sea', itemIds: [book] })
  return { owner, member, team, book, manuscript: made.body.manuscript.id, session: sessionId }
}

/** Returns what the member can do with the book, by each way of access. */
async function reach(transport: Transport, { member, book, manuscript, session }: Scene) {
  await server.running.opened.database.db.collection('rates').deleteMany({})
  const call = async (tool: string, input: Record<string, unknown> = {}) =>
    (await transport.call(server, member, tool, input)).body
  const ok = async (tool: string, input: Record<string, unknown>) =>
    (await transport.call(server, member, tool, input)).ok
  const read = await call('read_items', { items: [{ id: book }] })
  const toc = await call('get_table_of_contents', { ids: [book] })
  const inSession = await fetch(`${server.baseUrl}/api/v1/items/${book}/content`, {
    headers: { Authorization: `Bearer ${member.key}`, 'X-CK-Session': session },
  })
  return {
    read: read.items.length,
    toc: toc.items.length,
    content: await ok('get_item_content', { id: book }),
    contentInSession: inSession.ok,
    versions: await ok('list_item_versions', { id: book }),
    listed: (await call('list_items')).items.length,
    found: (await call('search_items', { query: 'whiskers' })).total,
    onShelf: (await call('get_shelf', { shelf: 'sea' })).items.length,
    shelfCount: (await call('get_shelf', { shelf: 'sea' })).shelf.itemCount,
    shelvesCount: (await call('list_shelves')).shelves[0].itemCount,
    // Offered over MCP only.
    summary: (await mcp.call(server, member, 'library_summary')).body.shelves[0].itemCount,
    itemCount: (await call('whoami')).itemCount,
    manuscripts: (await call('list_manuscripts')).manuscripts.length,
    updates: (await call('update_manuscript', { manuscriptId: manuscript, title: 'Mine' })).code,
    append: await ok('append_item_pages', { id: book, content: '# More\n' }),
    putPage: await ok('put_item_page', { id: book, pageNum: 1, content: '# One\n\ntusks and whiskers\n' }),
    enrich: await ok('enrich_item', { itemId: book, description: 'About whiskers' }),
  }
}

const everything = {
  read: 1,
  toc: 1,
  content: true,
  contentInSession: true,
  versions: true,
  listed: 1,
  found: 1,
  onShelf: 1,
  shelfCount: 1,
  shelvesCount: 1,
  summary: 1,
  itemCount: 1,
  manuscripts: 1,
  updates: 'FORBIDDEN',
  append: true,
  putPage: true,
  enrich: true,
}
const nothing = {
  read: 0,
  toc: 0,
  content: false,
  contentInSession: false,
  versions: false,
  listed: 0,
  found: 0,
  onShelf: 0,
  shelfCount: 0,
  shelvesCount: 0,
  summary: 0,
  itemCount: 0,
  manuscripts: 0,
  updates: 'NOT_FOUND',
  append: false,
  putPage: false,
  enrich: false,
}

type Loss = [how: string, lose: (scene: Scene) => Promise<unknown>]

const losses: Loss[] = [
  [
    'is removed',
    ({ owner, member, team }) => desk.call(owner, `DELETE /teams/${team}/members`, { email: member.email }),
  ],
  ['leaves', ({ member, team }) => desk.call(member, `POST /teams/${team}/leave`)],
  [
    'is removed from the department',
    ({ owner, member, team }) =>
      desk.call(owner, `DELETE /teams/${team}/departments/sales/members`, { email: member.email }),
  ],
  [
    'is in a department that is deleted',
    ({ owner, team }) => desk.call(owner, `DELETE /teams/${team}/departments/sales`),
  ],
  [
    'had access by a share that ends',
    ({ owner, team, book }) => desk.call(owner, `DELETE /teams/${team}/items`, { itemId: book }),
  ],
  [
    'had access by a share that moves to another department',
    async ({ owner, team, book }) => {
      await desk.createDepartment(team, owner, 'Press')
      return desk.call(owner, `PATCH /teams/${team}/items`, { itemId: book, departmentSlugs: ['press'] })
    },
  ],
  ['is in a team that is deleted', ({ owner, team }) => desk.call(owner, `DELETE /teams/${team}`)],
  ['had access to a book that is deleted', ({ owner, book }) => desk.call(owner, 'DELETE /items', { ids: [book] })],
]

describe.for(transports)('over %s', ([, transport]) => {
  test.for(losses)('a member who %s loses the book at once', async ([, lose]) => {
    const the = await scene(transport)
    expect(await reach(transport, the)).toEqual(everything)
    await lose(the)
    expect(await reach(transport, the)).toEqual(nothing)
  })

  test('an admin who becomes a plain member loses the books of departments', async () => {
    const the = await scene(transport)
    const admin = await server.createPerson()
    await desk.inviteAndAccept(the.team, the.owner, admin, 'ADMIN')
    const reads = async () => (await transport.call(server, admin, 'get_item_content', { id: the.book })).ok
    expect(await reads()).toBe(true)
    await desk.call(the.owner, `PATCH /teams/${the.team}/members`, { email: admin.email, role: 'MEMBER' })
    expect(await reads()).toBe(false)
  })

  test('the books of a member who leaves are no longer shared', async () => {
    const the = await scene(transport)
    const own = await makeBook(server, the.member, { title: 'Seals' })
    await desk.shareItem(the.team, the.member, own)
    const reads = async () => (await transport.call(server, the.owner, 'get_item_content', { id: own })).ok
    expect(await reads()).toBe(true)
    await desk.call(the.member, `POST /teams/${the.team}/leave`)
    expect(await reads()).toBe(false)
    expect((await transport.call(server, the.member, 'get_item_content', { id: own })).ok).toBe(true)
  })

  test('a member who has the book through another team keeps it, also on the shelf', async () => {
    const the = await scene(transport)
    const other = await desk.createTeam(the.owner)
    await desk.inviteAndAccept(other, the.owner, the.member)
    await desk.shareItem(other, the.owner, the.book)
    await desk.call(the.member, `POST /teams/${the.team}/leave`)
    expect(await reach(transport, the)).toMatchObject({
      read: 1,
      found: 1,
      shelfCount: 1,
      shelvesCount: 1,
      append: false,
    })
  })

  test('a member who rejoins finds the book on the shelf again', async () => {
    const the = await scene(transport)
    await desk.call(the.owner, `DELETE /teams/${the.team}/items`, { itemId: the.book })
    expect(await reach(transport, the)).toEqual(nothing)
    await desk.shareItem(the.team, the.owner, the.book)
    expect(await reach(transport, the)).toMatchObject({ read: 1, shelfCount: 1, shelvesCount: 1 })
  })
})
