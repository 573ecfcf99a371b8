import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBookStore } from '../../../src/books/store.ts'
import { listAuthorGaps, listBookGaps } from '../../../src/gaps/list-gaps.ts'
import { createGapStore } from '../../../src/gaps/store.ts'
import { topicKey } from '../../../src/gaps/topic-key.ts'
import { newId } from '../../../src/core/ids.ts'
import { mcp, rest, send, transports } from '../../support/transports.ts'
import { reportGap, listGapGroups, publishedBook } from '../../support/gaps.ts'
import { makeBook } from '../../support/make-book.ts'
import { plansEnvironment } from '../../support/plans-environment.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import { startTestServer, type Person, type TestServer } from '../../support/server.ts'
import { contextOf } from '../../support/context.ts'
import { openEmbedded, type OpenStore } from '../../support/stores.ts'
import { openRecordingStore, type SentCommand, type RecordingStore } from '../../support/recording-store.ts'

let server: TestServer
let store: OpenStore
let watched: RecordingStore
let author: Person
let readers: Person[]
let itemId: string

beforeAll(async () => {
  store = await openEmbedded()
  const plans = await plansEnvironment({ tier: 'ONE', itemLimit: 1 })
  server = await startTestServer({ ...plans, LECTERN_MONGODB_URL: store.url, LECTERN_ROLE: 'web' })
  watched = await openRecordingStore(store.url, server.running.opened.database.db.databaseName)
  ;({ author, readers, itemId } = await publishedBook(server, { readers: 3, title: 'Whales' }))
  const [one, two, three] = readers as [Person, Person, Person]
  for (const person of [one, two, three]) await reportGap(server, person, itemId, { subcategory: 'Sleep' })
  for (const person of [one, two]) await reportGap(server, person, itemId, { subcategory: 'Song', category: 'music' })
  await reportGap(server, three, itemId, { subcategory: 'Krill', intent: 'older' })
  await reportGap(server, two, itemId, { subcategory: ' KRILL', intent: 'newer' })
  await reportGap(server, one, itemId, { subcategory: 'Boats' })
})
afterAll(async () => {
  await watched.close()
  await server.close()
  await store.close()
})

const setStatus = (subcategory: string, status: string) =>
  rest.call(server, author, 'update_book_gap', { itemId, subcategory, status })

/** Inserts open requests of the author directly into the store. */
async function seed(owner: Person, book: string, { topics, each = 1 }: { topics: number; each?: number }) {
  const reportedAt = new Date()
  const rows = Array.from({ length: topics * each }, (_, i) => {
    const subcategory = `Topic ${Math.floor(i / each)} ${'x'.repeat(60)}`
    return {
      _id: newId(reportedAt),
      itemId: book,
      ownerId: owner.id,
      readerId: owner.id,
      topic: topicKey(subcategory),
      subcategory,
      category: 'other',
      intent: 'What of it? '.repeat(10),
      aboutSection: null,
      status: 'OPEN',
      // A reader has at most one unfulfilled request per topic.
      fulfilment: each === 1 ? null : newId(reportedAt),
      reportedAt,
    }
  })
  await watched.db.collection<{ _id: string }>('gaps').insertMany(rows)
}

describe('over REST the response is a bare array', () => {
  test('of the requests about a book by topic, most readers first, then the latest', async () => {
    const groups = await listGapGroups(server, author, itemId)
    expect(groups.map(({ subcategory, reporterCount, gapIds }) => [subcategory, reporterCount, gapIds.length])).toEqual(
      [
        ['Sleep', 3, 3],
        ['KRILL', 2, 2],
        ['Song', 2, 2],
        ['Boats', 1, 1],
      ],
    )
    expect(groups[1]).toMatchObject({ sampleIntent: 'newer' })
    expect(new Set(groups.flatMap(({ gapIds }) => gapIds)).size).toBe(8)
  })

  test('of those with one status; an unknown status falls back to OPEN', async () => {
    await setStatus('Boats', 'IN_PROGRESS')
    await setStatus('Song', 'CLUSTERED')
    const listed = async (status?: string) =>
      (await listGapGroups(server, author, itemId, status)).map(
        ({ subcategory, status: shown }) => `${subcategory} ${shown}`,
      )
    expect(await listed('IN_PROGRESS')).toEqual(['Boats IN_PROGRESS'])
    expect(await listed('CLUSTERED')).toEqual(['Song CLUSTERED'])
    expect(await listed('DISMISSED')).toEqual([])
    const open = ['Sleep OPEN', 'KRILL OPEN']
    expect([await listed(), await listed('OPEN'), await listed('CLOSED'), await listed('')]).toEqual([
      open,
      open,
      open,
      open,
    ])
    for (const topic of ['Boats', 'Song']) await setStatus(topic, 'OPEN')
  })

  test("of the caller's books with open requests, most requests first", async () => {
    const owner = await server.createPerson()
    const [few, many] = [
      await makeBook(server, owner, { title: 'Few' }),
      await makeBook(server, owner, { title: 'Many' }),
    ]
    await makeBook(server, owner, { title: 'None' })
    await reportGap(server, owner, few, { subcategory: 'One' })
    for (let i = 0; i < 7; i++) await reportGap(server, owner, many, { subcategory: `T${i}` })
    await rest.call(server, owner, 'dismiss_book_gap', { itemId: many, subcategory: 'T6' })
    const { body } = await send(server, owner.key, { method: 'GET', path: '/api/v1/author/gaps' })
    expect(body).toEqual([
      { itemId: many, itemTitle: 'Many', openCount: 6, topSubcategories: expect.any(Array) },
      { itemId: few, itemTitle: 'Few', openCount: 1, topSubcategories: [{ subcategory: 'One', reporterCount: 1 }] },
    ])
    expect(body[0].topSubcategories).toHaveLength(5)
  })

  test('that ranks topics by their number of readers', async () => {
    const { body } = await send(server, author.key, { method: 'GET', path: '/api/v1/author/gaps' })
    expect(body).toMatchObject([
      { openCount: 8, topSubcategories: [{ subcategory: 'Sleep', reporterCount: 3 }, {}, {}, {}] },
    ])
  })

  test('that is empty for an account without requests', async () => {
    const { key } = await server.createPerson()
    expect((await send(server, key, { method: 'GET', path: '/api/v1/author/gaps' })).text).toBe('[]')
  })

  test('and documented as one', async () => {
    const { body } = await send(server, null, { method: 'GET', path: '/api/v1/openapi.json' })
    for (const path of ['/api/v1/items/{itemId}/gaps', '/api/v1/author/gaps']) {
      const { $ref } = body.paths[path].get.responses['200'].content['application/json'].schema
      expect(body.components.schemas[$ref.split('/').at(-1)]).toMatchObject({ type: 'array' })
    }
    expect(Object.keys(body.paths['/api/v1/librarian/gaps'].post.responses)).not.toContain('400')
  })
})

describe('over MCP the arrays are wrapped', () => {
  test('as gaps for a book and as books without one', async () => {
    const { body: one } = await mcp.call(server, author, 'list_book_gaps', { itemId })
    expect(one).toMatchObject({ gaps: await listGapGroups(server, author, itemId) })
    const { body: all } = await mcp.call(server, author, 'list_book_gaps')
    expect(all).toMatchObject({
      books: (await send(server, author.key, { method: 'GET', path: '/api/v1/author/gaps' })).body,
    })
  })

  test('an unknown status is refused with the list of statuses', async () => {
    const answer = await mcp.call(server, author, 'list_book_gaps', { itemId, status: 'CLOSED' })
    expectRefusal(answer, 'mcp', {
      status: 400,
      code: 'INVALID_INPUT',
      message: /status must be one of OPEN, CLUSTERED/,
    })
  })

  test('a long list is paginated within the budget, and nothing is missing', async () => {
    const owner = await server.createPerson()
    const book = await makeBook(server, owner)
    await seed(owner, book, { topics: 400 })
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const { body, text } = await mcp.call(server, owner, 'list_book_gaps', { itemId: book, cursor })
      expect(text.length).toBeLessThan(60_000)
      expect(body).toMatchObject({ total: 400 })
      seen.push(...body.gaps.map(({ subcategory }: { subcategory: string }) => subcategory))
      cursor = body.nextCursor
    } while (cursor !== undefined)
    expect(new Set(seen).size).toBe(400)
    expect(seen).toHaveLength(400)
    const { body } = await mcp.call(server, owner, 'list_book_gaps', { itemId: book, limit: 3 })
    expect(body.gaps).toHaveLength(3)
    await watched.db.collection('gaps').deleteMany({ itemId: book })
  })

  test('a topic with very many readers shows some ids and the number of the others', async () => {
    const owner = await server.createPerson()
    const book = await makeBook(server, owner)
    await seed(owner, book, { topics: 1, each: 3000 })
    const { body, text } = await mcp.call(server, owner, 'list_book_gaps', { itemId: book })
    expect(text.length).toBeLessThan(60_000)
    expect(body.gaps).toMatchObject([{ moreGapIds: 2980 }])
    expect(body.gaps[0].gapIds).toHaveLength(20)
    expect((await listGapGroups(server, owner, book))[0]?.gapIds).toHaveLength(3000)
    await watched.db.collection('gaps').deleteMany({ itemId: book })
  })
})

describe.for(transports)('over %s', ([name, transport]) => {
  const missing = { status: 404, mcpCode: 'NOT_FOUND', message: /Item not found$/ }
  const list = (person: Person, id: string) => transport.call(server, person, 'list_book_gaps', { itemId: id })

  test('a stranger, a reader and an unknown book get NOT_FOUND', async () => {
    expectRefusal(await list(await server.createPerson(), itemId), name, missing)
    expectRefusal(await list(readers[0] as Person, itemId), name, missing)
    expectRefusal(await list(author, 'unknown'), name, missing)
  })

  test('a locked book says how many stay usable and where to choose or upgrade', async () => {
    const owner = await server.createPerson()
    await makeBook(server, owner)
    const locked = await makeBook(server, owner)
    await server.running.opened.services.accounts.change(owner.id, { tier: 'ONE' })
    const says = /keeps 1 books usable.*Upgrade at .*\/plans.*\/library\/usable/
    expectRefusal(await list(owner, locked), name, { status: 403, code: 'ITEM_LOCKED', message: says })
  })
})

/** Makes calls of the author and records their database commands. */
async function watchedCalls(person: Person) {
  const ctx = await contextOf(server, person)
  return { ...ctx, gaps: createGapStore(watched.db), books: createBookStore(watched.db) }
}

const targets = (commands: readonly SentCommand[]) => commands.map(({ name, command }) => `${name} ${command[name]}`)

test('a listing examines only the requests to this author, and a book only once', async () => {
  const [other, owner] = [await server.createPerson(), await server.createPerson()]
  const [foreign, book, second] = [
    await makeBook(server, other),
    await makeBook(server, owner),
    await makeBook(server, owner),
  ]
  await seed(other, foreign, { topics: 500 })
  await seed(owner, second, { topics: 50 })
  for (const subcategory of ['One', 'Two', 'Three']) await reportGap(server, owner, book, { subcategory })
  const ctx = await watchedCalls(owner)
  const one = await watched.record(() => listBookGaps(ctx, { itemId: book }))
  expect(targets(one)).toEqual(['find books', 'aggregate gaps'])
  expect(await watched.countExamined(one)).toBe(1 + 3)
  const all = await watched.record(() => listAuthorGaps(ctx))
  expect(targets(all)).toEqual(['aggregate gaps', 'find books'])
  expect(await watched.countExamined(all)).toBe(53 + 2)
  await watched.db.collection('gaps').deleteMany({ itemId: { $in: [foreign, second] } })
})
