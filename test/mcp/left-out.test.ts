import { beforeAll, describe, expect, test } from 'vitest'
import { rateLimits } from '../../src/accounts/rate-limiter.ts'
import { acceptedSchema } from '../../src/mcp/input-schema.ts'
import { tools } from '../../tools/index.ts'
import type { Tool } from '../../src/core/tool.ts'
import { makeBook } from '../support/make-book.ts'
import { acceptHeaders, legacyRevision } from '../support/mcp-messages.ts'
import { toolCases, type OwnedObjects } from '../support/tool-cases.ts'
import { send, sendMcp } from '../support/transports.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'

const unlimited = Object.fromEntries(Object.keys(rateLimits).map((bucket) => [bucket, 1_000_000]))
const server = useTestServer({ LECTERN_ROLE: 'web' }, { rateLimits: unlimited as typeof rateLimits })

type Values = Record<string, any>

/** An optional argument: its name, or the path to it in another argument. */
interface Case {
  tool: Tool
  path: string[]
}

/** Texts that are cleared by an empty string. */
const clearable = new Set([
  ...['author', 'description', 'sampleQuestion'].map((name) => `enrich_item ${name}`),
  ...['description', 'audience', 'trigger', 'instructions'].map((name) => `update_manuscript ${name}`),
])

/** For a range in which no part can be read, the result has no pages (contract). */
const emptyRange = 'read_items items.0.pages'

const offered = tools.filter(({ mcp }) => mcp !== false)
const cases: Case[] = offered.flatMap((tool) =>
  [...optionalPaths(acceptedSchema(tool))].map((path): Case => ({ tool, path })),
)

function* optionalPaths(schema: Values, path: string[] = []): Generator<string[]> {
  for (const [name, property] of Object.entries<Values>(schema['properties'] ?? {})) {
    if (!schema['required']?.includes(name)) yield [...path, name]
    yield* optionalPaths(property, [...path, name])
    if (property['items']) yield* optionalPaths(property['items'], [...path, name, '0'])
  }
}

/** Creates a person with a book, a shelf and a manuscript whose texts are all set. */
async function makeWorld(): Promise<{ person: Person; things: OwnedObjects }> {
  const person = await server.createPerson()
  const call = async (name: string, input: Values) => (await answer(person, name, input))['structuredContent']
  const book = await makeBook(server, person, { title: 'A secret book', content: '# One\ntext 1\n# Two\ntext 2\n' })
  await call('enrich_item', {
    itemId: book,
    author: 'Ada',
    description: 'A description',
    sampleQuestion: 'Why?',
    confidence: 0.5,
  })
  const shelf = await call('create_shelf', { name: 'A shelf', color: '#112233' })
  await call('add_to_shelf', { shelf: shelf.id, itemIds: [book] })
  const { manuscript } = await call('create_manuscript', {
    title: 'Notes',
    description: 'A description',
    audience: 'Us',
    topics: ['a topic'],
    criteria: ['a criterion'],
    trigger: 'a trigger',
    instructions: 'Instructions',
    structure: { chapters: 3 },
  })
  const { sessionId } = await call('start_access_session', {})
  const none = { listing: '', team: '', invite: '', upload: { itemId: '', storageKey: '' }, job: '' }
  return { person, things: { ...none, book, shelf: shelf.id, manuscript: manuscript.id, session: sessionId } }
}

async function answer(person: Person, name: string, input: Values): Promise<Values> {
  const { body } = await sendMcp(server, person.key, { method: 'tools/call', params: { name, arguments: input } })
  return body.result
}

/** Removes ids, names and times, which differ between two equal states. */
function withoutIdentity(result: Values): Values {
  const text = JSON.stringify(result)
    .replaceAll(/\b[a-z0-9]{26}\b/g, 'ID')
    .replaceAll(/\breader\d+\b/g, 'NAME')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
  return JSON.parse(text)
}

/** Returns a call without the argument, but with the arguments that contain it. */
function callWithout({ tool, path }: Case, things: OwnedObjects): Values {
  const input = structuredClone(toolCases[tool.name]?.input(things) ?? {}) as Values
  let place = input
  let example = tool.example as Values
  for (const [index, key] of path.entries()) {
    if (index === path.length - 1) break
    example = example[key]
    place[key] ??= Array.isArray(example) ? [] : requiredOf(tool, path.slice(0, index + 1), example)
    place = place[key]
  }
  delete place[path.at(-1) as string]
  return input
}

function requiredOf(tool: Tool, path: string[], example: Values): Values {
  const schema = path.reduce<Values>(
    (at, key) => (at['properties'] ?? {})[key] ?? at['items'],
    acceptedSchema(tool) as Values,
  )
  return Object.fromEntries((schema['required'] as string[]).map((name) => [name, example[name]]))
}

function filled({ path, ...rest }: Case, things: OwnedObjects, value: unknown): Values {
  const input = callWithout({ path, ...rest }, things)
  const place = path.slice(0, -1).reduce<Values>((at, key) => at[key], input)
  place[path.at(-1) as string] = value
  return input
}

const titleOf = ({ tool, path }: Case) => `${tool.name} ${path.join('.')}`

test('the table covers arguments of every kind', () => {
  const titles = cases.map(titleOf)
  expect(titles.length).toBeGreaterThan(80)
  expect(titles).toEqual(
    expect.arrayContaining([
      'list_items shelf',
      'list_items cursor',
      'read_items sessionId',
      emptyRange,
      'check_citations citations.0.version',
      'enrich_item toc.0.level',
      'enrich_item addPrompt.context',
      'create_shelf idempotencyKey',
      'browse_marketplace category',
      'browse_marketplace tag',
      'browse_marketplace query',
      'suggest_book author',
      'list_book_gaps itemId',
      'list_manuscripts status',
      'update_manuscript structure',
      ...clearable,
    ]),
  )
})

type World = Awaited<ReturnType<typeof makeWorld>>
let shared: World
const expectedResults = new Map<string, Promise<Values>>()

beforeAll(async () => {
  shared = await makeWorld()
})

/** Calls that only read share one state, because they do not change it. */
const worldFor = ({ tool }: Case) => (tool.annotations.readOnlyHint ? shared : makeWorld())

/** Returns the result of a call without the argument. */
function resultWithout(it: Case): Promise<Values> {
  const key = `${it.tool.name} ${JSON.stringify(callWithout(it, shared.things))}`
  const known = expectedResults.get(key)
  if (known) return known
  const made = Promise.resolve(worldFor(it)).then(async ({ person, things }) =>
    withoutIdentity(await answer(person, it.tool.name, callWithout(it, things))),
  )
  expectedResults.set(key, made)
  return made
}

async function resultWith(it: Case, value: unknown): Promise<Values> {
  const { person, things } = await worldFor(it)
  return withoutIdentity(await answer(person, it.tool.name, filled(it, things, value)))
}

describe.for(cases.map((it) => [titleOf(it), it] as const))('%s', ([title, it]) => {
  test('null is the same as omitting it', async () => {
    expect(await resultWith(it, null)).toEqual(await resultWithout(it))
  })

  if (clearable.has(title) || title === emptyRange) return
  test('an empty string is the same as omitting it', async () => {
    expect(await resultWith(it, '')).toEqual(await resultWithout(it))
  })
})

describe('an empty string clears a stored text', () => {
  async function storedTexts({ person, things }: World): Promise<Values> {
    const read = { method: 'POST', path: '/api/v1/items/batch', body: { items: [{ id: things.book, pages: '1' }] } }
    const { items } = (await send(server, person.key, read)).body
    const { manuscripts } = (await answer(person, 'list_manuscripts', {}))['structuredContent']
    const listed = (await answer(person, 'list_items', { detail: 'detailed' }))['structuredContent'].items
    const { author } = listed.find(({ id }: { id: string }) => id === things.book)
    const { description, metadata } = items[0]
    const { title, audience, trigger, instructions } = manuscripts[0]
    return {
      enrich_item: { author, description, sampleQuestion: metadata.sampleQuestion },
      update_manuscript: { title, description: manuscripts[0].description, audience, trigger, instructions },
    }
  }

  test.for([...clearable])('%s', async (title) => {
    const [name, field] = title.split(' ') as [string, string]
    const world = await makeWorld()
    const before = await storedTexts(world)
    expect(before[name][field]).toEqual(expect.any(String))
    const id = name === 'enrich_item' ? { itemId: world.things.book } : { manuscriptId: world.things.manuscript }
    const { isError } = await answer(world.person, name, { ...id, [field]: '' })
    expect(isError).toBeUndefined()
    expect(await storedTexts(world)).toEqual({ ...before, [name]: { ...before[name], [field]: null } })
  })
})

describe('values that do not count as omitted', () => {
  let person: Person
  let things: OwnedObjects
  beforeAll(async () => {
    ;({ person, things } = await makeWorld())
  })

  test.for<[string, Values, RegExp]>([
    ['get_item_content', { id: null }, /^INVALID_INPUT: id must be a string/],
    ['get_table_of_contents', { ids: null }, /^INVALID_INPUT: ids must be an array/],
    ['read_items', { items: [null] }, /^INVALID_INPUT: items\.0 must be an object/],
    ['read_items', { items: [{ id: null }] }, /^INVALID_INPUT: items\.0\.id must be a string/],
    ['search_items', { query: '' }, /^INVALID_INPUT: query is required/],
    ['whoami', { shelf: null }, /^INVALID_INPUT: shelf: unknown field/],
    ['list_items', { shelv: null }, /^INVALID_INPUT: shelv: unknown field.*an object of shelf\?/],
    ['list_items', JSON.parse('{"__proto__": null}'), /^INVALID_INPUT: __proto__: unknown field/],
  ])('%s with %j is refused with its explanation', async ([name, input, text]) => {
    const { isError, content } = await answer(person, name, input)
    expect(isError).toBe(true)
    expect(content[0].text).toMatch(text)
  })

  test('an empty range of pages is no pages', async () => {
    const { structuredContent } = await answer(person, 'read_items', { items: [{ id: things.book, pages: '' }] })
    expect(structuredContent.items[0].pages).toEqual([])
  })

  test('text that a required argument empties is stored as empty', async () => {
    const { isError } = await answer(person, 'put_item_content', { id: things.book, content: '' })
    expect(isError).toBeUndefined()
    const { structuredContent } = await answer(person, 'get_item_content', { id: things.book })
    expect(structuredContent).toMatchObject({ content: '', pageCount: 0 })
  })

  test('clients of older protocol revisions omit arguments in the same way', async () => {
    const { body } = await send(server, person.key, {
      method: 'POST',
      path: '/api/v1/mcp',
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'list_items', arguments: { shelf: '', cursor: null, limit: null, detail: '' } },
      },
      headers: { ...acceptHeaders, 'MCP-Protocol-Version': legacyRevision },
    })
    expect(body.result.structuredContent.total).toBeGreaterThan(0)
  })

  test('the call that continues a list names only arguments with a value', async () => {
    await makeBook(server, person)
    const { content } = await answer(person, 'list_items', { shelf: '', limit: 1, detail: null, cursor: '' })
    expect(content.at(-1).text).toMatch(/call list_items with \{"limit":1,"cursor":"\w+"\}/)
  })
})

describe('over REST nothing differs', () => {
  test('null clears, and an empty filter is refused', async () => {
    const { person, things } = await makeWorld()
    const shelf = await send(server, person.key, {
      method: 'PATCH',
      path: `/api/v1/shelves/${things.shelf}`,
      body: { color: null },
    })
    expect(shelf.body.color).toBeNull()
    const manuscript = await send(server, person.key, {
      method: 'PUT',
      path: `/api/v1/manuscripts/${things.manuscript}`,
      body: { description: null, structure: null },
    })
    expect(manuscript.body.manuscript).toMatchObject({ description: null, structure: null, audience: 'Us' })
    const { status, body } = await send(server, person.key, { method: 'GET', path: '/api/v1/items?shelf=' })
    expect([status, body.code]).toEqual([400, 'SHELF_PARAM_INVALID'])
  })
})

describe('what null used to clear', () => {
  test('the colour of a shelf is cleared with none', async () => {
    const { person, things } = await makeWorld()
    const { structuredContent } = await answer(person, 'update_shelf', { shelf: things.shelf, color: 'none' })
    expect(structuredContent.color).toBeNull()
  })

  test.for<[string, unknown, object]>([
    ['an object', { parts: ['a'] }, { parts: ['a'] }],
    ['JSON text', '{"parts": ["a"]}', { parts: ['a'] }],
    ['the JSON text of an empty object', '{}', {}],
  ])('the structure of a manuscript may be %s', async ([, structure, stored]) => {
    const { person, things } = await makeWorld()
    const input = { manuscriptId: things.manuscript, structure }
    const { structuredContent } = await answer(person, 'update_manuscript', input)
    expect(structuredContent.manuscript.structure).toEqual(stored)
  })

  test.for(['{"parts":', '[1]', '"text"', '7', 'null'])('the structure may not be the text %s', async (structure) => {
    const { person } = await makeWorld()
    const { content } = await answer(person, 'create_manuscript', { title: 'T', structure })
    expect(content[0].text).toMatch(/^INVALID_INPUT: structure must be an object/)
  })
})
