import type { CommandStartedEvent, Document } from 'mongodb'
import { beforeAll, expect, test } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { formatCursor, placeBook, type LibrarySort } from '../../src/library/library-order.ts'
import { ownAccess } from '../../src/books/access.ts'
import { seedBooks } from '../support/seed-books.ts'
import { useTestServer } from '../support/use-test-server.ts'

/** More books than a page shows, so that all compared pages have sixty books. */
const small = 150
const large = 3000
const shelved = 70

const server = useTestServer({ LECTERN_ROLE: 'web' }, { monitorCommands: true })
let sent: CommandStartedEvent[] = []

interface Library {
  cookie: string
  /** Returns the cursor of the book in the middle of an order. */
  after(sort: LibrarySort): string
}

interface Cost {
  /** The reading commands of one visit, sorted by name. */
  commands: string[]
  docs: number
  keys: number
}

let few: Library
let many: Library

beforeAll(async () => {
  server.running.opened.database.db.client.on('commandStarted', (event) => sent.push(event))
  few = await fill(small)
  many = await fill(large)
}, 120_000)

async function fill(count: number): Promise<Library> {
  const { services, database } = server.running.opened
  const person = await server.createPerson()
  const title = (at: number) => `Number ${(at * 7) % count}`
  const ids = await seedBooks(server, person, { count, book: (at) => ({ title: title(at), author: `A ${at % 5}` }) })
  const createdAt = new Date()
  const shelf = { id: newId(), name: 'Some', slug: 'some', color: null, createdAt }
  await services.shelves.change(person.id, () => [shelf], createdAt)
  const rows = ids.slice(0, shelved).map((itemId) => {
    return { _id: `${person.id}:${shelf.id}:${itemId}`, accountId: person.id, shelfId: shelf.id, itemId }
  })
  await database.db.collection<{ _id: string }>('placements').insertMany(rows)
  const { token } = await services.webSessions.create(person.id, { userAgent: null, at: createdAt })
  const [middle] = await services.books.byIds([ids[count / 2] as string])
  if (!middle) throw new Error('no book')
  const after = (sort: LibrarySort) => formatCursor(sort, placeBook({ ...middle, access: ownAccess }, sort).position)
  return { cookie: `lectern=${token}`, after }
}

const reading = new Set(['find', 'aggregate', 'count', 'distinct'])

async function costOf({ cookie }: Library, path: string): Promise<Cost> {
  const visit = async () => {
    const answer = await fetch(`${server.baseUrl}${path}`, { headers: { Cookie: cookie }, redirect: 'manual' })
    expect(answer.status).toBe(200)
    expect((await answer.text()).match(/class="book-card"/g)).toHaveLength(60)
  }
  // The first visits do one-time work and fill caches.
  for (let warm = 0; warm < 2; warm++) await visit()
  sent = []
  await visit()
  const queries = sent.filter(
    ({ commandName, command }) => reading.has(commandName) && !String(command[commandName]).startsWith('agenda'),
  )
  const cost: Cost = { commands: [], docs: 0, keys: 0 }
  for (const { commandName, command } of queries) {
    const { $db: _db, lsid: _lsid, $clusterTime: _time, ...query } = command
    const { docs, keys } = await explain(query)
    cost.commands.push(`${commandName} ${command[commandName]}`)
    cost.docs += docs
    cost.keys += keys
  }
  return { ...cost, commands: cost.commands.toSorted() }
}

async function explain(query: Document): Promise<{ docs: number; keys: number }> {
  const { database } = server.running.opened
  const { executionStats } = await database.db.command({ explain: query, verbosity: 'executionStats' })
  const { totalDocsExamined: docs = 0, totalKeysExamined: keys = 0 } = executionStats ?? {}
  return { docs, keys }
}

const paths: [string, (library: Library) => string][] = [
  ['by time', () => '/library?sort=added'],
  ['by title', () => '/library?sort=title'],
  ['by author', () => '/library?sort=author'],
  ['by last reading', () => '/library?sort=read'],
  ['by time, from the middle', ({ after }) => `/library?sort=added&after=${after('added')}`],
  ['by title, from the middle', ({ after }) => `/library?sort=title&after=${after('title')}`],
  ['by author, from the middle', ({ after }) => `/library?sort=author&after=${after('author')}`],
  ['of one shelf', () => '/library?sort=title&shelf=some'],
]

test.for(paths)(
  'the page %s sends the same commands for 3,000 books as for 150, and they examine no more documents',
  { timeout: 60_000 },
  async ([, pathOf]) => {
    const [before, after] = [await costOf(few, pathOf(few)), await costOf(many, pathOf(many))]
    expect(after.commands.length).toBeLessThanOrEqual(before.commands.length)
    expect([...new Set(after.commands)]).toEqual([...new Set(before.commands)])
    // The number of keys that a merge of two owners examines may vary slightly.
    expect(after.docs).toBeLessThanOrEqual(before.docs + 5)
    expect(after.keys).toBeLessThanOrEqual(before.keys + 5)
    expect(after.commands.length).toBeLessThanOrEqual(30)
  },
)
