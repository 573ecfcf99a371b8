import { beforeAll, describe, expect, test } from 'vitest'
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
  team: string
  people: Record<Caller, Person>
  /** The plain member that the calls are about. */
  target: Person
  /** Shared with the whole team by its owner. */
  book: string
  /** One of the caller's own books. */
  own: string
}

const callers = ['OWNER', 'ADMIN', 'INSIDE', 'OUTSIDE', 'STRANGER'] as const
type Caller = (typeof callers)[number]

type Team = Omit<Scene, 'own'>

async function createTeamOfSix(): Promise<Team> {
  const [owner, admin, inside, outside, stranger, target] = (await Promise.all(
    [1, 2, 3, 4, 5, 6].map(() => server.createPerson()),
  )) as [Person, Person, Person, Person, Person, Person]
  const people = { OWNER: owner, ADMIN: admin, INSIDE: inside, OUTSIDE: outside, STRANGER: stranger }
  const team = await desk.createTeam(owner)
  await desk.addMember(team, admin, 'ADMIN')
  for (const person of [inside, outside, target]) await desk.addMember(team, person)
  await desk.createDepartment(team, owner, 'Sales', [inside])
  const book = await makeBook(server, owner)
  await desk.shareItem(team, owner, book)
  return { team, people, target, book }
}

async function addOwnBook(team: Team, caller: Caller): Promise<Scene> {
  return { ...team, own: await makeBook(server, team.people[caller]) }
}

const createScene = async (caller: Caller) => addOwnBook(await createTeamOfSix(), caller)

let sharedTeam: Promise<Team> | undefined
const sharedScenes = new Map<Caller, Promise<Scene>>()

/** One shared team for all calls that change nothing: reads and refused calls. */
function shareScene(caller: Caller): Promise<Scene> {
  sharedTeam ??= createTeamOfSix()
  const shared = sharedScenes.get(caller) ?? sharedTeam.then((team) => addOwnBook(team, caller))
  sharedScenes.set(caller, shared)
  return shared
}

type Expected = Record<Caller, number | [status: number, code: string]>

const member = (status: number): Expected => ({
  OWNER: status,
  ADMIN: status,
  INSIDE: status,
  OUTSIDE: status,
  STRANGER: [403, 'NOT_A_TEAM_MEMBER'],
})
const forbidden: [number, string] = [403, 'FORBIDDEN_ROLE']
const leader = (status: number): Expected => ({ ...member(status), INSIDE: forbidden, OUTSIDE: forbidden })
const owner = (status: number | [number, string]): Expected => ({ ...leader(200), OWNER: status, ADMIN: forbidden })

type Route = [route: string, expected: Expected, body?: (scene: Scene) => object]

const sales = '/teams/:team/departments/sales'

const table: Route[] = [
  ['PATCH /teams/:team', owner(200), () => ({ name: 'New' })],
  ['DELETE /teams/:team', owner(200)],
  ['POST /teams/:team/leave', { ...member(200), OWNER: [409, 'CONFLICT'] }],
  ['GET /teams/:team/members', member(200)],
  ['POST /teams/:team/members', leader(201), () => ({ email: 'new@lectern.example' })],
  ['PATCH /teams/:team/members', owner(200), ({ target }) => ({ email: target.email, role: 'ADMIN' })],
  ['DELETE /teams/:team/members', owner(200), ({ target }) => ({ email: target.email })],
  ['GET /teams/:team/departments', member(200)],
  ['POST /teams/:team/departments', leader(201), () => ({ name: 'Press' })],
  [`PATCH ${sales}`, leader(200), () => ({ name: 'Trade' })],
  [`DELETE ${sales}`, leader(200)],
  [`GET ${sales}/members`, leader(200)],
  [`POST ${sales}/members`, leader(201), ({ target }) => ({ email: target.email })],
  [`DELETE ${sales}/members`, leader(200), ({ people }) => ({ email: people.INSIDE.email })],
  ['GET /teams/:team/items', member(200)],
  ['POST /teams/:team/items', member(201), ({ own }) => ({ itemId: own })],
  ['POST /teams/:team/items', leader(201), ({ own }) => ({ itemId: own, accessLevel: 'WRITE' })],
  ['POST /teams/:team/items', leader(201), ({ own }) => ({ itemId: own, departmentSlugs: ['sales'] })],
  ['POST /teams/:team/items', leader(201), ({ own }) => ({ itemId: own, departmentSlug: 'sales' })],
  ['PATCH /teams/:team/items', leader(200), ({ book }) => ({ itemId: book, accessLevel: 'WRITE' })],
  [
    'DELETE /teams/:team/items',
    { ...member(200), INSIDE: [403, 'FORBIDDEN_REVOKE'], OUTSIDE: [403, 'FORBIDDEN_REVOKE'] },
    ({ book }) => ({ itemId: book }),
  ],
  ['GET /teams/:team/access-report', leader(200)],
]

describe.for(table)('%s', ([route, expected, body]) => {
  test.for(callers)('as %s', async (caller) => {
    const expectedOutcome = expected[caller]
    const changesNothing = route.startsWith('GET ') || typeof expectedOutcome !== 'number'
    const the = await (changesNothing ? shareScene(caller) : createScene(caller))
    const answer = await desk.call(the.people[caller], route.replace(':team', the.team), body?.(the))
    if (typeof expectedOutcome === 'number')
      expect([answer.status, answer.body.code]).toEqual([expectedOutcome, undefined])
    else expect([answer.status, answer.body.code]).toEqual(expectedOutcome)
    if (!answer.ok) expect(answer.body.requestId).toBeTypeOf('string')
  })
})

const teamRoutes = [...new Set(table.map(([route]) => route))]

test.for(teamRoutes)('%s answers the same for an unknown team as for a team of others', async (route) => {
  const the = await shareScene('STRANGER')
  const body = table.find(([each]) => each === route)?.[2]?.(the)
  const person = the.people.STRANGER
  const strange = await desk.call(person, route.replace(':team', the.team), body)
  const unknown = await desk.call(person, route.replace(':team', 'nowhere'), body)
  expect(unknown.status).toBe(403)
  expect({ ...unknown.body, requestId: '' }).toEqual({ ...strange.body, requestId: '' })
})

test('a plain member cannot find out which departments exist', async () => {
  const the = await shareScene('OUTSIDE')
  const answers = []
  for (const dept of ['sales', 'nowhere']) {
    answers.push(await desk.call(the.people.OUTSIDE, `GET /teams/${the.team}/departments/${dept}/members`))
  }
  const [there, absent] = answers.map(({ status, body }) => ({ status, body: { ...body, requestId: '' } }))
  expect(absent).toEqual(there)
})

test('all team routes need a key', async () => {
  for (const route of teamRoutes) {
    const { status } = await desk.call({ key: '' }, route.replace(':team', 'any'))
    expect([route, status]).toEqual([route, 401])
  }
})

test('team changes are limited to 20 a minute', async () => {
  const person = await server.createPerson()
  const { rateLimiter } = server.running.opened.services
  for (let i = 0; i < 20; i++) await rateLimiter.consume(person.id, 'team_changes')
  await expect(rateLimiter.consume(person.id, 'team_changes')).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    message: expect.stringMatching(/^Too many team changes in a short window — retry in \d+s\.$/),
  })
})
