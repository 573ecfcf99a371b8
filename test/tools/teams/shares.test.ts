import { beforeAll, describe, expect, test } from 'vitest'
import { systemOwner } from '../../../src/books/book.ts'
import { makeBook } from '../../support/make-book.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { createTeamClient, type TeamClient } from '../../support/team-client.ts'

const server = useTestServer()
let desk: TeamClient

beforeAll(async () => {
  desk = createTeamClient(server)
})

/** A team with an owner, one member in Sales and one in no department, and a book of the owner's. */
async function scene() {
  const [owner, inside, outside] = (await Promise.all([1, 2, 3].map(() => server.createPerson()))) as [
    Person,
    Person,
    Person,
  ]
  const team = await desk.createTeam(owner, 'The team')
  for (const person of [inside, outside]) await desk.addMember(team, person)
  await desk.createDepartment(team, owner, 'Sales', [inside])
  await desk.createDepartment(team, owner, 'Press')
  const book = await makeBook(server, owner, { title: 'Shared', content: '# One\n' })
  return { owner, inside, outside, team, book, route: `/teams/${team}/items` }
}

type Scene = Awaited<ReturnType<typeof scene>>

const reads = async (person: Person, itemId: string) =>
  (await desk.call(person, `GET /items/${itemId}/content`)).status === 200
const told = async (person: Person) =>
  (await desk.call(person, 'GET /user/notifications?type=item_shared')).body.notifications

describe('sharing', () => {
  test('without departments is with the whole team, for reading', async () => {
    const { owner, inside, outside, team, book, route } = await scene()
    const { status, body } = await desk.shareItem(team, owner, book)
    expect(status).toBe(201)
    expect(body).toEqual({
      item: { id: book, title: 'Shared' },
      departments: [],
      department: null,
      teamWide: true,
      accessLevel: 'READ',
      granted: true,
      alreadyExisted: false,
    })
    for (const person of [owner, inside, outside]) {
      expect((await desk.call(person, `GET ${route}`)).body).toEqual({
        items: [
          {
            itemId: book,
            title: 'Shared',
            accessLevel: 'READ',
            teamWide: true,
            departments: [],
            department: null,
            sharedAt: expect.stringMatching(/^\d{4}-.*Z$/),
          },
        ],
      })
      expect(await reads(person, book)).toBe(true)
    }
  })

  test.for([
    ['departmentSlugs', { departmentSlugs: ['sales'] }],
    ['the older departmentSlug', { departmentSlug: 'sales' }],
    ['both, of which departmentSlugs takes precedence', { departmentSlugs: ['sales'], departmentSlug: 'press' }],
    ['a slug twice', { departmentSlugs: ['sales', 'sales'] }],
  ] as const)('with departments reaches those in them: %s', async ([, more]) => {
    const { owner, inside, outside, team, book, route } = await scene()
    const { status, body } = await desk.shareItem(team, owner, book, { ...more, accessLevel: 'WRITE' })
    expect(status).toBe(201)
    expect(body).toMatchObject({ departments: ['sales'], teamWide: false, accessLevel: 'WRITE', granted: true })
    expect((await desk.call(inside, `GET ${route}`)).body.items).toMatchObject([
      { itemId: book, departments: ['sales'], teamWide: false, accessLevel: 'WRITE' },
    ])
    expect((await desk.call(outside, `GET ${route}`)).body).toEqual({ items: [] })
    expect(await reads(inside, book)).toBe(true)
    expect(await reads(outside, book)).toBe(false)
  })

  test.for([
    ['an empty list', { departmentSlugs: [] }],
    ['null in the older form', { departmentSlug: null }],
  ] as const)('with %s is with the whole team', async ([, more]) => {
    const { owner, team, book } = await scene()
    expect((await desk.shareItem(team, owner, book, more)).body).toMatchObject({ teamWide: true, departments: [] })
  })

  test('shows plain members only their own departments of a share', async () => {
    const { owner, inside, team, book, route } = await scene()
    await desk.shareItem(team, owner, book, { departmentSlugs: ['sales', 'press'] })
    expect((await desk.call(inside, `GET ${route}`)).body.items).toMatchObject([
      { departments: ['sales'], department: { slug: 'sales', name: 'Sales' } },
    ])
    expect((await desk.call(owner, `GET ${route}`)).body.items).toMatchObject([
      { departments: ['press', 'sales'], department: { slug: 'press', name: 'Press' } },
    ])
  })

  test('reads the level in any case', async () => {
    const { owner, team, book, route } = await scene()
    expect((await desk.shareItem(team, owner, book, { accessLevel: 'write' })).body).toMatchObject({
      accessLevel: 'WRITE',
    })
    const changed = await desk.call(owner, `PATCH ${route}`, { itemId: book, accessLevel: 'Read' })
    expect(changed.body).toMatchObject({ accessLevel: 'READ' })
    const unknown = await desk.call(owner, `PATCH ${route}`, { itemId: book, accessLevel: 'all' })
    expect([unknown.status, unknown.body.error]).toEqual([400, expect.stringMatching(/accessLevel/)])
  })

  test('again changes nothing', async () => {
    const { owner, team, book } = await scene()
    await desk.shareItem(team, owner, book, { departmentSlugs: ['sales'] })
    const { status, body } = await desk.shareItem(team, owner, book, { accessLevel: 'WRITE' })
    expect(status).toBe(200)
    expect(body).toEqual({
      item: { id: book, title: 'Shared' },
      departments: ['sales'],
      department: { slug: 'sales', name: 'Sales' },
      teamWide: false,
      accessLevel: 'READ',
      granted: false,
      alreadyExisted: true,
    })
  })

  test('in parallel creates one share', async () => {
    const { owner, team, book, route } = await scene()
    const answers = await Promise.all(Array.from({ length: 8 }, () => desk.shareItem(team, owner, book)))
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(7).fill(200), 201])
    expect((await desk.call(owner, `GET ${route}`)).body.items).toHaveLength(1)
  })

  test('accepts up to 50 departments, not 51', async () => {
    const { owner, team, book } = await scene()
    const { departments, now } = server.running.opened.services
    const slugs = Array.from({ length: 51 }, (_, index) => `unit-${index}`)
    for (const slug of slugs) {
      await departments.add({
        id: `${team}${slug}`,
        teamId: team,
        name: slug,
        slug,
        createdAt: now(),
        removingAt: null,
      })
    }
    const many = await desk.shareItem(team, owner, book, { departmentSlugs: slugs })
    expect([many.status, many.body.code]).toEqual([400, undefined])
    expect(many.body.error).toBe('A book can be shared with at most 50 departments')
    const fifty = await desk.shareItem(team, owner, book, { departmentSlugs: slugs.slice(0, 50) })
    expect(fifty.status).toBe(201)
    expect(fifty.body.departments).toHaveLength(50)
  })

  type Refusal = [what: string, change: (scene: Scene) => Promise<object>, status: number, code: string | undefined]
  test.for<Refusal>([
    [
      'a book of somebody else',
      async () => ({ itemId: await makeBook(server, await server.createPerson()) }),
      403,
      'ITEM_NOT_OWNED',
    ],
    ['a built-in book', async () => ({ itemId: await makeBook(server, { id: systemOwner }) }), 403, 'ITEM_NOT_OWNED'],
    ['a book that does not exist', async () => ({ itemId: 'nothing' }), 403, 'ITEM_NOT_OWNED'],
    ['an unknown department', async () => ({ departmentSlugs: ['sales', 'nowhere'] }), 404, 'DEPARTMENT_NOT_FOUND'],
    [
      'an unknown department in the older form',
      async () => ({ departmentSlug: 'nowhere' }),
      404,
      'DEPARTMENT_NOT_FOUND',
    ],
    ['no book', async () => ({ itemId: undefined }), 400, undefined],
    ['an unknown level', async () => ({ accessLevel: 'ALL' }), 400, undefined],
    ['departments that are not an array', async () => ({ departmentSlugs: 'sales' }), 400, undefined],
    ['an operator', async () => ({ itemId: { $ne: '' } }), 400, undefined],
  ])('refuses %s', async ([, change, status, code]) => {
    const the = await scene()
    const answer = await desk.shareItem(the.team, the.owner, the.book, await change(the))
    expect([answer.status, answer.body.code]).toEqual([status, code])
    expect(await server.running.opened.services.shares.list(the.team)).toEqual([])
  })

  test('needs an active subscription, unless the share exists already', async () => {
    const { owner, team, book } = await scene()
    await desk.shareItem(team, owner, book)
    await server.running.opened.services.teams.change(team, { subscriptionActive: false })
    expect((await desk.shareItem(team, owner, book)).status).toBe(200)
    const { status, body } = await desk.shareItem(team, owner, await makeBook(server, owner))
    expect([status, body.code]).toEqual([402, 'TEAM_SUBSCRIPTION_REQUIRED'])
    expect(body.error).toMatch(/active team subscription is needed to share/)
  })

  test('by a plain member is limited to the whole team and to reading', async () => {
    const { inside, outside, team } = await scene()
    const book = await makeBook(server, inside)
    expect((await desk.shareItem(team, inside, book)).status).toBe(201)
    expect(await reads(outside, book)).toBe(true)
  })
})

describe('changing a share', () => {
  test('its level and its departments', async () => {
    const { owner, outside, team, book, route } = await scene()
    await desk.shareItem(team, owner, book)
    const wider = await desk.call(owner, `PATCH ${route}`, { itemId: book, accessLevel: 'WRITE' })
    expect(wider.body).toEqual({
      item: { id: book, title: 'Shared' },
      itemId: book,
      title: 'Shared',
      accessLevel: 'WRITE',
      teamWide: true,
      departments: [],
      department: null,
      sharedAt: expect.any(String),
    })
    const narrower = await desk.call(owner, `PATCH ${route}`, { itemId: book, departmentSlugs: ['sales'] })
    expect(narrower.body).toMatchObject({
      accessLevel: 'WRITE',
      teamWide: false,
      departments: ['sales'],
      department: { slug: 'sales', name: 'Sales' },
    })
    expect(await reads(outside, book)).toBe(false)
    for (const whole of [{ departmentSlugs: [] }, { departmentSlug: null }]) {
      const back = await desk.call(owner, `PATCH ${route}`, { itemId: book, ...whole })
      expect(back.body).toMatchObject({ teamWide: true, departments: [] })
    }
    const older = await desk.call(owner, `PATCH ${route}`, { itemId: book, departmentSlug: 'press' })
    expect(older.body).toMatchObject({ teamWide: false, departments: ['press'] })
  })

  test.for([
    ['nothing to change', {}, 400, undefined, /^Provide accessLevel and\/or departmentSlug\(s\) to update$/],
    ['an unknown level', { accessLevel: 'ALL' }, 400, undefined, /accessLevel/],
    ['no book', { itemId: undefined, accessLevel: 'READ' }, 400, undefined, /itemId is required/],
    ['an unknown department', { departmentSlugs: ['nowhere'] }, 404, 'DEPARTMENT_NOT_FOUND', /No department nowhere/],
    ['a book that is not shared', { itemId: 'nothing', accessLevel: 'READ' }, 404, 'TEAM_ITEM_NOT_FOUND', /not shared/],
  ] as const)('refuses %s', async ([, change, status, code, says]) => {
    const { owner, team, book, route } = await scene()
    await desk.shareItem(team, owner, book)
    const answer = await desk.call(owner, `PATCH ${route}`, { itemId: book, ...change })
    expect([answer.status, answer.body.code]).toEqual([status, code])
    expect(answer.body.error).toMatch(says)
  })
})

describe('ending a share', () => {
  test('works for whoever shared the book', async () => {
    const { inside, outside, team, route } = await scene()
    const book = await makeBook(server, inside, { title: 'Mine' })
    await desk.shareItem(team, inside, book)
    const end = () => desk.call(inside, `DELETE ${route}`, { itemId: book })
    expect((await end()).body).toEqual({ success: true, item: { id: book, title: 'Mine' }, alreadyAbsent: false })
    expect((await end()).body).toEqual({ success: true, item: { id: book, title: null }, alreadyAbsent: true })
    expect(await reads(outside, book)).toBe(false)
  })

  test('works for owners and admins, and for no other member', async () => {
    const { owner, inside, outside, team, route } = await scene()
    const book = await makeBook(server, inside)
    await desk.shareItem(team, inside, book)
    const { status, body } = await desk.call(outside, `DELETE ${route}`, { itemId: book })
    expect([status, body.code]).toEqual([403, 'FORBIDDEN_REVOKE'])
    expect((await desk.call(owner, `DELETE ${route}`, { itemId: book })).body.alreadyAbsent).toBe(false)
  })

  test('that the caller cannot see looks absent, and it stays', async () => {
    const { owner, inside, outside, team, book, route } = await scene()
    await desk.shareItem(team, owner, book, { departmentSlugs: ['sales'] })
    const answer = await desk.call(outside, `DELETE ${route}`, { itemId: book })
    expect(answer.body).toEqual({ success: true, item: { id: book, title: null }, alreadyAbsent: true })
    expect(await reads(inside, book)).toBe(true)
  })
})

describe('item_shared', () => {
  test('goes once to those who gain the book, and not to those who share it', async () => {
    const { owner, inside, outside, team, book } = await scene()
    await desk.shareItem(team, owner, book, { departmentSlugs: ['sales'] })
    await desk.shareItem(team, owner, book, { departmentSlugs: ['sales'] })
    expect(await told(inside)).toMatchObject([
      {
        title: '"Shared" is shared with you',
        body: expect.stringMatching(/team "The team"\. You may read it\./),
        metadata: { itemId: book, teamId: team, accessLevel: 'READ' },
      },
    ])
    expect(await told(outside)).toEqual([])
    expect(await told(owner)).toEqual([])
    const widen = { itemId: book, departmentSlugs: [] }
    await desk.call(owner, `PATCH /teams/${team}/items`, widen)
    await desk.call(owner, `PATCH /teams/${team}/items`, widen)
    expect(await told(inside)).toHaveLength(1)
    expect(await told(outside)).toHaveLength(1)
  })

  test('goes once a day, however often the book is shared anew', async () => {
    const { owner, inside, team, book } = await scene()
    for (let round = 0; round < 3; round++) {
      await desk.shareItem(team, owner, book)
      await desk.call(owner, `DELETE /teams/${team}/items`, { itemId: book })
    }
    const notices: { createdAt: string }[] = await told(inside)
    expect(notices).toHaveLength(new Set(notices.map(({ createdAt }) => createdAt.slice(0, 10))).size)
  })

  test('does not go to those who already read the book through another team', async () => {
    const { owner, inside, outside, team, book } = await scene()
    const other = await desk.createTeam(owner)
    await desk.addMember(other, inside)
    await desk.shareItem(other, owner, book)
    await desk.shareItem(team, owner, book)
    expect(await told(inside)).toHaveLength(1)
    expect(await told(outside)).toHaveLength(1)
  })
})

test('the access report lists departments with their members and books, and every share with its scope', async () => {
  const { owner, inside, team, book } = await scene()
  const whole = await makeBook(server, inside, { title: 'Whole' })
  await desk.shareItem(team, owner, book, { departmentSlugs: ['sales'], accessLevel: 'WRITE' })
  await desk.shareItem(team, inside, whole)
  const { body } = await desk.call(owner, `GET /teams/${team}/access-report`)
  const [name, insideName] = [owner, inside].map(({ email }) => email.split('@')[0])
  expect(body).toEqual({
    team: { id: team, name: 'The team' },
    generatedAt: expect.any(String),
    departments: [
      { id: expect.any(String), slug: 'press', name: 'Press', memberCount: 0, itemCount: 0 },
      { id: expect.any(String), slug: 'sales', name: 'Sales', memberCount: 1, itemCount: 1 },
    ],
    items: [
      {
        itemId: whole,
        title: 'Whole',
        accessLevel: 'READ',
        teamWide: true,
        departments: [],
        department: null,
        sharedBy: insideName,
        sharedAt: expect.any(String),
      },
      {
        itemId: book,
        title: 'Shared',
        accessLevel: 'WRITE',
        teamWide: false,
        departments: ['sales'],
        department: { slug: 'sales', name: 'Sales' },
        sharedBy: name,
        sharedAt: expect.any(String),
      },
    ],
    documents: [
      {
        itemId: whole,
        title: 'Whole',
        accessLevel: 'READ',
        teamWide: true,
        departmentSlug: null,
        accessibleByDepartmentSlugs: ['press', 'sales'],
      },
      {
        itemId: book,
        title: 'Shared',
        accessLevel: 'WRITE',
        teamWide: false,
        departmentSlug: 'sales',
        accessibleByDepartmentSlugs: ['sales'],
      },
    ],
  })
})

test('a deleted book is no longer shared', async () => {
  const { owner, team, book, route } = await scene()
  await desk.shareItem(team, owner, book)
  await desk.call(owner, 'DELETE /items', { ids: [book] })
  expect((await desk.call(owner, `GET ${route}`)).body).toEqual({ items: [] })
  expect(await server.running.opened.services.shares.listByBook(book)).toEqual([])
})

test('a shared book counts in the library and takes no slot', async () => {
  const { owner, inside, team, book } = await scene()
  await desk.shareItem(team, owner, book)
  expect((await desk.call(inside, 'GET /auth/whoami')).body).toMatchObject({ itemCount: 1, ownedCount: 0 })
  const account = await server.running.opened.services.accounts.byId(inside.id)
  expect(account?.slots).toBe(0)
})
