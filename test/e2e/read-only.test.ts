import type { CommandStartedEvent } from 'mongodb'
import { beforeAll, describe, expect, test } from 'vitest'
import { tools } from '../../tools/index.ts'
import { rest, transports } from '../support/transports.ts'
import { toolCases, hasTransport, type OwnedObjects } from '../support/tool-cases.ts'
import { makeBook, markdownPages } from '../support/make-book.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'

/** What a read-only call may record: rates, reads, the last item read, the last use of a key. */
const counters = new Set(['rates', 'reads', 'readDays', 'readBooks', 'pageReads', 'lastReads', 'keys'])
const writing = new Set(['insert', 'update', 'delete', 'findAndModify', 'bulkWrite'])

const server = useTestServer({ LECTERN_ROLE: 'web' }, { monitorCommands: true })
let owner: Person
let things: OwnedObjects
const written: string[] = []

beforeAll(async () => {
  owner = await server.createPerson()
  const call = async (tool: string, input: Record<string, unknown>) =>
    (await rest.call(server, owner, tool, input)).body
  const book = await makeBook(server, owner, { title: 'A secret book', content: markdownPages(3) })
  const { team } = await call('create_team', { name: 'Us' })
  await call('create_department', { teamId: team.id, name: 'Sales' })
  things = {
    book,
    shelf: (await call('create_shelf', { name: 'Shelf' })).id,
    manuscript: (await call('create_manuscript', { title: 'Notes' })).manuscript.id,
    session: (await call('start_access_session', {})).sessionId,
    listing: (await call('publish_listing', { itemId: book })).listing.id,
    team: team.id,
    invite: 'none',
    upload: { itemId: book, storageKey: 'none' },
    job: 'none',
  }
  // The first search indexes the books, and the first call that needs their sums computes them.
  await call('search_items', { query: 'secret' })
  await call('whoami', {})
  await call('list_shelves', {})
  server.running.opened.database.db.client.on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
    const collection = String(command[commandName])
    if (writing.has(commandName) && !collection.startsWith('agenda')) written.push(collection)
  })
})

const readOnly = tools.filter(({ name, annotations }) => annotations.readOnlyHint && toolCases[name])

/** The collection in which a tool records a call. */
const noted: Record<string, string> = { export_account: 'audit' }

test('there are both read-only tools and others', () => {
  expect(readOnly.length).toBeGreaterThan(15)
  expect(readOnly.length).toBeLessThan(tools.length / 2)
})

describe.for(transports)('over %s', ([name, transport]) => {
  test.for(readOnly.filter((tool) => hasTransport(tool.name, name)).map((tool) => tool.name))(
    '%s changes nothing but counters',
    async (tool) => {
      written.length = 0
      await transport.call(server, owner, tool, toolCases[tool]?.input(things))
      expect(written.filter((collection) => !counters.has(collection) && noted[tool] !== collection)).toEqual([])
    },
  )

  test('control: the recording detects a write', async () => {
    written.length = 0
    await transport.call(server, owner, 'create_shelf', { name: `Seen over ${name}` })
    expect(written).toContain('shelves')
  })
})
