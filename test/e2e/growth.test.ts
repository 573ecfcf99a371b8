import type { CommandStartedEvent, Document } from 'mongodb'
import { beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { mcp, rest, send, type ToolResponse } from '../support/transports.ts'
import { seedBooks } from '../support/seed-books.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'

interface Library {
  person: Person
  ids: string[]
  /** A shelf with five books. */
  shelf: string
}

/** What one call costs the store. */
interface Cost {
  /** The commands that it sends, sorted by name. */
  commands: string[]
  /** Documents and index keys that its queries examine; null if the engine does not report it. */
  examined: { docs: number; keys: number } | null
}

const small = 10
const large = 2000
const shelfCount = 4

const server = useTestServer({ LECTERN_ROLE: 'web' }, { monitorCommands: true })
let sent: CommandStartedEvent[] = []
let alone: Map<string, Cost>
let beside: Map<string, Cost>
let grown: Map<string, Cost>

beforeAll(async () => {
  server.running.opened.database.db.client.on('commandStarted', (event) => sent.push(event))
  const few = await fill(small)
  alone = await costsOf(few)
  const many = await fill(large)
  beside = await costsOf(few)
  grown = await costsOf(many)
})

/** A library of empty books on shelves. Three need better metadata, and two need attention. */
async function fill(count: number): Promise<Library> {
  const person = await server.createPerson()
  const ids = await seedBooks(server, person, {
    count,
    book: (index) => ({ needsEnrichment: index < 3, health: index === 4 || index === 5 ? 'empty' : 'ok' }),
  })
  const { services, database } = server.running.opened
  const createdAt = new Date()
  const shelves = Array.from({ length: shelfCount }, (_, at) => {
    return { id: newId(), name: `Shelf ${at}`, slug: `shelf-${at}`, color: null, createdAt }
  })
  await services.shelves.change(person.id, () => shelves, createdAt)
  const rows = ids.map((itemId, at) => {
    const shelfId = shelves[at < small / 2 ? 0 : 1 + (at % (shelfCount - 1))]?.id
    return { _id: `${person.id}:${shelfId}:${itemId}`, accountId: person.id, shelfId, itemId }
  })
  await database.db.collection<{ _id: string }>('placements').insertMany(rows)
  return { person, ids, shelf: 'shelf-0' }
}

const five = ({ ids }: Library) =>
  Array.from({ length: 5 }, (_, at) => ids[Math.floor((ids.length * at) / 5)] as string)

const calls: Record<string, (library: Library) => Promise<ToolResponse>> = {
  'POST /items/batch of five books': (library) =>
    rest.call(server, library.person, 'read_items', { items: five(library).map((id) => ({ id, pages: '1-3' })) }),
  'read_items of five books': (library) =>
    mcp.call(server, library.person, 'read_items', { items: five(library).map((id) => ({ id, pages: '1-3' })) }),
  'list_items, the first five': ({ person }) => mcp.call(server, person, 'list_items', { limit: 5, detail: 'concise' }),
  'list_items, five in full': ({ person }) => mcp.call(server, person, 'list_items', { limit: 5 }),
  'list_items, three from the middle': ({ person, ids }) =>
    mcp.call(server, person, 'list_items', { limit: 3, cursor: ids[ids.length / 2], detail: 'concise' }),
  'GET /items of a shelf with five books': ({ person, shelf }) => rest.call(server, person, 'list_items', { shelf }),
  library_summary: ({ person }) => mcp.call(server, person, 'library_summary'),
  'GET /shelves': ({ person }) => rest.call(server, person, 'list_shelves'),
  'GET /auth/whoami': ({ person }) => rest.call(server, person, 'whoami'),
  [whole()]: ({ person }) => send(server, person.key, { method: 'GET', path: '/api/v1/items' }),
}

/** This call returns every book, so only its cost may grow. */
function whole(): string {
  return 'GET /items, the whole list'
}

async function costsOf(library: Library): Promise<Map<string, Cost>> {
  const costs = new Map<string, Cost>()
  for (const [name, call] of Object.entries(calls)) {
    // The first calls do one-time work and fill caches.
    for (let warm = 0; warm < 2; warm++) expect((await call(library)).ok).toBe(true)
    sent = []
    await call(library)
    costs.set(name, await costOf(sent.filter(isAnswering)))
  }
  return costs
}

/** Collections that count calls and reads. They are written after the answer. */
const counters = new Set(['rates', 'reads', 'readDays', 'readBooks', 'pageReads', 'lastReads', 'keys'])
const queries = new Set(['find', 'aggregate', 'count', 'distinct'])

function isAnswering({ commandName, command }: CommandStartedEvent): boolean {
  const collection = String(command[commandName])
  return !collection.startsWith('agenda') && (queries.has(commandName) || !counters.has(collection))
}

async function costOf(events: readonly CommandStartedEvent[]): Promise<Cost> {
  const examined = { docs: 0, keys: 0 }
  let told = true
  for (const { commandName, command } of events.filter((event) => queries.has(event.commandName))) {
    const { $db: _db, lsid: _lsid, $clusterTime: _time, ...query } = command
    const stats = await explain(query)
    told &&= stats !== null
    examined.docs += stats?.docs ?? 0
    examined.keys += stats?.keys ?? 0
    expect(commandName).toBe(Object.keys(query)[0])
  }
  const commands = events.map(({ commandName, command }) => `${commandName} ${command[commandName]}`)
  return { commands: commands.toSorted(), examined: told ? examined : null }
}

async function explain(query: Document): Promise<Cost['examined']> {
  const { executionStats } = await server.running.opened.database.db.command({
    explain: query,
    verbosity: 'executionStats',
  })
  const { totalDocsExamined: docs, totalKeysExamined: keys } = executionStats ?? {}
  return typeof docs === 'number' && typeof keys === 'number' ? { docs, keys } : null
}

const names = Object.keys(calls).filter((name) => name !== whole())

describe.for([
  ['in a library of 2,000 books', () => grown],
  ["next to another account's library of 2,000 books", () => beside],
] as const)('%s', ([, measured]) => {
  test.for(names)('%s sends the same commands as in a library of 10, and they examine no more documents', (name) => {
    const [before, after] = [alone.get(name), measured().get(name)]
    expect(after?.commands).toEqual(before?.commands)
    if (!before?.examined || !after?.examined) return
    expect(after.examined.docs).toBeLessThanOrEqual(before.examined.docs)
    expect(after.examined.keys).toBeLessThanOrEqual(before.examined.keys)
  })
})

test('the comparison detects a call whose cost grows', () => {
  const [before, after] = [alone.get(whole()), grown.get(whole())]
  expect(after?.commands.length).toBeGreaterThan(before?.commands.length ?? Infinity)
  if (before?.examined && after?.examined) expect(after.examined.docs).toBeGreaterThanOrEqual(large)
})
