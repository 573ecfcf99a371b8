import * as fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { reportBookGap } from '../../../src/gaps/report-gap.ts'
import { systemOwner } from '../../../src/books/book.ts'
import { mcp, rest, send, transports } from '../../support/transports.ts'
import { reportGap, listGapGroups, publishedBook, storedText } from '../../support/gaps.ts'
import { makeBook } from '../../support/make-book.ts'
import { publishBook, subscribe } from '../../support/marketplace.ts'
import { plansEnvironment } from '../../support/plans-environment.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import { anySecret } from '../../support/any-secret.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { contextOf } from '../../support/context.ts'

const server = useTestServer({ LECTERN_ROLE: 'web', ...(await plansEnvironment({ tier: 'ONE', itemLimit: 1 })) })
let author: Person
let itemId: string

beforeAll(async () => {
  author = await server.createPerson()
  itemId = await makeBook(server, author, { title: 'Whales' })
})

const report = { intent: 'How do whales sleep?', category: 'science', subcategory: 'Sleep' }
const rows = (filter: object) =>
  server.running.opened.database.db.collection('gaps').find(filter).sort({ _id: 1 }).toArray()
const paths = (id: string) => [`/api/v1/items/${id}/gaps`, '/api/v1/librarian/gaps']

describe('over REST every report gets the same response', () => {
  const bodies: [what: string, body: unknown][] = [
    ['a valid one', report],
    ['no body', undefined],
    ['no JSON', '{"intent": '],
    ['no object', '[1]'],
    ['no field', {}],
    ['an intent of 1,001 characters', { ...report, intent: 'x'.repeat(1001) }],
    ['a category of 101 characters', { ...report, category: 'x'.repeat(101) }],
    ['a subcategory of 201 characters', { ...report, subcategory: 'x'.repeat(201) }],
    ['a blank subcategory', { ...report, subcategory: ' \n' }],
    ['a section of 201 characters', { ...report, aboutSection: 'x'.repeat(201) }],
    ['a title of 501 characters', { ...report, suggestedTitle: 'x'.repeat(501) }],
    ['an author of 201 characters', { ...report, suggestedAuthor: 'x'.repeat(201) }],
    ['a lone surrogate', { ...report, intent: '\ud800' }],
    ['numbers for texts', { ...report, intent: 1 }],
    ['a body of more than 1 MiB', { ...report, intent: 'x'.repeat(1024 * 1024) }],
    ['operators for texts', { ...report, subcategory: { $ne: '' } }],
  ]

  test.for(bodies)('%s', async ([, body]) => {
    const person = await server.createPerson()
    for (const path of paths(itemId)) {
      const answer = await send(server, person.key, { method: 'POST', path, body })
      expect([answer.status, answer.body]).toEqual([200, { ok: true }])
    }
  })

  test('a bad Idempotency-Key', async () => {
    for (const path of paths(itemId)) {
      const headers = { 'Idempotency-Key': 'x'.repeat(300) }
      expect(await send(server, author.key, { method: 'POST', path, body: report, headers })).toMatchObject({
        status: 200,
        body: { ok: true },
      })
    }
  })

  test("whether the book is unknown, another account's or the caller's", async () => {
    const stranger = await server.createPerson()
    const answers = []
    for (const [person, id] of [
      [stranger, 'unknown'],
      [stranger, itemId],
      [author, itemId],
    ] as const) {
      const { status, text, headers } = await reportGap(server, person, id)
      answers.push([status, text, [...headers.keys()].sort()])
    }
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
  })

  test('but not without a key, or with a key that may not read', async () => {
    for (const path of paths(itemId)) {
      expect((await send(server, null, { method: 'POST', path, body: report })).status).toBe(401)
      expect((await send(server, 'ck_oauth_x', { method: 'POST', path, body: report })).status).toBe(401)
      const { key } = await server.createPerson({ scopes: ['marketplace:read'] })
      const answer = await send(server, key, { method: 'POST', path, body: report })
      expectRefusal(answer, 'rest', { status: 403, code: 'INSUFFICIENT_SCOPE', message: /library:read/ })
    }
  })

  test('and an internal error is still reported', async () => {
    const { services } = server.running.opened
    const { add } = services.gaps
    services.gaps.add = () => Promise.reject(new TypeError('broken'))
    const answer = await reportGap(server, author, itemId, { subcategory: 'Broken' }).finally(
      () => (services.gaps.add = add),
    )
    expect(answer).toMatchObject({ status: 500, body: { error: 'Internal error' } })
  })
})

test('over MCP invalid input is refused with the reason', async () => {
  for (const [input, says] of [
    [{ ...report, intent: 'x'.repeat(1001) }, /intent must be at most 1000 characters long/],
    [{ ...report, subcategory: ' ' }, /subcategory must not be blank/],
    [{ ...report, category: undefined }, /category is required/],
    [{ ...report, itemId }, /itemId: unknown field/],
  ] as const) {
    const answer = await mcp.call(server, author, 'report_gap', input)
    expectRefusal(answer, 'mcp', { status: 400, code: 'INVALID_INPUT', message: says })
  }
})

describe('a stored report', () => {
  test("about a book goes to its author, in the reader's own words", async () => {
    const { author: owner, readers, itemId: book } = await publishedBook(server, { readers: 1, title: 'Seas' })
    const [reader] = readers as [Person]
    await reportGap(server, reader, book, { intent: ' Why salt? ', category: ' SCIENCE', aboutSection: 'Chapter 2' })
    const [group] = await listGapGroups(server, owner, book)
    expect(group).toEqual({
      subcategory: 'Sleep',
      category: 'science',
      reporterCount: 1,
      sampleIntent: 'Why salt?',
      aboutSection: 'Chapter 2',
      status: 'OPEN',
      latestAt: expect.stringMatching(/^\d{4}-.*Z$/),
      gapIds: [expect.stringMatching(/^[a-z0-9]{26}$/)],
    })
  })

  test.for([
    ['knitting', 'other'],
    ['', 'other'],
    ['Philosophy', 'philosophy'],
  ] as const)('the category %s is %s', async ([category, kept]) => {
    const book = await makeBook(server, author)
    await reportGap(server, author, book, { category })
    expect(await listGapGroups(server, author, book)).toMatchObject([{ category: kept }])
  })

  test('limits count code points', async () => {
    const book = await makeBook(server, author)
    await reportGap(server, author, book, { intent: '🐋'.repeat(1000), subcategory: '🐋'.repeat(200) })
    expect(await listGapGroups(server, author, book)).toMatchObject([{ sampleIntent: '🐋'.repeat(1000) }])
  })

  test('from an agent goes to the author with aboutItemId, otherwise to the librarians', async () => {
    const book = await makeBook(server, author)
    const about = { ...report, aboutItemId: book, aboutSection: 'p. 3', suggestedTitle: 'Moby' }
    expect((await mcp.call(server, author, 'report_gap', about)).body).toEqual({ ok: true })
    expect(await listGapGroups(server, author, book)).toMatchObject([{ reporterCount: 1, aboutSection: 'p. 3' }])
    const reader = await server.createPerson()
    const asked = { ...report, suggestedTitle: 'Moby Dick', suggestedAuthor: 'Melville' }
    for (const suggestedTitle of ['Moby Dick', 'MOBY DICK']) {
      expect((await mcp.call(server, reader, 'report_gap', { ...asked, suggestedTitle })).body).toEqual({ ok: true })
    }
    await rest.call(server, reader, 'report_gap', {
      ...report,
      suggestedTitle: null,
      suggestedAuthor: null,
    })
    expect(await rows({ readerId: reader.id })).toMatchObject([
      { itemId: null, ownerId: systemOwner, suggestedTitle: 'Moby Dick', suggestedAuthor: 'Melville', status: 'OPEN' },
      { itemId: null, ownerId: systemOwner, suggestedTitle: null, suggestedAuthor: null },
    ])
  })

  test('on a built-in book goes to the librarians', async () => {
    const book = await makeBook(server, { id: systemOwner }, { title: 'Built in' })
    const reader = await server.createPerson()
    await reportGap(server, reader, book)
    expect(await rows({ readerId: reader.id })).toMatchObject([{ itemId: book, ownerId: systemOwner }])
  })
})

describe('a report is dropped', () => {
  test('from a stranger, and from a reader who has removed the book', async () => {
    const { author: owner, readers, itemId: book, listingId } = await publishedBook(server, { readers: 1 })
    const [reader] = readers as [Person]
    await reportGap(server, await server.createPerson(), book)
    await rest.call(server, reader, 'unsubscribe_marketplace', { listingId })
    await reportGap(server, reader, book)
    expect(await listGapGroups(server, owner, book)).toEqual([])
  })

  test('from a reader of a preview, but not in the launch window or with the right plan', async () => {
    const owner = await server.createPerson()
    const pro = await publishBook(server, owner, { terms: { proOnly: true } })
    const open = await publishBook(server, owner, {
      terms: { proOnly: true, freeUntil: new Date(Date.now() + 3_600_000).toISOString() },
    })
    const [free, paying] = [await server.createPerson({ plan: 'FREE' }), await server.createPerson({ plan: 'PRO' })]
    for (const person of [free, paying]) {
      for (const { listingId } of [pro, open]) await subscribe(server, person, listingId)
      for (const { itemId: book } of [pro, open]) await reportGap(server, person, book)
    }
    expect(await listGapGroups(server, owner, pro.itemId)).toMatchObject([{ reporterCount: 1 }])
    expect(await listGapGroups(server, owner, open.itemId)).toMatchObject([{ reporterCount: 2 }])
  })

  test('about a book that the plan locks', async () => {
    const { services } = server.running.opened
    const { author: owner, itemId: book, listingId } = await publishedBook(server, { readers: 0 })
    const reader = await server.createPerson()
    await makeBook(server, reader)
    await subscribe(server, reader, listingId)
    await services.accounts.change(reader.id, { tier: 'ONE' })
    await reportGap(server, reader, book)
    expect(await listGapGroups(server, owner, book)).toEqual([])
  })
})

describe('a topic is reported once', () => {
  test('by one reader in 30 days, in any spelling', async () => {
    const book = await makeBook(server, author)
    for (const subcategory of ['Café  Racers', 'cafe racers', ' CAFÉ RACERS ', 'cafe\u0301\tracers']) {
      await reportGap(server, author, book, { subcategory, intent: subcategory })
    }
    for (const subcategory of ['C', 'C++', 'C#', 'कि', 'का']) await reportGap(server, author, book, { subcategory })
    const groups = await listGapGroups(server, author, book)
    expect(groups.map(({ gapIds }) => gapIds.length)).toEqual([1, 1, 1, 1, 1, 1])
    expect(groups.at(-1)).toMatchObject({ subcategory: 'Café  Racers', sampleIntent: 'Café  Racers' })
  })

  test('by parallel reports', async () => {
    const book = await makeBook(server, author)
    const answers = await Promise.all(Array.from({ length: 20 }, () => reportGap(server, author, book)))
    expect(answers.every(({ ok }) => ok)).toBe(true)
    expect(await rows({ itemId: book })).toHaveLength(1)
  })

  test('in 30 days; afterwards it is renewed, and reopened if it was dismissed', async () => {
    const book = await makeBook(server, author)
    const { services } = server.running.opened
    const day = 24 * 60 * 60 * 1000
    const later = async (days: number, subcategory: string) => {
      services.now = () => new Date(Date.now() + days * day)
      await reportGap(server, author, book, { subcategory, intent: `day ${days}` }).finally(() => {
        services.now = () => new Date()
      })
    }
    await later(0, 'Old')
    await later(0, 'Set aside')
    const first = (await listGapGroups(server, author, book)).find(({ subcategory }) => subcategory === 'Old')
    await rest.call(server, author, 'dismiss_book_gap', { itemId: book, subcategory: 'Set aside' })
    for (const days of [29, 31]) for (const topic of ['Old', 'Set aside']) await later(days, topic)
    const groups = await listGapGroups(server, author, book)
    expect(groups.map(({ sampleIntent, reporterCount }) => [sampleIntent, reporterCount])).toEqual([
      ['day 31', 1],
      ['day 31', 1],
    ])
    expect(groups.map(({ gapIds }) => gapIds[0])).toContain(first?.gapIds[0])
    expect(await listGapGroups(server, author, book, 'DISMISSED')).toEqual([])
  })

  test('by parallel reports after 30 days, one of which renews it', async () => {
    const book = await makeBook(server, author)
    await reportGap(server, author, book)
    const { db } = server.running.opened.database
    await db.collection('gaps').updateOne({ itemId: book }, { $set: { reportedAt: new Date(0) } })
    await Promise.all(Array.from({ length: 10 }, (_, i) => reportGap(server, author, book, { intent: `${i}` })))
    const [row, ...more] = await rows({ itemId: book })
    expect(more).toEqual([])
    expect(row?.['reportedAt'].getTime()).toBeGreaterThan(0)
    expect(row).not.toHaveProperty('unsettledAt')
  })

  test('and a reader can report about 100 topics to an author in 30 days', async () => {
    const book = await makeBook(server, author)
    const ctx = await contextOf(server, author)
    for (let i = 0; i < 103; i++) {
      await reportBookGap(ctx, { itemId: book, intent: 'x', category: 'other', subcategory: `topic ${i}` })
    }
    expect(await rows({ itemId: book })).toHaveLength(100)
  })
})

describe('no secret is stored', () => {
  test.for(transports)('in any field, over %s', async ([name, transport]) => {
    const person = await server.createPerson()
    const book = await makeBook(server, person)
    const secret = (field: string) => `${field}.${name}@example.com`
    const words = { intent: `mail ${secret('intent')}`, category: secret('category'), subcategory: secret('sub') }
    const suggested = { suggestedTitle: `T ${secret('title')}`, suggestedAuthor: secret('author') }
    const tool = name === 'rest' ? 'report_book_gap' : 'report_gap'
    const about = name === 'rest' ? { itemId: book } : { aboutItemId: book }
    await transport.call(server, person, tool, { ...words, ...about, aboutSection: secret('section') })
    await transport.call(server, person, 'report_gap', { ...words, ...suggested })
    expect(await rows({ readerId: person.id })).toHaveLength(2)
    expect(await storedText(server)).not.toMatch(/@example\.com/)
    expect(await listGapGroups(server, person, book)).toMatchObject([
      { subcategory: '[email]', category: 'other', sampleIntent: 'mail [email]', aboutSection: '[email]' },
    ])
  })

  test('of any kind', async () => {
    const ctx = await contextOf(server, author)
    const kept: string[] = []
    const { gaps } = ctx
    const watched = {
      ...ctx,
      gaps: {
        ...gaps,
        async add(...[gap, since]: Parameters<typeof gaps.add>) {
          kept.push(JSON.stringify(gap))
          return gaps.add(gap, since)
        },
      },
    }
    const field = fc.tuple(fc.lorem({ maxCount: 4 }), anySecret).map(([words, secret]) => ({ words, secret }))
    const book = await makeBook(server, author)
    const { db } = server.running.opened.database
    const check = async (one: { words: string; secret: string }, two: { words: string; secret: string }) => {
      const intent = `${one.words} ${one.secret}`
      const subcategory = `${two.secret}, ${two.words}`
      await reportBookGap(watched, { itemId: book, intent, category: 'other', subcategory, aboutSection: one.secret })
      const stored = JSON.stringify(await db.collection('gaps').find({ itemId: book }).toArray())
      await db.collection('gaps').deleteMany({ itemId: book })
      for (const { secret } of [one, two]) {
        const quoted = JSON.stringify(secret).slice(1, -1)
        expect(stored).not.toContain(quoted)
        expect(kept.at(-1)).not.toContain(quoted)
        expect(stored).toContain('"reportedAt"')
      }
    }
    await fc.assert(fc.asyncProperty(field, field, check), { numRuns: 150 })
  })
})
