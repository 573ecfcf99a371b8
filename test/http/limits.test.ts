import { describe, expect, test } from 'vitest'
import { createRateLimiter, rateLimits, type RateBucket } from '../../src/accounts/rate-limiter.ts'
import { mcp, send, sendMcp } from '../support/transports.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

interface Row {
  _id: string
  start: Date
  count: number
}

/** Moves the start of the account's window back by `ms`, as if that time had passed. */
async function age({ id }: Person, bucket: RateBucket, ms: number): Promise<void> {
  const rows = server.running.opened.database.db.collection<Row>('rates')
  const row = await rows.findOne({ _id: `${id}:${bucket}` })
  if (!row) throw new Error('no window')
  await rows.updateOne({ _id: row._id }, { $set: { start: new Date(row.start.getTime() - ms) } })
}

/** A rate limiter of another process on the same store, without local state. */
const replica = () => createRateLimiter(server.running.opened.database.db, rateLimits)

const passes = (take: Promise<unknown>) =>
  take.then(
    () => true,
    () => false,
  )

test('the limits are those of the contract, plus those that this server adds', () => {
  expect(rateLimits).toEqual({
    library_writes: 120,
    content_writes: 60,
    upload_check: 60,
    team_changes: 20,
    settings_writes: 20,
    value_reports: 100,
    reports: 10,
    citation_checks: 60,
    reprocessing: 30,
    enrichment: 60,
    upload_confirms: 120,
    content_reads: 120,
    searches: 300,
    mcp_read: 100,
    mcp_write: 20,
  })
})

test('over REST 60 content writes pass and the 61st gets Retry-After', async () => {
  const person = await server.createPerson()
  const create = (body: object) => send(server, person.key, { method: 'POST', path: '/api/v1/items/markdown', body })
  // A write that is refused for invalid input counts too.
  for (let i = 0; i < 59; i++) expect((await create({})).status).toBe(400)
  expect((await create({ title: 'T' })).status).toBe(201)
  const answer = await create({ title: 'T' })
  expect(answer).toMatchObject({
    status: 429,
    body: { code: 'RATE_LIMITED', error: /^Too many requests — retry in \d+s\.$/ },
  })
  const seconds = Number(answer.headers.get('retry-after'))
  expect(seconds).toBeGreaterThanOrEqual(1)
  expect(seconds).toBeLessThanOrEqual(60)
  // Other calls, transports and accounts are not affected.
  expect((await send(server, person.key, { method: 'GET', path: '/api/v1/items' })).status).toBe(200)
  expect((await mcp.call(server, person, 'create_markdown_item', { title: 'T' })).ok).toBe(true)
  const other = await server.createPerson()
  expect(
    (await send(server, other.key, { method: 'POST', path: '/api/v1/items/markdown', body: { title: 'T' } })).status,
  ).toBe(201)
})

describe.for([
  ['whoami', 100, 'mcp_read'],
  ['delete_items', 20, 'mcp_write'],
] as const)('over MCP %s', ([name, limit, bucket]) => {
  test(`passes ${limit} times a minute`, async () => {
    const person = await server.createPerson()
    const params = { name, arguments: name === 'delete_items' ? { ids: ['nope'] } : {} }
    const call = async () => (await sendMcp(server, person.key, { method: 'tools/call', params })).body.result
    const results = await Promise.all(Array.from({ length: limit + 5 }, call))
    expect(results.filter(({ isError }) => !isError)).toHaveLength(limit)
    const refused = results.find(({ isError }) => isError)
    expect(refused.content[0].text).toMatch(/^rate_limited: Too many requests — retry in ([1-9]|[1-5]\d|60)s\.$/)
    expect(JSON.parse(refused.content[1].text)).toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterSeconds: expect.any(Number),
    })
    expect(refused).not.toHaveProperty('structuredContent')
    expect(await passes(replica().consume(person.id, bucket))).toBe(false)
  })
})

test('tools/list is not limited', async () => {
  const person = await server.createPerson()
  for (let i = 0; i < rateLimits.mcp_read; i++)
    await server.running.opened.services.rateLimiter.consume(person.id, 'mcp_read')
  const { body } = await sendMcp(server, person.key, { method: 'tools/list' })
  expect(body.result.tools.length).toBeGreaterThan(0)
})

const use = async (person: Person, bucket: RateBucket, count: number) => {
  const limiter = replica()
  const taken = await Promise.all(Array.from({ length: count }, () => passes(limiter.consume(person.id, bucket))))
  return taken.filter(Boolean).length
}

describe('a window', () => {
  test('a window admits exactly its limit, in parallel and across processes', async () => {
    const person = await server.createPerson()
    const [a, b] = await Promise.all([use(person, 'reports', 15), use(person, 'reports', 15)])
    expect(a + b).toBe(10)
  })

  test('a window ends 60 s after its first call, not earlier', async () => {
    const person = await server.createPerson()
    await use(person, 'reports', 10)
    await age(person, 'reports', 50_000)
    expect(await use(person, 'reports', 1)).toBe(0)
    await age(person, 'reports', 10_000)
    expect(await use(person, 'reports', 25)).toBe(10)
  })

  test('a window has ended if it begins in the future, because the clock of the store was set back', async () => {
    const person = await server.createPerson()
    await use(person, 'reports', 10)
    await age(person, 'reports', -3_600_000)
    expect(await use(person, 'reports', 25)).toBe(10)
  })

  test('a response reports the remaining calls of the window', async () => {
    const person = await server.createPerson()
    await use(person, 'reports', 10)
    await age(person, 'reports', 45_000)
    const error = await replica()
      .consume(person.id, 'reports')
      .catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 'RATE_LIMITED' })
    const { retryAfterSeconds } = error as { retryAfterSeconds: number }
    expect(retryAfterSeconds).toBeGreaterThanOrEqual(1)
    expect(retryAfterSeconds).toBeLessThanOrEqual(15)
  })

  test('a window uses the clock of the store, not that of the process', async () => {
    const person = await server.createPerson()
    await use(person, 'reports', 10)
    const { services } = server.running.opened
    const now = services.now
    services.now = () => new Date(Date.now() + 3_600_000)
    expect(await passes(services.rateLimiter.consume(person.id, 'reports'))).toBe(false)
    services.now = now
  })

  test('calls over the limit cause no further writes', async () => {
    const person = await server.createPerson()
    const limiter = replica()
    for (let i = 0; i < 40; i++) await passes(limiter.consume(person.id, 'reports'))
    const rows = server.running.opened.database.db.collection<Row>('rates')
    expect((await rows.findOne({ _id: `${person.id}:reports` }))?.count).toBe(11)
  })
})
