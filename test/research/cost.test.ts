import { afterAll, beforeAll, expect, test } from 'vitest'
import { createReadMeter } from '../../src/accounts/read-meter.ts'
import { createAccountContext } from '../../src/admin/commands/account-context.ts'
import { createBookStore } from '../../src/books/store.ts'
import type { Context } from '../../src/app/context.ts'
import { createLog } from '../../src/app/log.ts'
import { createManuscriptStore } from '../../src/manuscripts/store.ts'
import { chargeAndRecordReads } from '../../src/reading/charge-and-record-reads.ts'
import { createContentStore } from '../../src/reading/store.ts'
import { createReadLog } from '../../src/research/read-log-store.ts'
import type { ReportWindow } from '../../src/research/schema.ts'
import { createSessionStore } from '../../src/research/session-store.ts'
import { startAccessSession } from '../../src/research/sessions.ts'
import { valueReport } from '../../src/research/value-report.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { openEmbedded, type OpenStore } from '../support/stores.ts'
import { openRecordingStore, type SentCommand, type RecordingStore } from '../support/recording-store.ts'

let store: OpenStore
let watched: RecordingStore
let server: TestServer

beforeAll(async () => {
  store = await openEmbedded()
  server = await startTestServer({ LECTERN_MONGODB_URL: store.url, LECTERN_ROLE: 'web' })
  watched = await openRecordingStore(store.url, server.running.opened.database.db.databaseName)
})
afterAll(async () => {
  await watched.close()
  await server.close()
  await store.close()
})

const failed = (error: unknown) => expect.fail(`not counted: ${error}`)

/** Makes calls of a new account and records their database commands. */
async function watchedContext(plan?: string): Promise<Context> {
  const person = await server.createPerson({ plan })
  const { services } = server.running.opened
  const { db } = watched
  const account = await services.accounts.byId(person.id)
  if (!account) throw new Error('no account')
  const stores = {
    readMeter: createReadMeter(db, { onError: failed }),
    books: createBookStore(db),
    contents: createContentStore(db),
    manuscripts: createManuscriptStore(db),
    sessions: createSessionStore(db),
    readLog: createReadLog(db, { onError: failed }),
  }
  return createAccountContext({ services: { ...services, ...stores }, log: createLog('silent') }, account)
}

const targets = (commands: readonly SentCommand[]) =>
  commands.map(({ name, command, round: wave }) => `${wave} ${name} ${command[name]}`)

const fifty = Array.from({ length: 50 }, (_, index) => ({
  id: `book${index}`,
  title: `Book ${index}`,
  ownerId: 'somebody',
  pageCount: 1,
  pages: [{ content: 'some words', pageNum: 1 }],
}))

/** Waits until all counts of the calls are written. */
const settled = (ctx: Context) => Promise.all([ctx.readMeter.flush(), ctx.readLog.flush()])

test.for([
  ['FREE', 'after the charge', 2],
  ['SELF_HOSTED', 'in parallel with the charge, which cannot be refused', 1],
] as const)('on %s the reads of a call are counted %s', async ([plan, , first]) => {
  const ctx = await watchedContext(plan)
  const { sessionId } = await startAccessSession(ctx, {})
  const read = (session?: string) =>
    watched.record(async () => {
      await chargeAndRecordReads({ ...ctx, requestId: `r${Math.random()}` }, fifty, session)
      await settled(ctx)
    })
  await read()
  const charge = '1 update reads'
  const counts = (wave: number) => [`${wave} update readDays`, `${wave} update readBooks`, `${wave} update pageReads`]
  expect(targets(await read()).toSorted()).toEqual([charge, ...counts(first)].toSorted())
  const [underSession, withSession] = [
    await read(sessionId),
    ['reads', 'sessions', 'readDays', 'readBooks', 'pageReads'],
  ]
  expect(underSession.map(({ name, command }) => command[name]).toSorted()).toEqual(withSession.toSorted())
})

test('parallel reads are charged and counted in one round trip', async () => {
  const ctx = await watchedContext('SELF_HOSTED')
  const read = () => chargeAndRecordReads({ ...ctx, requestId: `r${Math.random()}` }, fifty)
  await read()
  await settled(ctx)
  const sent = await watched.record(async () => {
    await Promise.all(Array.from({ length: 20 }, read))
    await settled(ctx)
  })
  expect(targets(sent).toSorted()).toEqual([
    '1 update pageReads',
    '1 update readBooks',
    '1 update readDays',
    '1 update reads',
  ])
  expect(await ctx.readMeter.used(ctx.actor.id, new Date())).toBe(21 * fifty.length)
})

const query: ReportWindow = {
  from: '2026-01-10',
  to: '2026-03-20',
  tz: 'Asia/Kathmandu',
  sessionsLimit: 25,
  sessionsOffset: 0,
}
const days = 70
const bookCount = 10

/** Counts reads of 10 books per call on the days of the window, in 100 sessions. Returns their number. */
async function recordMany(ctx: Context, calls: number): Promise<number> {
  const books = Array.from({ length: bookCount }, (_, index) => {
    return { itemId: `book${index}`, title: `Book ${index}`, depth: 'content' as const, pages: 2, words: 500 }
  })
  const sessions = await Promise.all(Array.from({ length: 100 }, (_, index) => addSession(ctx, index)))
  const start = Date.parse('2026-01-09T18:15:00Z')
  const record = async (call: number) => {
    const at = new Date(start + (call % days) * 86_400_000 + ((call * 7_919) % 86_400) * 1000)
    const id = sessions[call % sessions.length] as string
    const freshBooks = await ctx.sessions.recordReads(ctx.actor.id, id, { books, at, idle: new Date(0) })
    ctx.readLog.count(ctx.actor.id, { at, books, tracked: true, newBooks: freshBooks ?? [], agent: null })
  }
  for (let call = 0; call < calls; call += 10) {
    await Promise.all(Array.from({ length: Math.min(10, calls - call) }, (_, index) => record(call + index)))
  }
  await ctx.readLog.flush()
  return calls * bookCount
}

async function addSession(ctx: Context, index: number): Promise<string> {
  const id = `${ctx.actor.id}s${index}`
  const startedAt = new Date(Date.parse('2026-01-10T00:00:00Z') + index * 3_600_000)
  const counts = { contentReads: 0, tocReads: 0, pagesRead: 0, reads: 0, books: {} }
  const fixed = { accountId: ctx.actor.id, intent: null, channel: 'mcp', client: null, completedAt: null } as const
  await ctx.sessionQuota.acquire(ctx.actor.id, { id, at: startedAt }, { open: 1000, hour: 1000 })
  await ctx.sessions.add({ id, startedAt, lastReadAt: startedAt, ...fixed, ...counts })
  return id
}

interface Counters {
  _id: string
  quarters: Record<string, Record<string, number>>
}

/** Changes the counters of an account as if each of its reads had happened `times` times. */
async function repeatReads(ctx: Context, times: number): Promise<void> {
  for (const name of ['readDays', 'readBooks']) {
    const rows = watched.db.collection<Counters>(name)
    for (const { _id, quarters } of await rows.find({ accountId: ctx.actor.id }).toArray()) {
      for (const tally of Object.values(quarters))
        for (const [field, count] of Object.entries(tally)) tally[field] = count * times
      await rows.updateOne({ _id }, { $set: { quarters } })
    }
  }
}

test('a report of 100,000 reads examines as few rows as one of 1,000: days, books by month, and sessions', async () => {
  const rows: number[] = []
  for (const [calls, times] of [
    [100, 1],
    [250, 40],
  ] as const) {
    const ctx = await watchedContext()
    const reads = (await recordMany(ctx, calls)) * times
    await repeatReads(ctx, times)
    const report = Promise.withResolvers<Awaited<ReturnType<typeof valueReport>>>()
    const commands = await watched.record(async () => report.resolve(await valueReport(ctx, query)))
    const { totals, topSources, sessions } = await report.promise
    expect(totals).toMatchObject({ contentReads: reads, pagesRead: 2 * reads, booksRead: bookCount, untrackedReads: 0 })
    expect(topSources[0]).toMatchObject({ reads: calls * times, sessions: 100 * times })
    expect(sessions.total).toBe(100)
    const queries = commands.filter(({ name }) => name !== 'getMore')
    const own = queries.filter(
      ({ command }) => command['find'] || command['pipeline'][0].$match.accountId === ctx.actor.id,
    )
    // The percentile needs sums over all accounts, which are computed once in ten minutes.
    expect(queries.filter((command) => !own.includes(command))).toMatchObject([{ command: { aggregate: 'readDays' } }])
    rows.push(await watched.countExamined(own))
    process.stdout.write(`${reads} reads: ${rows.at(-1)} rows of the account in ${commands.length} round trips\n`)
  }
  // Days, books by month, counted sessions, listed sessions, and one quarter-hour for the deepest session.
  const most = days + 1 + 3 * bookCount + 100 + 25 + 1
  for (const count of rows) expect(count).toBeLessThanOrEqual(most)
  expect((rows[1] as number) - (rows[0] as number)).toBeLessThanOrEqual(5)
})

test('the sums over all accounts are computed once for reports of the same days', async () => {
  const ctx = await watchedContext()
  ctx.readLog.count(ctx.actor.id, {
    at: new Date('2026-01-15T12:00:00Z'),
    books: [{ itemId: 'a', title: 'A', depth: 'content', pages: 1, words: 1 }],
    tracked: false,
    newBooks: [],
    agent: null,
  })
  const commands = await watched.record(() => Promise.all(Array.from({ length: 20 }, () => valueReport(ctx, query))))
  expect(commands.filter(({ command }) => command['aggregate'] === 'readDays')).toHaveLength(1)
})
