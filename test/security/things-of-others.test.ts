import { beforeAll, describe, expect, test } from 'vitest'
import type { Tool } from '../../src/core/tool.ts'
import { tools } from '../../tools/index.ts'
import {
  changedRows,
  giveThings,
  kindsOfThings,
  rowsOf,
  unknownThings,
  type KindOfThing,
  type OwnedThings,
} from '../support/owned-things.ts'
import {
  bookKinds,
  fieldsOf,
  isWord,
  nameOf,
  namingsOf,
  plain,
  withValue,
  type Naming,
} from '../support/named-fields.ts'
import { makeBook } from '../support/make-book.ts'
import type { Person } from '../support/server.ts'
import { createTeamClient } from '../support/team-client.ts'
import { hasTransport, isPublic, sessionOnly, toolCases } from '../support/tool-cases.ts'
import { send, sendMcp, transports, type ToolResponse, type Transport } from '../support/transports.ts'
import { useTestServer } from '../support/use-test-server.ts'

/**
 * Each field in which a call can name a thing gets a thing of another account, then one that does not exist; all other fields
 * of the call are the caller's own. Both answers must be the same, and neither may change or show what the owner has.
 */
const server = useTestServer()
const mark = 'xyzzyowner'
let owner: Person
let theirs: OwnedThings

beforeAll(async () => {
  owner = await server.createPerson()
  theirs = await giveThings(server, owner, mark)
}, 60_000)

test('it is known of every field what it names', () => {
  const unclear = tools.flatMap((tool) =>
    fieldsOf(tool)
      .filter((field) => namingsOf(tool.name, field) === null && !plain.has(nameOf(field)))
      .map((field) => `${tool.name}.${field}`),
  )
  expect(unclear, 'add the field to `namedBy` or to `plain`').toEqual([])
})

/** The calls of a tool that name a thing: the field, the kind, and how the input names it. Everybody may write any words. */
function callsOf(tool: Tool, hidden: readonly KindOfThing[] = kindsOfThings) {
  const kept = ([kind]: Naming) => hidden.includes(kind) && (tool.annotations.readOnlyHint || !isWord(kind))
  return fieldsOf(tool).flatMap((field) =>
    (namingsOf(tool.name, field) ?? [])
      .filter(kept)
      .map(([kind, write = (name: string) => name]) => ({ field, kind, write })),
  )
}

const naming = tools.filter((tool) => callsOf(tool).length > 0)
const isCalled = (name: string, transport: string) =>
  !sessionOnly.includes(name) && hasTransport(name, transport) && !isPublic(name, transport)

/** An answer without what differs at each call. */
function comparable({ status, body, text, headers }: ToolResponse, named: string): string {
  const neutral = (value: string) =>
    value
      .replaceAll(named, 'NAMED')
      .replaceAll(named.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'), 'NAMED')
      .replaceAll(encodeURIComponent(named), 'NAMED')
      .replaceAll(encodeURIComponent(named).replaceAll('%20', '+'), 'NAMED')
      .replaceAll(/0m[a-z0-9]{24}/g, 'ID')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
  const varying = /^(date|x-request-id|ratelimit-.*|content-length|etag|keep-alive|connection)$/
  const fields = [...headers].filter(([name]) => !varying.test(name)).map(([name, value]) => [name, neutral(value)])
  return JSON.stringify({ status, body: neutral(JSON.stringify(body)), text: neutral(text), fields })
}

interface Caller extends Person {
  things: OwnedThings
  /** What the owner hides from the caller. */
  hidden: readonly KindOfThing[]
  /** Words of the owner that the caller may see. */
  mayRead: readonly string[]
}

/** Makes each call of a tool twice, and returns what was wrong. */
async function tryTool(tool: Tool, caller: Caller, [name, transport]: (typeof transports)[number]): Promise<string[]> {
  const wrong: string[] = []
  for (const named of callsOf(tool, caller.hidden)) {
    const [foreign, missing] = await callBoth(tool, { caller, transport, named })
    const what = `${tool.name} over ${name}, ${named.field} = ${named.kind}`
    if (foreign.compared !== missing.compared) wrong.push(`${what}: ${foreign.compared} is not ${missing.compared}`)
    const shown = caller.mayRead.reduce((text, word) => text.replaceAll(word, ''), foreign.shown)
    if ([mark, owner.email].some((word) => shown.includes(word))) wrong.push(`${what} shows ${shown}`)
  }
  return wrong
}

interface Attempt {
  caller: Pick<Caller, 'key' | 'things'>
  transport: Transport
  named: ReturnType<typeof callsOf>[number]
}

/** Names a thing of the owner, then one that does not exist; returns what the answers show. */
async function callBoth(tool: Tool, { caller, transport, named: { field, kind, write } }: Attempt) {
  const own = toolCases[tool.name]?.input(asObjects(caller.things)) ?? {}
  const answers = []
  for (const things of [theirs, unknownThings(theirs)]) {
    await server.running.opened.database.db.collection('rates').deleteMany({})
    const name = write(things[kind])
    const answer = await transport.call(server, caller, tool.name, withValue(own, field, name))
    const shown = `${answer.text} ${JSON.stringify(answer.body)} ${JSON.stringify([...answer.headers])}`
    answers.push({ compared: comparable(answer, name), shown: shown.replaceAll(name, '') })
  }
  return answers as [(typeof answers)[number], (typeof answers)[number]]
}

const asObjects = (things: OwnedThings) => ({
  ...things,
  upload: { itemId: things.uploadedBook, storageKey: things.storageKey },
})

const ofTeam = new Set<KindOfThing>(['team', 'department'])

/** Accounts that may see nothing of what is marked, and what they may see. */
const callers: [who: string, prepare: (person: Person) => Promise<Pick<Caller, 'hidden' | 'mayRead'>>][] = [
  ['a stranger', async () => ({ hidden: kindsOfThings, mayRead: [] })],
  [
    'a former admin of the team',
    async (person) => {
      const desk = createTeamClient(server)
      await desk.addMember(theirs.team, person, 'ADMIN')
      await desk.call(owner, `DELETE /teams/${theirs.team}/members`, { email: person.email })
      return { hidden: kindsOfThings, mayRead: [] }
    },
  ],
  [
    'a member of the team, in another department,',
    async (person) => {
      const desk = createTeamClient(server)
      await desk.addMember(theirs.team, person)
      await desk.createDepartment(theirs.team, owner, `Other ${person.id}`, [person])
      const common = await makeBook(server, owner, { title: 'Common' })
      await desk.shareItem(theirs.team, owner, common)
      const hidden = kindsOfThings.filter((kind) => !ofTeam.has(kind))
      return { hidden, mayRead: [`${mark} team`, `${mark} department`, `${mark}-department`, `${mark} name`] }
    },
  ],
]

describe.for(callers)('%s', ([, prepare]) => {
  test.for(transports)(
    'gets the same answers over %s for things of others as for none',
    { timeout: 300_000 },
    async (transport) => {
      const person = await server.createPerson()
      const things = await giveThings(server, person, 'mine')
      const caller = { ...person, things, ...(await prepare(person)) }
      const wrong: string[] = []
      for (const tool of naming.filter(({ name }) => isCalled(name, transport[0]))) {
        const before = await rowsOf(server, theirs)
        wrong.push(...(await tryTool(tool, caller, transport)))
        const changed = changedRows(before, await rowsOf(server, theirs))
        wrong.push(...changed.map((row) => `${tool.name} changed ${row}`))
      }
      expect(wrong).toEqual([])
    },
  )
})

/** Fields with which the owner, too, may get the same answer: their thing does not decide what is shown. */
const same = /cursor|sessionId|author|browse_marketplace query/

test.for(transports)('the owner gets other answers over %s', { timeout: 60_000 }, async (transport) => {
  const [differing, alike] = [new Set<string>(), new Set<string>()]
  const caller = { ...owner, things: theirs }
  for (const tool of naming.filter(({ name }) => isCalled(name, transport[0]))) {
    for (const named of tool.annotations.readOnlyHint ? callsOf(tool) : []) {
      const [mine, missing] = await callBoth(tool, { caller, transport: transport[1], named })
      const outcome = mine.compared === missing.compared ? alike : differing
      outcome.add(`${tool.name} ${named.field}`)
    }
  }
  expect([...alike].filter((field) => !differing.has(field) && !same.test(field))).toEqual([])
})

describe('outside of tools', () => {
  /** Paths of the catalogue for reading apps, and the kinds of things that they name. */
  const catalogue: [path: string, kinds: readonly KindOfThing[]][] = [
    ...['file', 'epub', 'cover'].map((part): [string, KindOfThing[]] => [`/opds/books/NAME/${part}`, bookKinds]),
    ...['/opds', '/opds/v2'].flatMap((root): [string, KindOfThing[]][] => [
      [`${root}/shelves/NAME`, ['shelf', 'shelfSlug']],
      [`${root}/search?q=NAME`, ['title', 'filename']],
      [`${root}/books?cursor=NAME`, bookKinds],
    ]),
  ]

  test('the catalogue answers a stranger as if there were nothing', async () => {
    const stranger = await server.createPerson()
    const wrong: string[] = []
    for (const [path, kinds] of catalogue) {
      for (const kind of kinds) {
        const answers = []
        for (const name of [theirs[kind], unknownThings(theirs)[kind]]) {
          await server.running.opened.database.db.collection('rates').deleteMany({})
          const wanted = path.replace('NAME', encodeURIComponent(name))
          answers.push(comparable(await send(server, stranger.key, { method: 'GET', path: wanted }), name))
        }
        if (answers[0] !== answers[1] || answers[0]?.includes(mark)) wrong.push(`${path} ${kind}: ${answers.join(' ')}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test.for([
    'resources/list',
    'resources/templates/list',
    'resources/read',
    'prompts/list',
    'prompts/get',
    'completion/complete',
    'tools/list',
    'server/discover',
  ])('%s of MCP has nothing of an account', async (method) => {
    const params = { name: theirs.book, uri: `lectern://books/${theirs.book}`, ref: { type: 'ref/prompt', name: mark } }
    for (const { key } of [owner, await server.createPerson()]) {
      const { text, status } = await sendMcp(server, key, {
        method,
        params: { ...params, argument: { name: 'x', value: 'x' } },
      })
      expect([method, status < 500, text.includes(mark)]).toEqual([method, true, false])
    }
  })
})
