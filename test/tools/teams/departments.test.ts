import { beforeAll, describe, expect, test } from 'vitest'
import { makeBook } from '../../support/make-book.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { createTeamClient, fillDepartments, type TeamClient } from '../../support/team-client.ts'

const server = useTestServer()
let desk: TeamClient

beforeAll(async () => {
  desk = createTeamClient(server)
})

async function scene() {
  const [owner, member, other] = (await Promise.all([1, 2, 3].map(() => server.createPerson()))) as [
    Person,
    Person,
    Person,
  ]
  const team = await desk.createTeam(owner)
  for (const person of [member, other]) await desk.addMember(team, person)
  return { owner, member, other, team, route: `/teams/${team}/departments` }
}

const empty = { memberCount: 0, itemCount: 0 }

describe('a department', () => {
  test('says how many members it has, and how many books are shared with it', async () => {
    const { owner, member, other, team, route } = await scene()
    await desk.createDepartment(team, owner, 'Sales', [member, other])
    await desk.createDepartment(team, owner, 'Press', [other])
    await desk.shareItem(team, owner, await makeBook(server, owner), { departmentSlugs: ['sales'] })
    await desk.shareItem(team, owner, await makeBook(server, owner))
    const sales = { slug: 'sales', memberCount: 2, itemCount: 1 }
    const press = { slug: 'press', memberCount: 1, itemCount: 0 }
    expect((await desk.call(owner, `GET ${route}`)).body.departments).toMatchObject([press, sales])
    expect((await desk.call(member, `GET ${route}`)).body.departments).toMatchObject([sales])
    expect((await desk.call(owner, `POST ${route}`, { name: 'Sales' })).body.department).toMatchObject(sales)
    const renamed = (await desk.call(owner, `PATCH ${route}/sales`, { name: 'Trade' })).body
    expect(renamed.department).toMatchObject({ ...sales, slug: 'trade' })
  })

  test('is refused when the team has 200; existing ones are still returned, and one that is deleted makes room', async () => {
    const { owner, team, route } = await scene()
    await fillDepartments(server, team)
    const refused = await desk.call(owner, `POST ${route}`, { name: 'One more' })
    expect([refused.status, refused.body.code]).toEqual([409, 'CONFLICT'])
    expect(refused.body.error).toMatch(/has 200 departments.*delete one/)
    expect((await desk.call(owner, `POST ${route}`, { name: 'Department 7' })).status).toBe(200)
    await desk.call(owner, `DELETE ${route}/department-7`)
    expect((await desk.call(owner, `POST ${route}`, { name: 'One more' })).status).toBe(201)
  })

  test('is created once per slug', async () => {
    const { owner, route } = await scene()
    const { status, body } = await desk.call(owner, `POST ${route}`, { name: ' Research & Développement ' })
    expect(status).toBe(201)
    const department = {
      id: expect.stringMatching(/^[a-z0-9]{26}$/),
      name: 'Research & Développement',
      slug: 'research-developpement',
      ...empty,
    }
    expect(body).toEqual({ department, created: true, alreadyExisted: false })
    const again = await desk.call(owner, `POST ${route}`, { name: 'research, developpement' })
    expect(again.status).toBe(200)
    expect(again.body).toEqual({ department: body.department, created: false, alreadyExisted: true })
    expect((await desk.call(owner, `GET ${route}`)).body).toEqual({ departments: [body.department] })
  })

  test('is created once by parallel calls with one name', async () => {
    const { owner, route } = await scene()
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => desk.call(owner, `POST ${route}`, { name: 'Sales' })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(new Set(answers.map(({ body }) => body.department.id)).size).toBe(1)
  })

  test('is visible to plain members only if they are in it', async () => {
    const { owner, member, other, team, route } = await scene()
    await desk.createDepartment(team, owner, 'Sales', [member])
    await desk.createDepartment(team, owner, 'Press')
    const slugs = async (person: Person) =>
      (await desk.call(person, `GET ${route}`)).body.departments.map(({ slug }: { slug: string }) => slug)
    expect(await slugs(owner)).toEqual(['press', 'sales'])
    expect(await slugs(member)).toEqual(['sales'])
    expect(await slugs(other)).toEqual([])
  })

  test('is renamed by slug or id, which changes its slug', async () => {
    const { owner, team, route } = await scene()
    const id = await desk.createDepartment(team, owner, 'Sales')
    const trade = { id, name: 'Trade', slug: 'trade', ...empty }
    expect((await desk.call(owner, `PATCH ${route}/sales`, { name: 'Trade' })).body).toEqual({
      ...trade,
      department: trade,
    })
    expect((await desk.call(owner, `PATCH ${route}/${id}`, { name: 'TRADE' })).body).toMatchObject({ name: 'TRADE' })
    expect((await desk.call(owner, `PATCH ${route}/sales`, { name: 'x' })).body.code).toBe('DEPARTMENT_NOT_FOUND')
  })

  test('cannot take the slug of another one', async () => {
    const { owner, team, route } = await scene()
    await desk.createDepartment(team, owner, 'Sales')
    await desk.createDepartment(team, owner, 'Press')
    const { status, body } = await desk.call(owner, `PATCH ${route}/press`, { name: 'SALES' })
    expect([status, body.code]).toEqual([409, 'DEPARTMENT_SLUG_TAKEN'])
    expect(body.error).toMatch(/already has a department with the slug .*\. Choose another name\.$/)
  })

  test('of another team is not found', async () => {
    const { owner, route } = await scene()
    const elsewhere = await scene()
    const id = await desk.createDepartment(elsewhere.team, elsewhere.owner, 'Sales')
    for (const method of ['PATCH', 'DELETE']) {
      const { status, body } = await desk.call(owner, `${method} ${route}/${id}`, { name: 'New' })
      expect([status, body.code]).toEqual([404, 'DEPARTMENT_NOT_FOUND'])
      expect(body.error).toBe(`No department ${id} in this team`)
    }
  })

  test('when deleted ends the shares that were only with it, and never shares them with the whole team', async () => {
    const { owner, member, other, team, route } = await scene()
    const id = await desk.createDepartment(team, owner, 'Sales', [member])
    await desk.createDepartment(team, owner, 'Press')
    const [alone, both] = [await makeBook(server, owner), await makeBook(server, owner)]
    await desk.shareItem(team, owner, alone, { departmentSlugs: ['sales'] })
    await desk.shareItem(team, owner, both, { departmentSlugs: ['sales', 'press'] })
    const { body } = await desk.call(owner, `DELETE ${route}/sales`)
    expect(body).toEqual({ success: true, department: { id, name: 'Sales', slug: 'sales' }, unsharedCount: 1 })
    const { items } = (await desk.call(owner, `GET /teams/${team}/items`)).body
    expect(items).toMatchObject([{ itemId: both, teamWide: false, departments: ['press'] }])
    for (const person of [member, other]) {
      expect((await desk.call(person, `GET /teams/${team}/items`)).body).toEqual({ items: [] })
    }
    const { members } = (await desk.call(owner, `GET /teams/${team}/members`)).body
    expect(members.flatMap(({ departments }: { departments: string[] }) => departments)).toEqual([])
    expect((await desk.call(owner, `DELETE ${route}/sales`)).body.code).toBe('DEPARTMENT_NOT_FOUND')
    expect((await desk.call(owner, `POST ${route}`, { name: 'Sales' })).body.department.id).not.toBe(id)
  })
})

describe('the members of a department', () => {
  test('are added once and removed once', async () => {
    const { owner, member, team, route } = await scene()
    const id = await desk.createDepartment(team, owner, 'Sales')
    const department = { id, name: 'Sales', slug: 'sales' }
    const people = `${route}/sales/members`
    const add = () => desk.call(owner, `POST ${people}`, { email: member.email })
    const [first, second] = [await add(), await add()]
    expect([first.status, first.body]).toEqual([201, { department, added: true, alreadyExisted: false }])
    expect([second.status, second.body]).toEqual([200, { department, added: false, alreadyExisted: true }])
    const listed = await desk.call(owner, `GET ${people}`)
    expect(listed.body).toEqual({
      members: [
        {
          teamMemberId: expect.any(String),
          email: member.email,
          emailHidden: false,
          name: expect.any(String),
          role: 'MEMBER',
          departments: ['sales'],
        },
      ],
    })
    const drop = (email: string) => desk.call(owner, `DELETE ${people}`, { email })
    expect((await drop(member.email)).body).toEqual({ removed: true, alreadyAbsent: false })
    expect((await drop(member.email)).body).toEqual({ removed: false, alreadyAbsent: true })
    expect((await drop('nobody@lectern.example')).body).toEqual({ removed: false, alreadyAbsent: true })
  })

  test('must be members of the team', async () => {
    const { owner, team, route } = await scene()
    await desk.createDepartment(team, owner, 'Sales')
    const outsider = await server.createPerson()
    for (const email of [outsider.email, 'nobody@lectern.example']) {
      const { status, body } = await desk.call(owner, `POST ${route}/sales/members`, { email })
      expect([status, body.code]).toEqual([404, 'MEMBER_NOT_FOUND'])
    }
    const unknown = await desk.call(owner, `POST ${route}/nowhere/members`, { email: owner.email })
    expect([unknown.status, unknown.body.code]).toEqual([404, 'DEPARTMENT_NOT_FOUND'])
  })
})
