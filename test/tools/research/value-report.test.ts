import { afterEach, describe, expect, test } from 'vitest'
import { archiveManuscript } from '../../../src/manuscripts/archive-manuscript.ts'
import { createManuscript } from '../../../src/manuscripts/create-manuscript.ts'
import type { AccessSession, BookRead } from '../../../src/research/session-store.ts'
import { appendItemPages } from '../../../src/writing/append-item-pages.ts'
import { putItemPage } from '../../../src/writing/put-item-page.ts'
import { restoreItemVersion } from '../../../src/writing/restore-item-version.ts'
import { contextOf } from '../../support/context.ts'
import { send } from '../../support/transports.ts'
import { makeBook, markdownPages } from '../../support/make-book.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { callOverRest } from '../../support/uploads.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

afterEach(() => {
  server.running.opened.services.now = () => new Date()
})

/** Sets the server's clock to this instant. */
function setClock(instant: string): void {
  server.running.opened.services.now = () => new Date(instant)
}

const report = async (person: Person, query: Record<string, unknown> = {}) => {
  const { status, body } = await callOverRest(server, person, 'get_value_report', query)
  expect(status, body.error).toBe(200)
  return body
}

let sessions = 0

/** Inserts a completed session that started at an instant directly into the store. */
async function addSession(person: Person, session: Partial<AccessSession> & { startedAt: Date }): Promise<string> {
  const id = `session${(sessions += 1)}`
  const { startedAt } = session
  await server.running.opened.services.sessions.add({
    id,
    accountId: person.id,
    intent: null,
    channel: 'mcp',
    client: null,
    lastReadAt: startedAt,
    completedAt: startedAt,
    contentReads: 0,
    tocReads: 0,
    pagesRead: 0,
    reads: 0,
    books: {},
    ...session,
  })
  return id
}

const content = (itemId: string, pages: number): BookRead => ({
  itemId,
  title: itemId,
  depth: 'content',
  pages,
  words: pages * 100,
})
const toc = (itemId: string): BookRead => ({ itemId, title: itemId, depth: 'toc', pages: 0, words: 0 })

/** Counts reads at an instant like a call that reads. */
function count(person: Pick<Person, 'id'>, at: string | Date, books: BookRead[]): Promise<void> {
  const { readLog } = server.running.opened.services
  readLog.count(person.id, { at: new Date(at), books, tracked: false, newBooks: [], agent: null })
  return readLog.flush()
}

describe('the value report', () => {
  test('of an account without reads', async () => {
    setClock('2026-11-20T10:00:00.000Z')
    const body = await report(await server.createPerson(), { since: '2d' })
    expect(body).toEqual({
      window: { from: '2026-11-19', to: '2026-11-20', tz: 'UTC', days: 2 },
      totals: { sessions: 0, booksRead: 0, pagesRead: 0, contentReads: 0, tocReads: 0, untrackedReads: 0 },
      outcomes: { contentRead: 0, tocOnly: 0, noRead: 0, hitRate: null },
      sessions: { sessions: [], limit: 25, offset: 0, total: 0, hasMore: false },
      topSources: [],
      daily: [
        { date: '2026-11-19', sessions: 0, pagesRead: 0, contentReads: 0, tocReads: 0 },
        { date: '2026-11-20', sessions: 0, pagesRead: 0, contentReads: 0, tocReads: 0 },
      ],
      funStats: { equivalents: [], headline: 'No book was opened in these 2 days.', minutesOfReading: 0 },
      deepestSession: null,
      percentile: null,
      busiestChannel: null,
      wiki: { manuscripts: 0, updates: 0, pagesWritten: 0 },
      requestedBooks: [],
      generatedAt: '2026-11-20T10:00:00.000Z',
    })
  })

  test('computes minutes from the words that were read', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: 'word '.repeat(2300) })
    await callOverRest(server, person, 'get_item_content', { id })
    const { funStats } = await report(person)
    expect(funStats.minutesOfReading).toBe(10)
    expect(funStats.headline).toBe('1 page of 1 book was read in these 30 days: about 10 minutes for a person.')
  })

  test.for([
    [
      'since',
      ['0d', '367d', '-1d', '1.5d', 'd', '7D', '7 d', '', 'week', '2026-13-01', '2026-02-30', '20260101'],
      "Expected '<n>d' or YYYY-MM-DD",
    ],
    [
      'from',
      ['7d', '2026-1-1', '2026-02-30', '', 'today', '2026-01-01T00:00:00Z', '1969-12-31'],
      'Expected YYYY-MM-DD',
    ],
    ['to', ['7d', '2026-1-1', '2025-02-29', '', '0000-00-00'], 'Expected YYYY-MM-DD'],
    ['tz', ['Mars/Phobos', '', '+02:00', 'UTC+2', '../etc', 'x'.repeat(5000)], 'Invalid IANA timezone'],
    [
      'sessionsLimit',
      ['-1', '101', '1.5', '', 'ten', '0x10', '1e1', ' 5'],
      'sessionsLimit must be an integer from 0 to 100',
    ],
    [
      'sessionsOffset',
      ['-1', '5001', '1.5', '', 'ten', '9'.repeat(30)],
      'sessionsOffset must be an integer from 0 to 5000',
    ],
  ] as const)('refuses values of %s without a code', async ([name, values, says]) => {
    const person = await server.createPerson()
    for (const tool of ['get_value_report', 'list_report_sessions']) {
      for (const value of values) {
        const answer = await callOverRest(server, person, tool, { [name]: value })
        expectRefusal(answer, 'rest', { status: 400, message: /./ })
        expect(answer.body.error, value).toBe(says)
      }
    }
  })

  test.for([
    ['a window that ends before it begins', { from: '2026-01-02', to: '2026-01-01' }, /^The window is empty/],
    ['a window of more than ten years', { from: '2010-01-01', to: '2026-01-01' }, /at most 3660$/],
  ] as const)('refuses %s without a code', async ([, query, says]) => {
    const answer = await callOverRest(server, await server.createPerson(), 'get_value_report', query)
    expectRefusal(answer, 'rest', { status: 400, message: says })
  })

  test.for([
    ['sessionsLimit 0 to 100', { sessionsLimit: '0' }, { sessionsLimit: '100' }],
    ['sessionsOffset 0 to 5,000', { sessionsOffset: '0' }, { sessionsOffset: '5000' }],
    ['1 to 366 days', { since: '1d' }, { since: '366d' }],
    ['time zone names in any case, and legacy ones', { tz: 'europe/berlin' }, { tz: 'US/Pacific' }],
    ['unknown keys, which are ignored', { sinse: '7d' }, { $where: '1', format: 'pdf' }],
  ] as const)('accepts %s', async ([, one, two]) => {
    const person = await server.createPerson()
    for (const query of [one, two]) {
      await report(person, query)
      expect((await callOverRest(server, person, 'list_report_sessions', query)).status).toBe(200)
    }
  })

  test('the 101st report of a minute is refused, counted over both routes', async () => {
    const person = await server.createPerson()
    const calls = Array.from({ length: 101 }, (_, index) =>
      callOverRest(server, person, index % 2 ? 'get_value_report' : 'list_report_sessions', { since: '1d' }),
    )
    const refused = (await Promise.all(calls)).filter(({ status }) => status !== 200)
    expect(refused).toHaveLength(1)
    expectRefusal(refused[0] as (typeof refused)[0], 'rest', { status: 429, code: 'RATE_LIMITED', message: /retry in/ })
  })

  test('is documented with the types of its query', async () => {
    const { body } = await send(server, null, { method: 'GET', path: '/api/v1/openapi.json' })
    const parameters = body.paths['/api/v1/reports/value'].get.parameters
    const schemas = Object.fromEntries(
      parameters.map(({ name, required, schema }: any) => [name, { required, ...schema }]),
    )
    expect(schemas).toMatchObject({
      since: { required: false, type: 'string' },
      from: { required: false, type: 'string', format: 'date' },
      to: { required: false, type: 'string', format: 'date' },
      tz: { required: false, type: 'string', default: 'UTC' },
      sessionsLimit: { required: false, type: 'integer', minimum: 0, maximum: 100 },
      sessionsOffset: { required: false, type: 'integer', minimum: 0, maximum: 5000 },
    })
  })
})

/**
 * Generates reads at random instants around the boundaries of days, months and years, and around daylight saving
 * changes.
 */
function randomReads(): { at: Date; books: BookRead[] }[] {
  const turns = ['2025-12-31', '2026-02-28', '2026-03-08', '2026-03-29', '2026-04-05', '2026-10-24', '2026-10-25']
  let seed = 7
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
  return Array.from({ length: 400 }, () => {
    const turn = Date.parse(turns[random(turns.length)] as string)
    const at = new Date(turn + random(72 * 3_600_000) - 24 * 3_600_000)
    return { at, books: random(4) === 0 ? [toc(`b${random(9)}`)] : [content(`b${random(9)}`, random(30))] }
  })
}

describe('the days of a report', () => {
  test('are those of the time zone, for every zone: checked against single reads', async () => {
    const person = await server.createPerson()
    const reads = randomReads()
    await Promise.all(reads.map(({ at, books }) => count(person, at, books)))
    const started = reads.filter((_, index) => index % 5 === 0).map(({ at }) => at)
    await Promise.all(started.map((startedAt) => addSession(person, { startedAt })))
    const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'America/Havana', 'America/St_Johns', 'Asia/Kathmandu']
    zones.push('Asia/Beirut', 'Australia/Lord_Howe', 'Pacific/Chatham', 'Pacific/Kiritimati', 'Etc/GMT+12')
    for (const tz of zones) {
      const format = new Intl.DateTimeFormat('en-US', {
        timeZone: tz,
        year: 'numeric',
        month: '2-digit',
        day: '2-digit',
      })
      const dateOf = (at: Date) => format.format(at).replace(/^(\d+)\/(\d+)\/(\d+)$/, '$3-$1-$2')
      for (const [from, to] of [
        ['2026-01-01', '2026-12-31'],
        ['2025-12-31', '2025-12-31'],
        ['2026-03-29', '2026-04-05'],
        ['2026-10-25', '2026-10-25'],
      ] as const) {
        const inside = (at: Date) => dateOf(at) >= from && dateOf(at) <= to
        const own = reads.filter(({ at }) => inside(at))
        const read = own.flatMap(({ at, books }) => books.map((book) => ({ date: dateOf(at), ...book })))
        const { daily, totals, topSources, funStats, sessions: page } = await report(person, { from, to, tz })
        const place = `${tz} ${from} to ${to}`
        expect(totals, place).toEqual({
          sessions: started.filter(inside).length,
          booksRead: new Set(read.map(({ itemId }) => itemId)).size,
          pagesRead: read.reduce((sum, { pages }) => sum + pages, 0),
          contentReads: read.filter(({ depth }) => depth === 'content').length,
          tocReads: read.filter(({ depth }) => depth === 'toc').length,
          untrackedReads: read.length,
        })
        expect(page.total, place).toBe(totals.sessions)
        const words = read.reduce((sum, book) => sum + book.words, 0)
        expect(funStats.minutesOfReading, place).toBe(Math.round(words / 230))
        const days = new Map(daily.map((day: any) => [day.date, day]))
        expect(days.size, place).toBe((Date.parse(to) - Date.parse(from)) / 86_400_000 + 1)
        for (const [date, day] of days) {
          const ofDay = read.filter((one) => one.date === date)
          expect(day, place).toEqual({
            date,
            sessions: started.filter((at) => dateOf(at) === date).length,
            pagesRead: ofDay.reduce((sum, { pages }) => sum + pages, 0),
            contentReads: ofDay.filter(({ depth }) => depth === 'content').length,
            tocReads: ofDay.filter(({ depth }) => depth === 'toc').length,
          })
        }
        const books = [...Map.groupBy(read, ({ itemId }) => itemId)].map(([itemId, all]) => ({
          itemId,
          title: itemId,
          reads: all.length,
          pagesRead: all.reduce((sum, { pages }) => sum + pages, 0),
          sessions: 0,
        }))
        books.sort((a, b) => b.pagesRead - a.pagesRead || b.reads - a.reads || (a.itemId < b.itemId ? -1 : 1))
        expect(topSources, place).toEqual(books.slice(0, 10))
      }
    }
  })

  test('are right where a zone skipped a day', async () => {
    const person = await server.createPerson()
    await count(person, '2011-12-30T09:59:00Z', [content('before', 1)])
    await count(person, '2011-12-30T10:00:00Z', [content('after', 2)])
    const { window, daily } = await report(person, { from: '2011-12-29', to: '2011-12-31', tz: 'Pacific/Apia' })
    expect(window.days).toBe(3)
    expect(daily.map(({ date, pagesRead }: any) => [date, pagesRead])).toEqual([
      ['2011-12-29', 1],
      ['2011-12-30', 0],
      ['2011-12-31', 2],
    ])
    const skipped = await report(person, { from: '2011-12-30', to: '2011-12-30', tz: 'Pacific/Apia' })
    expect(skipped.totals).toMatchObject({ booksRead: 0, pagesRead: 0 })
  })

  test('the first reads of a day and a month are all counted in parallel', async () => {
    const person = await server.createPerson()
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        count(person, '2026-07-01T00:00:01Z', [content('a', 1), content(`b${index}`, 1)]),
      ),
    )
    const { totals, topSources } = await report(person, { from: '2026-07-01', to: '2026-07-01' })
    expect(totals).toMatchObject({ booksRead: 41, pagesRead: 80, contentReads: 80 })
    expect(topSources[0]).toMatchObject({ itemId: 'a', reads: 40, pagesRead: 40 })
  })
})

const startedAt = (index: number) => new Date(Date.UTC(2026, 4, 10, 12, index))

describe('the sessions of a report', () => {
  test('are listed newest first, paginated, the same by both routes', async () => {
    const person = await server.createPerson()
    const ids: string[] = []
    for (let index = 0; index < 7; index++) ids.unshift(await addSession(person, { startedAt: startedAt(index >> 1) }))
    const window = { from: '2026-05-10', to: '2026-05-10' }
    const seen: string[] = []
    for (const offset of [0, 3, 6, 9]) {
      const query = { ...window, sessionsLimit: 3, sessionsOffset: offset }
      const { body } = await callOverRest(server, person, 'list_report_sessions', query)
      expect(body).toEqual((await report(person, query)).sessions)
      expect(body).toMatchObject({ limit: 3, offset, total: 7, hasMore: offset < 4 })
      seen.push(...body.sessions.map(({ id }: any) => id))
    }
    expect(seen.toSorted()).toEqual(ids.toSorted())
    expect(new Set(seen).size).toBe(7)
    const none = await callOverRest(server, person, 'list_report_sessions', { ...window, sessionsLimit: 0 })
    expect(none.body).toEqual({ sessions: [], limit: 0, offset: 0, total: 7, hasMore: true })
  })

  test('contain outcomes, the busiest channel and the deepest session, the earlier one on a tie', async () => {
    const person = await server.createPerson()
    const read = (index: number, pagesRead: number, more: Partial<AccessSession> = {}) =>
      addSession(person, { startedAt: startedAt(index), contentReads: 1, pagesRead, ...more })
    await read(0, 5)
    const deepest = await read(1, 9)
    await read(2, 9)
    await read(40, 9, { channel: 'rest' })
    await addSession(person, { startedAt: startedAt(50), tocReads: 2, channel: 'rest' })
    await addSession(person, { startedAt: startedAt(51), channel: 'mcp' })
    await addSession(person, { startedAt: startedAt(52), channel: 'mcp' })
    const body = await report(person, { from: '2026-05-10', to: '2026-05-10' })
    expect(body.outcomes).toEqual({ contentRead: 4, tocOnly: 1, noRead: 2, hitRate: 4 / 7 })
    expect(body.busiestChannel).toEqual({ channel: 'mcp', sessions: 5 })
    expect(body.deepestSession).toMatchObject({ id: deepest, pagesRead: 9, outcome: 'content-read' })
  })

  test('have a busiest channel but no deepest session if no page was read', async () => {
    const person = await server.createPerson()
    await addSession(person, { startedAt: startedAt(0), tocReads: 1 })
    const body = await report(person, { from: '2026-05-10', to: '2026-05-10' })
    expect(body.deepestSession).toBeNull()
    expect(body.busiestChannel).toEqual({ channel: 'mcp', sessions: 1 })
    expect(body.outcomes.hitRate).toBe(0)
  })

  test('add up to the totals with the untracked reads', async () => {
    const person = await server.createPerson()
    const ids = await Promise.all(
      ['a', 'b', 'c'].map((title) => makeBook(server, person, { title, content: markdownPages(3) })),
    )
    const read = (sessionId: string | null, index: number, pages: string) =>
      send(server, person.key, {
        method: 'POST',
        path: '/api/v1/items/batch',
        body: { items: [{ id: ids[index], pages }] },
        headers: sessionId === null ? {} : { 'X-CK-Session': sessionId },
      })
    const start = async () => (await callOverRest(server, person, 'start_access_session')).body.sessionId
    const [one, two] = [await start(), await start()]
    for (const [session, index, pages] of [
      [one, 0, '1-3'],
      [one, 1, '1'],
      [two, 1, '2-3'],
      [two, 1, '1'],
      [null, 2, '1-2'],
      [null, 0, '1'],
    ] as const) {
      expect((await read(session, index, pages)).ok).toBe(true)
    }
    const { totals, sessions: page, topSources } = await report(person)
    const tracked = page.sessions.reduce((sum: number, { pagesRead }: any) => sum + pagesRead, 0)
    expect(totals).toEqual({
      sessions: 2,
      booksRead: 3,
      pagesRead: tracked + 3,
      contentReads: 6,
      tocReads: 0,
      untrackedReads: 2,
    })
    expect(topSources).toEqual(
      [
        { itemId: ids[0], title: 'a', reads: 2, pagesRead: 4, sessions: 1 },
        { itemId: ids[1], title: 'b', reads: 3, pagesRead: 4, sessions: 2 },
        { itemId: ids[2], title: 'c', reads: 1, pagesRead: 2, sessions: 0 },
      ].sort((x, y) => y.pagesRead - x.pagesRead || y.reads - x.reads),
    )
  })

  test('are only those of the caller', async () => {
    const [one, two] = [await server.createPerson(), await server.createPerson()]
    await addSession(one, { startedAt: startedAt(0), contentReads: 1, pagesRead: 4 })
    await count(one, startedAt(0), [content('a', 4)])
    const body = await report(two, { from: '2026-05-10', to: '2026-05-10' })
    expect(body.totals).toMatchObject({ sessions: 0, booksRead: 0, pagesRead: 0 })
    expect(body.deepestSession).toBeNull()
  })
})

const day = (date: string) => ({ from: date, to: date })

describe('the percentile of a report', () => {
  test('is null below 20 readers, otherwise the share of other readers who read less', async () => {
    const person = await server.createPerson()
    const others = await Promise.all(Array.from({ length: 20 }, () => server.createPerson()))
    for (const [index, other] of others.entries()) {
      await count(other, '2026-02-01T12:00:00Z', [content('a', index + 1)])
      if (index < 18) await count(other, '2026-02-02T12:00:00Z', [content('a', 1)])
      await count(other, '2026-02-03T12:00:00Z', [content('a', index + 1)])
    }
    await count(person, '2026-02-01T12:00:00Z', [content('a', 16)])
    await count(person, '2026-02-02T12:00:00Z', [content('a', 16)])
    expect((await report(person, day('2026-02-01'))).percentile).toEqual({ value: 75, basis: 'pagesRead' })
    expect((await report(person, day('2026-02-02'))).percentile).toBeNull()
    expect((await report(person, day('2026-02-03'))).percentile).toBeNull()
    expect((await report(others[0] as Person, day('2026-02-03'))).percentile).toEqual({ value: 0, basis: 'pagesRead' })
    expect((await report(others[19] as Person, day('2026-02-03'))).percentile).toEqual({
      value: 100,
      basis: 'pagesRead',
    })
    await count(person, '2026-02-03T12:30:00Z', [content('a', 100)])
    expect((await report(person, day('2026-02-03'))).percentile).toEqual({ value: 100, basis: 'pagesRead' })
  })
})

describe('the wiki of a report', () => {
  test('counts manuscripts, changes of their text, and the pages written', async () => {
    const person = await server.createPerson()
    const ctx = await contextOf(server, person)
    const own = await makeBook(server, person, { content: markdownPages(3) })
    await putItemPage(ctx, { id: own, pageNum: 1, content: '# Before it was a manuscript\n' })
    const { manuscript } = await createManuscript(ctx, { title: 'Notes' })
    const { manuscript: attached } = await createManuscript(ctx, { title: 'Old', itemId: own })
    expect((await report(person)).wiki).toEqual({ manuscripts: 2, updates: 0, pagesWritten: 0 })
    await appendItemPages(ctx, { id: manuscript.itemId, content: markdownPages(4) })
    await putItemPage(ctx, { id: manuscript.itemId, pageNum: 2, content: '# Two\n' })
    await putItemPage(ctx, { id: own, pageNum: 3, content: '# Three\n' })
    expect((await report(person)).wiki).toEqual({ manuscripts: 2, updates: 3, pagesWritten: 6 })
    await restoreItemVersion(ctx, { id: manuscript.itemId, version: 2 })
    await archiveManuscript(ctx, { manuscriptId: attached.id })
    expect((await report(person)).wiki).toEqual({ manuscripts: 1, updates: 4, pagesWritten: 6 })
    setClock(new Date(Date.now() + 5 * 86_400_000).toISOString())
    await appendItemPages(
      { ...ctx, now: () => new Date(Date.now() + 5 * 86_400_000) },
      { id: manuscript.itemId, content: '# Later\n' },
    )
    expect((await report(person, { since: '2d' })).wiki).toEqual({ manuscripts: 1, updates: 1, pagesWritten: 1 })
    const [from, to] = [new Date(Date.now() - 3 * 86_400_000), new Date(Date.now() + 86_400_000)]
    const days = { from: from.toISOString().slice(0, 10), to: to.toISOString().slice(0, 10) }
    expect((await report(person, days)).wiki).toEqual({ manuscripts: 1, updates: 4, pagesWritten: 6 })
  })
})
