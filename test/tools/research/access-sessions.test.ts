import { afterEach, describe, expect, test } from 'vitest'
import { completeIdleSessions } from '../../../src/research/sessions.ts'
import { rest, send, transports, type ToolResponse } from '../../support/transports.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

afterEach(() => {
  server.running.opened.services.now = () => new Date()
})

const minute = 60_000
const hour = 60 * minute

/** Advances the server's clock. */
function ahead(ms: number): void {
  server.running.opened.services.now = () => new Date(Date.now() + ms)
}

const places = () => server.running.opened.services.sessionQuota
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))
const granted = (answers: readonly ToolResponse[]) => answers.filter(({ ok }) => ok).length

/** Uses up the session starts of the last hour without leaving a session open. */
async function useStarts({ id }: Person, count: number): Promise<void> {
  const ids = times(count, (index) => `used${index}`)
  for (const one of ids) {
    await places().acquire(id, { id: one, at: new Date() }, { open: 20, hour: 60 })
    await places().release(id, [one])
  }
}

describe.for(transports)('start_access_session over %s', ([name, transport]) => {
  const start = (person: Person, input: Record<string, unknown> = {}) =>
    transport.call(server, person, 'start_access_session', input)
  const complete = (person: Person, sessionId: unknown) =>
    transport.call(server, person, 'complete_access_session', { sessionId })

  test('returns the session and its start time', async () => {
    const answer = await start(await server.createPerson(), { intent: 'how bees fly' })
    expect(answer.status).toBe(name === 'rest' ? 201 : 200)
    expect(answer.body).toEqual({ sessionId: expect.stringMatching(/^[a-z0-9]{26}$/), createdAt: expect.any(String) })
    expect(new Date(answer.body.createdAt).toISOString()).toBe(answer.body.createdAt)
  })

  test('stores the channel and the client name', async () => {
    const person = await server.createPerson()
    await start(person, { intent: ' bees ' })
    const { body } = await rest.call(server, person, 'list_report_sessions')
    expect(body.sessions).toMatchObject([{ intent: 'bees', channel: name, client: name === 'rest' ? 'node' : 'test' }])
  })

  test.for([
    ['no intent', {}],
    ['null', { intent: null }],
    ['a blank one', { intent: '  ' }],
    ['500 code points', { intent: '🐝'.repeat(500) }],
  ] as const)('takes an intent of %s', async ([, input]) => {
    expect((await start(await server.createPerson(), input)).ok).toBe(true)
  })

  test.for([
    ['501 characters', { intent: 'x'.repeat(501) }, /intent must be 500 characters or less(\.|$)/],
    ['a number', { intent: 5 }, /intent must be a string(\.|$)/],
  ] as const)('refuses an intent of %s', async ([, input, says]) => {
    expectRefusal(await start(await server.createPerson(), input), name, {
      status: 400,
      mcpCode: 'INVALID_INPUT',
      message: says,
    })
  })

  test('of 50 parallel starts exactly 20 succeed; completing one allows one more', async () => {
    const person = await server.createPerson()
    const answers = await Promise.all(times(50, () => start(person)))
    expect(granted(answers)).toBe(20)
    const refused = answers.find(({ ok }) => !ok) as ToolResponse
    expectRefusal(refused, name, { status: 429, mcpCode: 'RATE_LIMITED', message: /Too many active sessions/ })
    if (name === 'rest') expect(refused.headers.get('retry-after')).toBe('60')
    else expect(refused.body.retryAfterSeconds).toBe(60)
    const { sessionId } = (answers.find(({ ok }) => ok) as ToolResponse).body
    expect((await complete(person, sessionId)).ok).toBe(true)
    expect(granted(await Promise.all(times(5, () => start(person))))).toBe(1)
  })

  test('of 50 parallel starts after 50 in the last hour exactly 10 succeed', async () => {
    const person = await server.createPerson()
    await useStarts(person, 50)
    const answers = await Promise.all(times(50, () => start(person)))
    expect(granted(answers)).toBe(10)
    const refused = answers.find(({ ok }) => !ok) as ToolResponse
    const says = /Session creation rate limit exceeded: 60 an hour\. .* retry in 3[56]\d\ds\.$/
    expectRefusal(refused, name, { status: 429, mcpCode: 'RATE_LIMITED', message: says })
    if (name === 'rest') expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500)
    ahead(hour + minute)
    expect((await start(person)).ok).toBe(true)
  })

  test('idle sessions are completed to make room for new ones', async () => {
    const person = await server.createPerson()
    const [first] = await Promise.all(times(20, () => start(person)))
    ahead(24 * hour - minute)
    expect((await start(person)).ok).toBe(false)
    ahead(24 * hour + minute)
    expect((await start(person)).ok).toBe(true)
    expect((await complete(person, first?.body.sessionId)).body.status).toBe('completed')
  })

  test('a reservation without a session, left by a crash, is released when needed', async () => {
    const person = await server.createPerson()
    await places().acquire(person.id, { id: 'crashed', at: new Date(Date.now() - 2 * minute) }, { open: 20, hour: 60 })
    const answers = await Promise.all(times(20, () => start(person)))
    expect(granted(answers)).toBe(20)
  })

  test('the limits of accounts are independent', async () => {
    const [one, two] = [await server.createPerson(), await server.createPerson()]
    await Promise.all(times(20, () => start(one)))
    expect((await start(two)).ok).toBe(true)
  })
})

describe.for(transports)('complete_access_session over %s', ([name, transport]) => {
  const complete = (person: Person, input: Record<string, unknown>) =>
    transport.call(server, person, 'complete_access_session', input)

  test('completes a session; a repeat, also in parallel, returns the same', async () => {
    const person = await server.createPerson()
    const { sessionId } = (await transport.call(server, person, 'start_access_session')).body
    const answers = await Promise.all(times(5, () => complete(person, { sessionId })))
    answers.push(await complete(person, { sessionId }))
    for (const { ok, body } of answers)
      expect({ ok, body }).toEqual({ ok: true, body: { sessionId, status: 'completed' } })
  })

  test.for([
    ['no sessionId', {}, 400, 'INVALID_INPUT', /sessionId is required(\.|$)/],
    ['an empty one', { sessionId: '' }, 400, 'INVALID_INPUT', /sessionId is required(\.|$)/],
    ['a number', { sessionId: 7 }, 400, 'INVALID_INPUT', /sessionId is required(\.|$)/],
    ['an unknown one', { sessionId: 'nope' }, 404, 'NOT_FOUND', /Session not found$/],
    ['a very long one', { sessionId: 'x'.repeat(5000) }, 404, 'NOT_FOUND', /Session not found$/],
  ] as const)('refuses %s', async ([, input, status, mcpCode, says]) => {
    expectRefusal(await complete(await server.createPerson(), input), name, { status, mcpCode, message: says })
  })

  test('does not find the session of another account, and leaves it open', async () => {
    const [owner, other] = [await server.createPerson(), await server.createPerson()]
    const { sessionId } = (await transport.call(server, owner, 'start_access_session')).body
    const answer = await complete(other, { sessionId })
    expectRefusal(answer, name, { status: 404, mcpCode: 'NOT_FOUND', message: /Session not found$/ })
    expect(await server.running.opened.services.sessions.filterOpen(owner.id, [sessionId])).toEqual(
      new Set([sessionId]),
    )
  })
})

test('a repeated start with one Idempotency-Key returns the same session and reserves once', async () => {
  const person = await server.createPerson()
  const headers = { 'Idempotency-Key': 'lost-answer' }
  const request = { method: 'POST', path: '/api/v1/access/session', body: { intent: 'x' }, headers }
  const [one, two] = [await send(server, person.key, request), await send(server, person.key, request)]
  expect(two.body).toEqual(one.body)
  expect(await placesOf(person)).toEqual([one.body.sessionId])
})

test('a repeated start completes one that a crash interrupted', async () => {
  const person = await server.createPerson()
  const { services } = server.running.opened
  const at = new Date('2026-05-05T05:05:05.000Z')
  const session = { ...emptySession, id: 'cut-off', accountId: person.id, startedAt: at, lastReadAt: at }
  expect(await services.sessions.add(session)).toEqual(at)
  expect(await services.sessions.add({ ...session, startedAt: new Date() })).toEqual(at)
  const limits = { open: 1, hour: 60 }
  for (let i = 0; i < 3; i++) {
    expect(await places().acquire(person.id, { id: 'cut-off', at }, limits)).toEqual({ refusedBy: null })
  }
  expect(await placesOf(person)).toEqual(['cut-off'])
})

const emptySession = {
  intent: null,
  channel: 'rest',
  client: null,
  completedAt: null,
  contentReads: 0,
  tocReads: 0,
  pagesRead: 0,
  reads: 0,
  books: {},
} as const

async function placesOf({ id }: Person): Promise<string[]> {
  for await (const { accountId, ids } of places().listHeld(id, new Date(Date.now() + minute)))
    if (accountId === id) return ids
  return []
}

test('the hour counts back from now, in whatever order parallel starts arrive', async () => {
  const person = await server.createPerson()
  const start = Date.now()
  const limits = { open: 1000, hour: 60 }
  const take = (index: number, at: number) =>
    places().acquire(person.id, { id: `s${at}-${index}`, at: new Date(at) }, limits)
  const early = await Promise.all(times(100, (index) => take(index, start - (index % 7))))
  expect(early.filter(({ refusedBy }) => refusedBy === null)).toHaveLength(60)
  expect(await take(0, start + hour - 8)).toEqual({ refusedBy: 'hour', retryAt: expect.any(Date) })
  const late = await Promise.all(times(100, (index) => take(index, start + hour)))
  expect(late.filter(({ refusedBy }) => refusedBy === null)).toHaveLength(60)
  await places().release(person.id, (await placesOf(person)).concat(times(200, (index) => `s${start + hour}-${index}`)))
})

test('control: counting before reserving would allow too many', async () => {
  const person = await server.createPerson()
  const { db } = server.running.opened.database
  const rows = db.collection<{ _id: string; open: string[] }>('naivePlaces')
  await rows.insertOne({ _id: person.id, open: [] })
  const naive = async (id: string): Promise<boolean> => {
    const row = await rows.findOne({ _id: person.id })
    if ((row?.open.length ?? 0) >= 20) return false
    await rows.updateOne({ _id: person.id }, { $push: { open: id } })
    return true
  }
  const results = await Promise.all(times(50, (index) => naive(`n${index}`)))
  expect(results.filter(Boolean).length).toBeGreaterThan(20)
})

test('the hourly sweep completes idle sessions and releases orphaned reservations of every account', async () => {
  const [one, two] = [await server.createPerson(), await server.createPerson()]
  const { sessionId } = (await rest.call(server, one, 'start_access_session')).body
  await places().acquire(two.id, { id: 'crashed', at: new Date() }, { open: 20, hour: 60 })
  ahead(25 * hour)
  const { services } = server.running.opened
  await completeIdleSessions(services, null)
  expect(await services.sessions.filterOpen(one.id, [sessionId])).toEqual(new Set())
  expect([await placesOf(one), await placesOf(two)]).toEqual([[], []])
})
