import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mcp, rest, send, type Transport } from '../../support/transports.ts'
import { reportGap, fulfilledNotices, listGapGroups, publishedBook } from '../../support/gaps.ts'
import { makeBook } from '../../support/make-book.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import { startReplicas, type Replicas } from '../../support/replicas.ts'
import type { Person, TestServer } from '../../support/server.ts'

let replicas: Replicas
let server: TestServer

beforeAll(async () => {
  replicas = await startReplicas()
  server = replicas.server
})
afterAll(() => replicas.close())

/** The calls that answer requests, with their transports. */
const calls: [tool: string, name: string, caller: Transport, count: string][] = [
  ['resolve_book_gap', 'rest', rest, 'fulfilledGaps'],
  ['resolve_book_gap', 'mcp', mcp, 'fulfilledGaps'],
  ['restore_book_gap', 'rest', rest, 'restored'],
  ['restore_book_gap', 'mcp', mcp, 'restored'],
  ['dismiss_book_gap', 'rest', rest, 'dismissed'],
  ['update_book_gap', 'rest', rest, 'updated'],
]

async function ownBook(): Promise<{ author: Person; itemId: string }> {
  const author = await server.createPerson()
  return { author, itemId: await makeBook(server, author, { title: 'Whales' }) }
}

const statusOf = async (author: Person, itemId: string) => {
  const all: Record<string, string[]> = {}
  for (const status of ['OPEN', 'CLUSTERED', 'IN_PROGRESS', 'FULFILLED', 'DISMISSED']) {
    for (const { subcategory } of await listGapGroups(server, author, itemId, status)) {
      all[subcategory] = [...(all[subcategory] ?? []), status]
    }
  }
  return all
}

const call = (author: Person, tool: string, input: Record<string, unknown>) => rest.call(server, author, tool, input)

test('five readers report a gap, the author fulfils it, and each of the five is notified', async () => {
  const { author, readers, itemId } = await publishedBook(server, { readers: 5, title: 'Whales' })
  for (const [i, reader] of readers.entries()) {
    await reportGap(server, reader, itemId, {
      subcategory: i % 2 === 0 ? 'Deep sleep' : ' DEEP  SLEEP',
      intent: `How? ${i}`,
    })
  }
  await reportGap(server, readers[0] as Person, itemId, { subcategory: 'Krill' })
  const [group, other] = await listGapGroups(server, author, itemId)
  expect(group).toMatchObject({ subcategory: 'Deep sleep', reporterCount: 5, sampleIntent: 'How? 4' })
  expect(other).toMatchObject({ subcategory: 'Krill', reporterCount: 1 })

  const fulfil = { itemId, subcategory: 'deep sleep' }
  expect((await mcp.call(server, author, 'resolve_book_gap', fulfil)).body).toEqual({
    ok: true,
    fulfilledGaps: 5,
    notified: 5,
  })
  for (const [i, reader] of readers.entries()) {
    const [notice, ...more] = await fulfilledNotices(server, reader)
    expect(more).toEqual([])
    expect(notice).toMatchObject({
      type: 'gap_fulfilled',
      title: '"Whales" has what you asked for',
      metadata: { itemId, subcategory: i % 2 === 0 ? 'Deep sleep' : 'DEEP  SLEEP' },
    })
  }
  expect(await fulfilledNotices(server, author)).toEqual([])
  expect((await call(author, 'resolve_book_gap', fulfil)).body).toEqual({ ok: true, fulfilledGaps: 0, notified: 0 })
  expect(await statusOf(author, itemId)).toEqual({ 'Deep sleep': ['FULFILLED'], Krill: ['OPEN'] })
})

describe('a reader who reported a gap', () => {
  test('and reports it again after the fulfilment reopens the topic and is notified again', async () => {
    const { author, readers, itemId } = await publishedBook(server, { readers: 2 })
    const [one, two] = readers as [Person, Person]
    for (const reader of [one, two]) await reportGap(server, reader, itemId)
    await call(author, 'resolve_book_gap', { itemId, subcategory: 'Sleep' })
    await reportGap(server, one, itemId, { intent: 'Not quite' })
    const groups = await listGapGroups(server, author, itemId)
    expect(groups).toMatchObject([{ reporterCount: 1, sampleIntent: 'Not quite' }])
    expect(await listGapGroups(server, author, itemId, 'FULFILLED')).toMatchObject([{ reporterCount: 2 }])
    const { body } = await call(author, 'resolve_book_gap', { itemId, gapIds: groups[0]?.gapIds })
    expect(body).toEqual({ ok: true, fulfilledGaps: 1, notified: 1 })
    expect(await fulfilledNotices(server, one)).toHaveLength(2)
    expect(await fulfilledNotices(server, two)).toHaveLength(1)
    expect(await listGapGroups(server, author, itemId, 'FULFILLED')).toMatchObject([
      { reporterCount: 2, gapIds: [{}, {}, {}] },
    ])
  })

  test('on two topics counts as one reader and is notified of both', async () => {
    const { author, readers, itemId } = await publishedBook(server, { readers: 1 })
    const [reader] = readers as [Person]
    for (const subcategory of ['One', 'Two']) await reportGap(server, reader, itemId, { subcategory })
    const gapIds = (await listGapGroups(server, author, itemId)).flatMap((group) => group.gapIds)
    expect((await call(author, 'resolve_book_gap', { itemId, gapIds })).body).toEqual({
      ok: true,
      fulfilledGaps: 2,
      notified: 1,
    })
    const topics = (await fulfilledNotices(server, reader)).map(({ metadata }) => metadata['subcategory'])
    expect(topics.sort()).toEqual(['One', 'Two'])
  })

  test('and is the author is notified as well', async () => {
    const { author, itemId } = await ownBook()
    await reportGap(server, author, itemId)
    const { body } = await call(author, 'resolve_book_gap', { itemId, subcategory: 'Sleep' })
    expect(body).toEqual({ ok: true, fulfilledGaps: 1, notified: 1 })
    expect(await fulfilledNotices(server, author)).toHaveLength(1)
  })

  test('and has lost access since learns nothing new about the book', async () => {
    const { author, readers, itemId, listingId } = await publishedBook(server, { readers: 1, title: 'Old title' })
    const [reader] = readers as [Person]
    await reportGap(server, reader, itemId)
    await call(reader, 'unsubscribe_marketplace', { listingId })
    await call(author, 'enrich_item', { itemId, title: 'New title' })
    await call(author, 'resolve_book_gap', { itemId, subcategory: 'Sleep' })
    const notices = await fulfilledNotices(server, reader)
    expect(notices).toMatchObject([{ title: '"Old title" has what you asked for' }])
    expect(JSON.stringify(notices)).not.toContain('New title')
  })
})

describe('status changes', () => {
  test.for([
    ['OPEN', 'resolve_book_gap', 1, 'FULFILLED'],
    ['CLUSTERED', 'resolve_book_gap', 1, 'FULFILLED'],
    ['IN_PROGRESS', 'resolve_book_gap', 1, 'FULFILLED'],
    ['DISMISSED', 'resolve_book_gap', 0, 'DISMISSED'],
    ['FULFILLED', 'resolve_book_gap', 0, 'FULFILLED'],
    ['OPEN', 'dismiss_book_gap', 1, 'DISMISSED'],
    ['CLUSTERED', 'dismiss_book_gap', 1, 'DISMISSED'],
    ['IN_PROGRESS', 'dismiss_book_gap', 1, 'DISMISSED'],
    ['DISMISSED', 'dismiss_book_gap', 0, 'DISMISSED'],
    ['FULFILLED', 'dismiss_book_gap', 0, 'FULFILLED'],
    ['OPEN', 'restore_book_gap', 0, 'OPEN'],
    ['CLUSTERED', 'restore_book_gap', 0, 'CLUSTERED'],
    ['IN_PROGRESS', 'restore_book_gap', 0, 'IN_PROGRESS'],
    ['DISMISSED', 'restore_book_gap', 1, 'OPEN'],
    ['FULFILLED', 'restore_book_gap', 0, 'FULFILLED'],
    ['OPEN', 'CLUSTERED', 1, 'CLUSTERED'],
    ['OPEN', 'IN_PROGRESS', 1, 'IN_PROGRESS'],
    ['OPEN', 'OPEN', 0, 'OPEN'],
    ['CLUSTERED', 'IN_PROGRESS', 1, 'IN_PROGRESS'],
    ['IN_PROGRESS', 'OPEN', 1, 'OPEN'],
    ['DISMISSED', 'CLUSTERED', 0, 'DISMISSED'],
    ['FULFILLED', 'OPEN', 0, 'FULFILLED'],
  ] as const)('%s, %s: %i, %s', async ([from, move, count, to]) => {
    const { author, itemId } = await ownBook()
    const topic = { itemId, subcategory: 'Sleep' }
    const act = (name: string) =>
      name.endsWith('_gap') ? call(author, name, topic) : call(author, 'update_book_gap', { ...topic, status: name })
    await reportGap(server, author, itemId)
    if (from === 'FULFILLED') await act('resolve_book_gap')
    else if (from === 'DISMISSED') await act('dismiss_book_gap')
    else if (from !== 'OPEN') await act(from)
    const { status, body } = await act(move)
    const { ok, notified: _, ...counts } = body
    expect([status, ok, Object.values(counts)]).toEqual([200, true, [count]])
    expect(await statusOf(author, itemId)).toEqual({ Sleep: [to] })
  })

  test('of a topic apply to later reports: they get the status of the topic', async () => {
    const { author, readers, itemId } = await publishedBook(server, { readers: 2 })
    const [one, two] = readers as [Person, Person]
    await reportGap(server, one, itemId)
    await call(author, 'update_book_gap', { itemId, subcategory: 'Sleep', status: 'IN_PROGRESS' })
    await reportGap(server, two, itemId)
    expect(await listGapGroups(server, author, itemId, 'IN_PROGRESS')).toMatchObject([{ reporterCount: 2 }])
    expect(await listGapGroups(server, author, itemId)).toEqual([])
  })

  test("of a dismissed topic: another reader's report opens it again", async () => {
    const { author, readers, itemId } = await publishedBook(server, { readers: 2 })
    const [one, two] = readers as [Person, Person]
    await reportGap(server, one, itemId)
    await call(author, 'dismiss_book_gap', { itemId, subcategory: 'Sleep' })
    await reportGap(server, one, itemId)
    expect(await listGapGroups(server, author, itemId)).toEqual([])
    await reportGap(server, two, itemId)
    expect(await listGapGroups(server, author, itemId)).toMatchObject([{ reporterCount: 1 }])
    await call(author, 'restore_book_gap', { itemId, subcategory: 'Sleep' })
    expect(await listGapGroups(server, author, itemId)).toMatchObject([{ reporterCount: 2 }])
    for (const reader of readers) expect(await fulfilledNotices(server, reader)).toEqual([])
  })
})

describe.for(calls)('%s over %s', ([tool, transport, caller, count]) => {
  const act = (person: Person, input: Record<string, unknown>) =>
    caller.call(server, person, tool, tool === 'update_book_gap' ? { status: 'CLUSTERED', ...input } : input)
  const bare = { status: 400, mcpCode: 'INVALID_INPUT' }
  const ids = Array.from({ length: 101 }, (_, i) => `gap${i}`)

  test.for([
    ['neither ids nor a topic', {}, /Provide gapIds or subcategory$/],
    ['no ids', { gapIds: [] }, /Provide gapIds or subcategory$/],
    ['a blank topic', { subcategory: ' ' }, /Provide gapIds or subcategory$/],
    ['101 ids', { gapIds: ids }, /Too many gapIds \(max 100\)(\.|$)/],
    ['101 ids and a topic', { gapIds: ids, subcategory: 'Sleep' }, /Too many gapIds \(max 100\)(\.|$)/],
    ['ids that are not an array', { gapIds: 'x' }, /gapIds must be an array of strings(\.|$)/],
    ['ids that are not strings', { gapIds: [{ $ne: '' }] }, /gapIds\.0 must be a string(\.|$)/],
    ['a topic that is not a string', { subcategory: { $ne: '' } }, /subcategory must be a string(\.|$)/],
  ] as const)('refuses %s without a code', async ([, input, says]) => {
    const { author, itemId } = await ownBook()
    expectRefusal(await act(author, { itemId, ...input }), transport, { ...bare, message: says })
  })

  test('refuses books of others, also to readers, and unknown ones in the same way, without a code', async () => {
    const { author, readers, itemId } = await publishedBook(server, { readers: 1 })
    await reportGap(server, readers[0] as Person, itemId)
    const missing = { status: 404, mcpCode: 'NOT_FOUND', message: /Item not found$/ }
    for (const person of [await server.createPerson(), readers[0] as Person]) {
      expectRefusal(await act(person, { itemId, subcategory: 'Sleep' }), transport, missing)
      expectRefusal(await act(person, { itemId: 'unknown', subcategory: 'Sleep' }), transport, missing)
    }
    expect(await statusOf(author, itemId)).toEqual({ Sleep: ['OPEN'] })
  })

  test('ids take precedence over a topic, and ids of other books are ignored', async () => {
    const { author, itemId } = await ownBook()
    const [second, foreign] = [await makeBook(server, author), await ownBook()]
    const dismissed = tool === 'restore_book_gap'
    for (const [person, book] of [
      [author, itemId],
      [author, second],
      [foreign.author, foreign.itemId],
    ] as const) {
      for (const subcategory of ['Sleep', 'Song']) {
        await reportGap(server, person, book, { subcategory })
        if (dismissed) await call(person, 'dismiss_book_gap', { itemId: book, subcategory })
      }
    }
    const status = dismissed ? 'DISMISSED' : 'OPEN'
    const gapsOf = async (person: Person, book: string) =>
      (await listGapGroups(server, person, book, status)).find(({ subcategory }) => subcategory === 'Sleep')?.gapIds ??
      []
    const [own] = await gapsOf(author, itemId)
    const others = [...(await gapsOf(author, second)), ...(await gapsOf(foreign.author, foreign.itemId))]
    expect(others).toHaveLength(2)
    const { body } = await act(author, { itemId, gapIds: [own, own, ...others, 'unknown'], subcategory: 'Song' })
    expect(body).toMatchObject({ ok: true, [count]: 1 })
    expect((await statusOf(author, itemId))['Song']).toEqual([status])
    expect(await statusOf(author, second)).toEqual({ Sleep: [status], Song: [status] })
    expect(await statusOf(foreign.author, foreign.itemId)).toEqual({ Sleep: [status], Song: [status] })
  })

  test('a repeat changes nothing', async () => {
    const { author, itemId } = await ownBook()
    await reportGap(server, author, itemId)
    if (tool === 'restore_book_gap') await call(author, 'dismiss_book_gap', { itemId, subcategory: 'Sleep' })
    const results = []
    for (let i = 0; i < 3; i++) results.push((await act(author, { itemId, subcategory: 'SLEEP' })).body[count])
    expect(results).toEqual([1, 0, 0])
  })
})

test('update_book_gap refuses a status that the author cannot set', async () => {
  const { author, itemId } = await ownBook()
  for (const status of ['FULFILLED', 'DISMISSED', 'DONE', undefined]) {
    const answer = await call(author, 'update_book_gap', { itemId, subcategory: 'Sleep', status })
    expectRefusal(answer, 'rest', {
      status: 400,
      message: /^status (must be one of OPEN, CLUSTERED, IN_PROGRESS|is required)/,
    })
  }
})

test('with racing calls from two processes each request is fulfilled once and each reader notified once', async () => {
  const { author, readers, itemId } = await publishedBook(server, { readers: 6 })
  for (const reader of readers)
    for (const subcategory of ['A', 'B']) await reportGap(server, reader, itemId, { subcategory })
  const groups = await listGapGroups(server, author, itemId)
  const bodies = [{ subcategory: 'A' }, { subcategory: 'B' }, { gapIds: groups.flatMap(({ gapIds }) => gapIds) }]
  const post = (i: number) =>
    send({ baseUrl: replicas.baseUrls[i % 2] as string }, author.key, {
      method: 'POST',
      path: `/api/v1/items/${itemId}/gaps/fulfill`,
      body: bodies[i % bodies.length],
    })
  const answers = await Promise.all(Array.from({ length: 18 }, (_, i) => post(i)))
  expect(answers.filter(({ status }) => status !== 200).map(({ body }) => body)).toEqual([])
  expect(answers.reduce((sum, { body }) => sum + body.fulfilledGaps, 0)).toBe(12)
  for (const reader of readers) expect(await fulfilledNotices(server, reader)).toHaveLength(2)
})

test('with racing reports from two processes each reader has one request', async () => {
  const { author, readers, itemId } = await publishedBook(server, { readers: 3 })
  const path = `/api/v1/items/${itemId}/gaps`
  const post = (i: number) =>
    send({ baseUrl: replicas.baseUrls[i % 2] as string }, (readers[i % 3] as Person).key, {
      method: 'POST',
      path,
      body: { intent: `${i}`, category: 'science', subcategory: i % 4 === 0 ? 'SLEEP' : 'Sleep' },
    })
  await Promise.all(Array.from({ length: 24 }, (_, i) => post(i)))
  expect(await listGapGroups(server, author, itemId)).toMatchObject([{ reporterCount: 3, gapIds: [{}, {}, {}] }])
})
