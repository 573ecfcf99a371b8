import { beforeAll, describe, expect, test } from 'vitest'
import { createAccountContext } from '../../src/admin/commands/account-context.ts'
import { createLog } from '../../src/app/log.ts'
import { describeBookReads, type BookReadsQuery } from '../../src/research/describe-book-reads.ts'
import { weekOf } from '../../src/research/page-read-store.ts'
import { makeBook, markdownPages } from '../support/make-book.ts'
import { publishBook, subscribe } from '../support/marketplace.ts'
import type { Person } from '../support/server.ts'
import { mcp, rest, sendMcp, transports } from '../support/transports.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
const pageCount = 10
const weekMs = 7 * 24 * 3600 * 1000

let owner: Person
let book: string

beforeAll(async () => {
  owner = await server.createPerson()
  book = await makeBook(server, owner, { content: markdownPages(pageCount) })
})

async function contextOf(person: Pick<Person, 'id'>) {
  const { services } = server.running.opened
  const account = await services.accounts.byId(person.id)
  if (!account) throw new Error('no account')
  return createAccountContext({ services, log: createLog('silent') }, account)
}

const readsOf = async (query: Partial<BookReadsQuery> = {}, person: Pick<Person, 'id'> = owner) =>
  describeBookReads(await contextOf(person), { itemId: book, pageCount, week: null, reader: null, ...query })

const perPage = ({ marks }: { marks: readonly { reads: number }[] }) => marks.map(({ reads }) => reads)

/** Counts reads of pages like a call that reads them. */
async function count(
  reader: string,
  { pages, agent = null, at = new Date() }: { pages: [number, number][]; agent?: string | null; at?: Date },
  { itemId = book, ofPages = pageCount }: { itemId?: string; ofPages?: number } = {},
) {
  const { readLog } = server.running.opened.services
  const ranges = pages.map(([from, to]) => ({ from, to }))
  const read = { ownerId: owner.id, pageCount: ofPages, ranges }
  const books = [{ itemId, title: 'A', depth: 'content' as const, pages: 1, words: 1, read }]
  readLog.count(reader, { at, books, tracked: false, newBooks: [], agent })
  await readLog.flush()
}

describe.for(transports)('what a program reads over %s', ([, transport]) => {
  test('is counted by page, with the name of the program', async () => {
    const person = await server.createPerson()
    const itemId = await makeBook(server, person, { content: markdownPages(pageCount) })
    await transport.call(server, person, 'read_items', { items: [{ id: itemId, pages: '2-4,9' }] })
    await transport.call(server, person, 'read_items', { items: [{ id: itemId, pages: '3' }] })
    await transport.call(server, person, 'get_table_of_contents', { ids: [itemId] })
    await transport.call(server, person, 'get_item_content', { id: itemId })
    const described = await readsOf({ itemId }, person)
    expect(perPage(described)).toEqual([1, 2, 3, 2, 1, 1, 1, 1, 2, 1])
    expect(described).toMatchObject({ reads: 3, sessions: [], weeks: [{ week: weekOf(new Date()), reads: 3 }] })
    expect(described.readers).toEqual([
      { key: expect.stringMatching(/^agent:\w/), reader: { kind: 'agent', name: expect.any(String) }, reads: 3 },
    ])
  })
})

test('a fetched page and a page in a browser are counted too', async () => {
  const person = await server.createPerson()
  const itemId = await makeBook(server, person, { content: markdownPages(pageCount) })
  await sendMcp(server, person.key, {
    method: 'tools/call',
    params: { name: 'fetch', arguments: { id: `${itemId}:7` } },
  })
  expect(perPage(await readsOf({ itemId }, person))).toEqual([0, 0, 0, 0, 0, 0, 1, 0, 0, 0])
})

describe('selecting a week and a reader', () => {
  let itemId: string
  const lastWeek = new Date(Date.now() - weekMs)

  beforeAll(async () => {
    itemId = await makeBook(server, owner)
    const target = { itemId }
    await count(owner.id, { pages: [[1, 2]], agent: 'alpha' }, target)
    await count(owner.id, { pages: [[2, 3]], agent: 'alpha', at: lastWeek }, target)
    await count(owner.id, { pages: [[10, 10]], agent: 'beta', at: lastWeek }, target)
    // Neither of these shows what agents read: the owner in a browser, this week and in a week of its own.
    await count(owner.id, { pages: [[5, 5]] }, target)
    await count(owner.id, { pages: [[6, 6]], at: new Date(Date.now() - 2 * weekMs) }, target)
  })

  test.for([
    ['none', {}, [1, 2, 1, 0, 0, 0, 0, 0, 0, 1], 3],
    ['a program', { reader: 'agent:alpha' }, [1, 2, 1, 0, 0, 0, 0, 0, 0, 0], 2],
    ['a week', { week: weekOf(lastWeek) }, [0, 1, 1, 0, 0, 0, 0, 0, 0, 1], 2],
    ['both', { week: weekOf(lastWeek), reader: 'agent:beta' }, [0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 1],
    ['a week without reads', { week: '2020-01-06' }, Array(10).fill(0), 0],
  ] as const)('%s', async ([, choice, pages, reads]) => {
    const described = await readsOf({ itemId, ...choice })
    expect([perPage(described), described.reads]).toEqual([pages, reads])
    expect(described.readers.map(({ key, reads: total }) => [key, total])).toEqual([
      ['agent:alpha', 2],
      ['agent:beta', 1],
    ])
    expect(described.weeks.map(({ week }) => week)).toEqual([weekOf(new Date()), weekOf(lastWeek)])
  })
})

describe('other readers', () => {
  test('are one sum without names, for weeks with at least three readers', async () => {
    const itemId = await makeBook(server, owner)
    const target = { itemId }
    const read = (reader: string, at?: Date) =>
      count(reader, { pages: [[4, 5]], agent: `program of ${reader}`, ...(at ? { at } : {}) }, target)
    // Readers are counted by short hashes. Among eight, at least three differ.
    const readers = await Promise.all(Array.from({ length: 8 }, async () => (await server.createPerson()).id))
    const [ann = '', bob = ''] = readers
    for (const reader of [ann, bob, ann, bob, ann]) await read(reader)
    for (const reader of readers) await read(reader, new Date(Date.now() - weekMs))
    const described = await readsOf({ itemId })
    // Two people read in this week, eight in the last one.
    expect(described.reads).toBe(8)
    expect(perPage(described)).toEqual([0, 0, 0, 8, 8, 0, 0, 0, 0, 0])
    expect(described.readers).toEqual([{ key: 'others', reader: { kind: 'others' }, reads: 8 }])
    const { readLog } = server.running.opened.services
    const rows = JSON.stringify(await readLog.pageReads(itemId, '2000-01-01'))
    for (const hidden of [...readers, 'program']) expect(rows).not.toContain(hidden)
  })

  test('cannot see what was read', async () => {
    const { itemId, listingId } = await publishBook(server, owner, { content: markdownPages(3) })
    const reader = await server.createPerson()
    await expect(readsOf({ itemId }, reader)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await subscribe(server, reader, listingId)
    await expect(readsOf({ itemId }, reader)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })
})

test('research sessions that read the book are listed, except those of others', async () => {
  const { itemId, listingId } = await publishBook(server, owner, { content: markdownPages(3) })
  const reader = await server.createPerson()
  await subscribe(server, reader, listingId)
  for (const [person, intent] of [
    [owner, 'soap'],
    [owner, 'knots'],
    [reader, 'private'],
  ] as const) {
    const { body } = await mcp.call(server, person, 'start_access_session', { intent })
    const items = intent === 'knots' ? [{ id: book, pages: '1' }] : [{ id: itemId, pages: '1-2' }]
    await mcp.call(server, person, 'read_items', { items, sessionId: body.sessionId })
  }
  const { sessions } = await readsOf({ itemId })
  expect(sessions).toEqual([{ startedAt: expect.any(Date), intent: 'soap', program: expect.any(String), pagesRead: 2 }])
})

test('a long book has at most 200 marks, and a row at most about 1,000 steps', async () => {
  const itemId = await makeBook(server, owner)
  const long = { itemId, ofPages: 30_000 }
  const every = Array.from({ length: 15_000 }, (_, i): [number, number] => [2 * i + 1, 2 * i + 1])
  await count(owner.id, { pages: every, agent: 'alpha' }, long)
  await count(owner.id, { pages: [[29_971, 30_000]], agent: 'alpha' }, long)
  const { marks } = await readsOf({ itemId, pageCount: 30_000 })
  expect(marks).toHaveLength(200)
  expect(marks[0]).toEqual({ from: 1, to: 150, reads: 1, page: 1 })
  expect(marks.at(-1)).toEqual({ from: 29_851, to: 30_000, reads: 2, page: 29_971 })
  const rows = await server.running.opened.services.readLog.pageReads(itemId, '2000-01-01')
  expect(rows.map(({ steps }) => Object.keys(steps).length)).toEqual([3])
})

test('reads older than 26 weeks are not shown, and their rows expire', async () => {
  const itemId = await makeBook(server, owner)
  await count(owner.id, { pages: [[1, 1]], at: new Date(Date.now() - 26 * weekMs) }, { itemId })
  expect((await readsOf({ itemId })).reads).toBe(0)
  const [row] = await server.running.opened.services.readLog.pageReads(itemId, '2000-01-01')
  expect(row?.expiresAt.getTime()).toBeLessThanOrEqual(Date.now() + weekMs)
})

test('100,000 reads of a book are described from one row per week and reader', async () => {
  const itemId = await makeBook(server, owner)
  const { readLog } = server.running.opened.services
  const read = { ownerId: owner.id, pageCount: 500, ranges: [{ from: 1, to: 1 }] }
  for (let n = 0; n < 100_000; n++) {
    const page = ((n * 7919) % 500) + 1
    const books = [
      {
        itemId,
        title: 'A',
        depth: 'content' as const,
        pages: 1,
        words: 1,
        read: { ...read, ranges: [{ from: page, to: page }] },
      },
    ]
    const at = new Date(Date.now() - (n % 26) * weekMs)
    readLog.count(owner.id, {
      at,
      books,
      tracked: false,
      newBooks: [],
      agent: ['alpha', 'beta', 'gamma'][n % 3] as string,
    })
    if (n % 2000 === 0) await readLog.flush()
  }
  await readLog.flush()
  const began = performance.now()
  const { reads, readers, weeks, marks } = await readsOf({ itemId, pageCount: 500 })
  process.stdout.write(`100,000 reads described in ${Math.round(performance.now() - began)} ms\n`)
  expect([reads, readers.length, weeks.length, marks.length]).toEqual([100_000, 3, 26, 167])
  expect((await readLog.pageReads(itemId, '2000-01-01')).length).toBe(78)
})

test('a deleted book leaves nothing', async () => {
  const itemId = await makeBook(server, owner)
  await count(owner.id, { pages: [[1, 1]] }, { itemId })
  const { readLog } = server.running.opened.services
  expect(await readLog.pageReads(itemId, '2000-01-01')).toHaveLength(1)
  await rest.call(server, owner, 'delete_items', { ids: [itemId] })
  await rest.call(server, owner, 'erase_deleted_item', { itemId })
  expect(await readLog.pageReads(itemId, '2000-01-01')).toEqual([])
})
