import { afterEach, describe, expect, test } from 'vitest'
import { mcp, send, sendMcp, type ToolResponse } from '../../support/transports.ts'
import { createBarrier } from '../../support/manual-worker.ts'
import { makeBook, markdownPages } from '../../support/make-book.ts'
import type { Person, TestServer } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { callOverRest } from '../../support/uploads.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

const kept: Partial<TestServer['running']['opened']['services']> = {}
afterEach(() => {
  Object.assign(server.running.opened.services, kept, { now: () => new Date() })
})

const start = async (person: Person, intent?: string) =>
  (await callOverRest(server, person, 'start_access_session', { intent })).body.sessionId as string
const report = async (person: Person) => (await callOverRest(server, person, 'get_value_report')).body

interface Read {
  person: Person
  sessionId?: string | undefined
  tool: 'read_items' | 'get_item_content' | 'get_table_of_contents'
  input: Record<string, any>
}

const restForms = {
  read_items: (input: Record<string, any>) => ({ method: 'POST', path: '/api/v1/items/batch', body: input }),
  get_table_of_contents: (input: Record<string, any>) => ({
    method: 'POST',
    path: '/api/v1/items/batch/toc',
    body: input,
  }),
  get_item_content: ({ id }: Record<string, any>) => ({ method: 'GET', path: `/api/v1/items/${id}/content` }),
}

/** The three ways in which a read can name its session. */
const ways: [string, (read: Read) => Promise<ToolResponse>][] = [
  [
    'X-CK-Session over REST',
    ({ person, sessionId, tool, input }) => {
      const headers: Record<string, string> = sessionId === undefined ? {} : { 'X-CK-Session': sessionId }
      return send(server, person.key, { ...restForms[tool](input), headers })
    },
  ],
  [
    'X-CK-Session over MCP',
    async ({ person, sessionId, tool, input }) => {
      const headers: Record<string, string> = sessionId === undefined ? {} : { 'X-CK-Session': sessionId }
      const answer = await sendMcp(server, person.key, {
        method: 'tools/call',
        params: { name: tool, arguments: input },
        headers,
      })
      return { ...answer, ok: answer.body.result?.isError === undefined }
    },
  ],
  [
    'sessionId over MCP',
    ({ person, sessionId, tool, input }) => {
      return mcp.call(server, person, tool, { ...input, ...(sessionId === undefined ? {} : { sessionId }) })
    },
  ],
]

describe.for(ways)('reads under a session, named by %s', ([, read]) => {
  test('are counted in it: books, depth, pages and outcome', async () => {
    const person = await server.createPerson()
    const [one, two] = [
      await makeBook(server, person, { title: 'One', content: markdownPages(4) }),
      await makeBook(server, person, { title: 'Two', content: markdownPages(2) }),
    ]
    const sessionId = await start(person, ' bees ')
    await read({ person, sessionId, tool: 'get_table_of_contents', input: { ids: [one, two] } })
    expect((await report(person)).sessions.sessions[0]).toMatchObject({
      outcome: 'toc-only',
      bookCount: 2,
      pagesRead: 0,
    })
    await read({ person, sessionId, tool: 'read_items', input: { items: [{ id: one, pages: '1-3' }] } })
    await read({ person, sessionId, tool: 'get_item_content', input: { id: one } })
    await read({ person, sessionId, tool: 'get_table_of_contents', input: { ids: [one] } })
    const { sessions, totals, outcomes, deepestSession, topSources } = await report(person)
    const session = {
      id: sessionId,
      startedAt: expect.any(String),
      intent: 'bees',
      channel: 'rest',
      client: 'node',
      outcome: 'content-read',
      bookCount: 2,
      pagesRead: 7,
      books: [
        { itemId: one, title: 'One', depth: 'content', pagesRead: 7 },
        { itemId: two, title: 'Two', depth: 'toc', pagesRead: 0 },
      ],
    }
    expect(sessions).toEqual({ sessions: [session], limit: 25, offset: 0, total: 1, hasMore: false })
    expect(deepestSession).toEqual(session)
    expect(totals).toEqual({ sessions: 1, booksRead: 2, pagesRead: 7, contentReads: 2, tocReads: 3, untrackedReads: 0 })
    expect(outcomes).toEqual({ contentRead: 1, tocOnly: 0, noRead: 0, hitRate: 1 })
    expect(topSources).toEqual([
      { itemId: one, title: 'One', reads: 4, pagesRead: 7, sessions: 1 },
      { itemId: two, title: 'Two', reads: 1, pagesRead: 0, sessions: 1 },
    ])
  })

  const day = 24 * 60 * 60 * 1000
  const misnamed: [string, (person: Person) => Promise<string | undefined>][] = [
    ['no session', async () => undefined],
    ['an unknown one', async () => 'nope'],
    ['an operator', async () => '{"$ne":null}'],
    ['that of somebody else', async () => start(await server.createPerson())],
    [
      'a completed one',
      async (person) => {
        const sessionId = await start(person)
        await callOverRest(server, person, 'complete_access_session', { sessionId })
        return sessionId
      },
    ],
    [
      'one in which nothing was read for a day',
      async (person) => {
        server.running.opened.services.now = () => new Date(Date.now() - day - 1000)
        const sessionId = await start(person)
        server.running.opened.services.now = () => new Date()
        return sessionId
      },
    ],
  ]

  test.for(misnamed)('with %s succeed and are untracked', async ([, sessionOf]) => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: markdownPages(3) })
    const sessionId = await sessionOf(person)
    const answer = await read({ person, sessionId, tool: 'get_item_content', input: { id } })
    expect(answer.ok).toBe(true)
    const { totals, sessions } = await report(person)
    expect(totals).toMatchObject({ booksRead: 1, pagesRead: 3, contentReads: 1, untrackedReads: 1 })
    for (const session of sessions.sessions)
      expect(session).toMatchObject({ outcome: 'no-read', bookCount: 0, books: [] })
  })

  test('in parallel are all counted, each book once', async () => {
    const person = await server.createPerson()
    const ids = await Promise.all(
      ['A', 'B', 'C'].map((title) => makeBook(server, person, { title, content: markdownPages(2) })),
    )
    const sessionId = await start(person)
    const input = { items: ids.map((id) => ({ id })) }
    await Promise.all(Array.from({ length: 20 }, () => read({ person, sessionId, tool: 'read_items', input })))
    const { totals, topSources, sessions, daily } = await report(person)
    expect(totals).toEqual({
      sessions: 1,
      booksRead: 3,
      pagesRead: 120,
      contentReads: 60,
      tocReads: 0,
      untrackedReads: 0,
    })
    expect(topSources.map(({ reads, pagesRead, sessions: count }: any) => [reads, pagesRead, count])).toEqual([
      [20, 40, 1],
      [20, 40, 1],
      [20, 40, 1],
    ])
    expect(sessions.sessions[0]).toMatchObject({ bookCount: 3, pagesRead: 120 })
    expect(daily.reduce((sum: number, { pagesRead }: any) => sum + pagesRead, 0)).toBe(120)
  })
})

test('a session that another account names is not changed', async () => {
  const [owner, other] = [await server.createPerson(), await server.createPerson()]
  const sessionId = await start(owner)
  const id = await makeBook(server, other, { content: 'text' })
  const headers = { 'X-CK-Session': sessionId }
  await send(server, other.key, { method: 'GET', path: `/api/v1/items/${id}/content`, headers })
  expect((await report(owner)).sessions.sessions[0]).toMatchObject({ outcome: 'no-read', bookCount: 0, pagesRead: 0 })
  expect((await report(other)).sessions.total).toBe(0)
})

test('the sessionId of the input takes precedence over the header', async () => {
  const person = await server.createPerson()
  const id = await makeBook(server, person, { content: 'text' })
  const [named, inHeader] = [await start(person), await start(person)]
  await sendMcp(server, person.key, {
    method: 'tools/call',
    params: { name: 'get_item_content', arguments: { id, sessionId: named } },
    headers: { 'X-CK-Session': inHeader },
  })
  const { sessions } = (await report(person)).sessions
  expect(sessions.find((session: any) => session.id === named).pagesRead).toBe(1)
  expect(sessions.find((session: any) => session.id === inHeader).pagesRead).toBe(0)
})

test('only returned pages are counted', async () => {
  const person = await server.createPerson({ plan: 'FREE' })
  const id = await makeBook(server, person, { content: markdownPages(10) })
  const batch = (items: unknown, more = {}) => callOverRest(server, person, 'read_items', { items, ...more })
  await batch([{ id, pages: '99' }])
  await batch([{ id, pages: 'x' }])
  await batch([{ id: 'nope' }])
  expect((await report(person)).totals).toMatchObject({ booksRead: 0, contentReads: 0, untrackedReads: 0 })
  const { readMeter: reads, now } = server.running.opened.services
  await reads.charge(person.id, { id: 'all', count: 500, limit: null, now: now() })
  await reads.flush()
  expect((await batch([{ id }])).body.code).toBe('READ_LIMIT_EXCEEDED')
  expect((await report(person)).totals).toMatchObject({ booksRead: 0, pagesRead: 0, contentReads: 0 })
})

const onePage = (itemId: string) => ({ itemId, title: itemId, depth: 'content' as const, pages: 1, words: 1 })

test('a session lists the books of its first thousand reads and counts all others', async () => {
  const { sessions } = server.running.opened.services
  const person = await server.createPerson()
  const id = await start(person)
  const at = new Date()
  const idle = new Date(0)
  for (let batch = 0; batch < 22; batch++) {
    const books = Array.from({ length: 50 }, (_, index) => onePage(`book${batch}x${index}`))
    const fresh = await sessions.recordReads(person.id, id, { books, at, idle })
    expect(fresh).toHaveLength(batch < 20 ? 50 : 0)
  }
  const [session] = (await callOverRest(server, person, 'list_report_sessions')).body.sessions
  expect(session).toMatchObject({ bookCount: 1000, pagesRead: 1100 })
})

test('reads succeed and are charged when counting fails', async () => {
  const person = await server.createPerson()
  const id = await makeBook(server, person, { content: 'text' })
  const { services } = server.running.opened
  const { readLog } = services
  kept.readLog = readLog
  services.readLog = {
    ...readLog,
    count() {
      throw new Error('no room')
    },
  }
  expect((await callOverRest(server, person, 'get_item_content', { id })).ok).toBe(true)
  services.readLog = readLog
  expect((await report(person)).totals).toMatchObject({ contentReads: 0 })
  expect((await callOverRest(server, person, 'whoami')).body.monthlyReadsUsed).toBe(1)
})

test('reads succeed while counting hangs, and are counted in the end', async () => {
  const person = await server.createPerson()
  const id = await makeBook(server, person, { content: 'text' })
  const sessionId = await start(person)
  const { services } = server.running.opened
  const { sessions } = services
  kept.sessions = sessions
  const held = createBarrier()
  const counted = Promise.withResolvers<void>()
  services.sessions = {
    ...sessions,
    async recordReads(...read) {
      await held.pass()
      try {
        return await sessions.recordReads(...read)
      } finally {
        counted.resolve()
      }
    },
  }
  const headers = { 'X-CK-Session': sessionId }
  const read = await send(server, person.key, { method: 'GET', path: `/api/v1/items/${id}/content`, headers })
  expect(read.status).toBe(200)
  expect((await report(person)).totals.contentReads).toBe(0)
  held.open()
  await counted.promise
  await expect.poll(async () => (await report(person)).totals).toMatchObject({ contentReads: 1, untrackedReads: 0 })
})

test('the reads of a deleted book stay in the report', async () => {
  const person = await server.createPerson()
  const id = await makeBook(server, person, { title: 'Gone', content: 'text' })
  const sessionId = await start(person)
  const headers = { 'X-CK-Session': sessionId }
  await send(server, person.key, { method: 'GET', path: `/api/v1/items/${id}/content`, headers })
  await callOverRest(server, person, 'delete_items', { ids: [id] })
  const { totals, topSources, sessions } = await report(person)
  expect(totals).toMatchObject({ booksRead: 1, pagesRead: 1 })
  expect(topSources[0]).toMatchObject({ itemId: id, title: 'Gone' })
  expect(sessions.sessions[0].books[0]).toMatchObject({ itemId: id, title: 'Gone' })
})
