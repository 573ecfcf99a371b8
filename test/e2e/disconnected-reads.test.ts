import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { runCancellable } from '../../src/core/cancellation.ts'
import { openDatabase, type Database } from '../../src/db/connect.ts'
import type { Services } from '../../src/app/context.ts'
import { tools } from '../../tools/index.ts'
import { rest, transports } from '../support/transports.ts'
import { toolCases, hasTransport, type OwnedObjects } from '../support/tool-cases.ts'
import {
  createDisconnectingClient,
  type DisconnectingClient,
  type SentCommand,
} from '../support/disconnecting-client.ts'
import { makeBook, markdownPages } from '../support/make-book.ts'
import { startTestServer, testDatabaseEnvironment, type Person, type TestServer } from '../support/server.ts'

let directory: string
let store: Database
let base: TestServer
let client: DisconnectingClient
let owner: Person
let things: OwnedObjects

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lectern-disconnected-'))
  // A server is not notified of changes to a store that another process runs, so it queries the store at each call.
  store = await openDatabase({ url: undefined, directory })
  const environment = { LECTERN_ROLE: 'web', LECTERN_DATA_DIR: directory, ...testDatabaseEnvironment(directory) }
  base = await startTestServer(environment, { monitorCommands: true })
  client = await createDisconnectingClient(base)
  owner = await base.createPerson()
  const call = async (tool: string, input: Record<string, unknown>) => (await rest.call(base, owner, tool, input)).body
  const book = await makeBook(base, owner, { title: 'A secret book', content: markdownPages(30) })
  await makeBook(base, owner, { title: 'Another secret one', content: markdownPages(3) })
  await call('put_item_page', { id: book, pageNum: 2, content: '# Page 2\n\nanother text\n' })
  const { team } = await call('create_team', { name: 'Us' })
  await call('create_department', { teamId: team.id, name: 'Sales' })
  await call('share_item', { teamId: team.id, itemId: book, accessLevel: 'READ' })
  const shelf = (await call('create_shelf', { name: 'Shelf' })).id
  await call('add_to_shelf', { shelf, itemIds: [book] })
  things = {
    book,
    shelf,
    manuscript: (await call('create_manuscript', { title: 'Notes' })).manuscript.id,
    session: (await call('start_access_session', {})).sessionId,
    listing: (await call('publish_listing', { itemId: book })).listing.id,
    team: team.id,
    invite: 'none',
    upload: { itemId: book, storageKey: 'none' },
    job: 'none',
  }
})
afterAll(async () => {
  await client.close()
  await base.close()
  await store.close()
  await rm(directory, { recursive: true, force: true })
})

const used = () => base.running.opened.services.readMeter.used(owner.id, new Date())
/** The cancellable commands that a call sends after the first response of the store. */
const later = (sent: readonly SentCommand[]) =>
  sent.filter((command) => command.isLaterRoundTrip && command.isCancellable)
const readOnly = tools.filter(({ name, annotations }) => annotations.readOnlyHint && toolCases[name])

describe.for(transports)('over %s', ([name, transport]) => {
  const offered = readOnly.filter((tool) => hasTransport(tool.name, name)).map((tool) => tool.name)
  const inRounds: string[] = []

  test.for(offered)('%s sends no further command to the store after its client has disconnected', async (tool) => {
    const input = toolCases[tool]?.input(things)
    // The first call opens as many connections as one round trip needs.
    await client.call(transport, { person: owner, tool, input })
    const whole = await client.call(transport, { person: owner, tool, input })
    if (later(whole.commands).length > 0) inRounds.push(tool)
    const before = await used()
    const left = await client.call(transport, { person: owner, tool, input, disconnectAt: 1 })
    expect(later(left.commands)).toEqual([])
    if (later(whole.commands).length > 0) expect(left.answer.ok).toBe(false)
    expect(await used()).toBe(before)
  })

  test('most of these calls need several round trips', () => {
    expect(inRounds.length).toBeGreaterThan(name === 'rest' ? 15 : 8)
  })

  test('an index update that a search has begun is finished, but not the search', async () => {
    const { books } = base.running.opened.services
    const search = async (at?: number) => {
      const book = await makeBook(base, owner, { title: 'Learnt while searching', content: markdownPages(3) })
      await books.markIndexDue(owner.id, book)
      const input = { query: 'learnt' }
      const course = await client.call(transport, { person: owner, tool: 'search_items', input, disconnectAt: at })
      return { ...course, due: (await books.byIds([book]))[0]?.indexDue }
    }
    const { commands: sent } = await search()
    const searched = (commands: typeof sent) => {
      // The last command of an index update removes the mark of the book.
      const indexed = commands.findLastIndex(({ name: kind, collection }) => `${kind} ${collection}` === 'update books')
      expect(indexed).toBeGreaterThan(0)
      return commands.slice(indexed).filter(({ collection }) => collection === 'search_words').length
    }
    const first = sent.findIndex((command) => command.name === 'insert' && command.collection === 'search_work') + 1
    expect(first).toBeGreaterThan(0)
    const left = await search(first)
    expect(left.due).toBe('')
    expect(left.answer.ok).toBe(false)
    expect(searched(sent)).toBeGreaterThan(0)
    expect(searched(left.commands)).toBe(0)
  })

  const charging = ['read_items', 'get_item_content', 'get_table_of_contents', 'list_item_versions', 'fetch']
  test.for(charging.filter((tool) => hasTransport(tool, name)))(
    '%s is charged only if it was answered, whenever its client disconnects',
    async (tool) => {
      // Each call opens a different book, because caches of the process would shorten later calls.
      const call = async (at?: number) => {
        const book = await makeBook(base, owner, { title: 'Fresh', content: markdownPages(3) })
        const before = await used()
        const input = toolCases[tool]?.input({ ...things, book })
        const { answer, commands: sent } = await client.call(transport, {
          person: owner,
          tool,
          input,
          disconnectAt: at,
        })
        return { ok: answer.ok, sent, charged: (await used()) - before }
      }
      const whole = await call()
      expect(whole).toMatchObject({ ok: true, charged: 1 })
      const outcomes = new Set<boolean>()
      for (let at = 1; at <= whole.sent.length; at++) {
        const { ok, charged } = await call(at)
        expect({ at, ok, charged }).toEqual({ at, ok, charged: ok ? 1 : 0 })
        outcomes.add(ok)
      }
      expect(outcomes).toContain(false)
    },
  )
})

describe('a round trip that serves several calls is not cancelled by the client of one', () => {
  const rounds: [name: string, ask: (services: Services) => Promise<unknown>][] = [
    ['books by their ids', ({ books }) => books.byIds([things.book])],
    ['last reads', ({ lastReads }) => lastReads.find(owner.id, [{ id: things.book, version: Infinity }])],
    ['counts of shelves', ({ placements }) => placements.countByShelf(owner.id)],
    ['rates', ({ rateLimiter: rates }) => rates.consume(owner.id, 'mcp_read')],
    ['reads', ({ readMeter: reads }) => reads.charge(owner.id, { id: 'a', count: 1, limit: 1000, now: new Date() })],
    ['pages of all accounts', ({ readLog }) => readLog.pagesByAccount({ start: new Date(0), end: new Date() })],
  ]
  test.for(rounds)('%s', async ([, ask]) => {
    const { services, database } = base.running.opened
    const [leaving, staying] = [new AbortController(), new AbortController()]
    const begun = new Promise((resolve) => database.db.client.once('commandStarted', resolve))
    const calls = [leaving, staying].map(({ signal }) => runCancellable(signal, () => ask(services)))
    await begun
    // All pending operations of the call end at once.
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    leaving.abort()
    vi.advanceTimersByTime(60_000)
    vi.useRealTimers()
    const [, answer] = await Promise.allSettled(calls)
    expect(answer?.status).toBe('fulfilled')
  })
})
