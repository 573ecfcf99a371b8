import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { appendItemPages } from '../../../src/writing/append-item-pages.ts'
import { putItemPage } from '../../../src/writing/put-item-page.ts'
import { deleteItems } from '../../../src/books/delete-items.ts'
import { mcp, rest, transports, type ToolResponse } from '../../support/transports.ts'
import { makeBook, markdownPages } from '../../support/make-book.ts'
import { plansEnvironment } from '../../support/plans-environment.ts'
import { readsUsed } from '../../support/charge-reads.ts'
import { largestAnswer } from '../../support/collect-text.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import { startTestServer, type Person, type TestServer } from '../../support/server.ts'
import { contextOf } from '../../support/context.ts'
import { storedPages } from '../../support/stored-pages.ts'

let server: TestServer

beforeAll(async () => {
  const plans = await plansEnvironment({ tier: 'TINY', itemLimit: 1 }, { tier: 'NO_READS', monthlyReadLimit: 0 })
  server = await startTestServer({ LECTERN_ROLE: 'web', ...plans })
})
afterAll(() => server.close())

const content = [
  '# Ships\n\nA ship sailed from Zürich with forty ﬁshermen, who “never came back”; it was docu-\nmented.\n',
  '# Whales\n\nThe *narwhal* has a long tusk of ivory and lives in the cold sea of the north.\n',
  '# Birds\n\nThe albatross sleeps while it is flying over the southern ocean.\n',
  '# Empty\n',
  '# Fish\n\nThe herring lives in shoals of many thousands and is eaten by whales and people. The voyage goes on\n',
  '# Voyage\n\nand the ship comes home.\n',
  '# Again\n\nA ship sailed from Zürich. The herring lives in shoals, but smaller ones.\n',
].join('')

async function library(options?: Parameters<TestServer['createPerson']>[0]) {
  const person = await server.createPerson(options)
  return { person, book: await makeBook(server, person, { title: 'The Sea', content }) }
}

async function edit(person: Person, id: string, page: { pageNum: number; content: string }) {
  await putItemPage(await contextOf(server, person), { id, ...page })
}

describe.for(transports)('check_citations over %s', ([name, transport]) => {
  const check = (person: Pick<Person, 'key'>, ...citations: object[]): Promise<ToolResponse> =>
    transport.call(server, person, 'check_citations', { citations })
  const checkOne = async (person: Pick<Person, 'key'>, citation: object) => {
    const { body } = await check(person, citation)
    return body.citations[0]
  }

  test('returns the position of a quote on its page, with every field', async () => {
    const { person, book } = await library()
    const { body, status } = await check(person, { itemId: book, page: 2, quote: 'The *narwhal* has' })
    expect(status).toBe(200)
    expect(body).toEqual({
      citations: [
        {
          itemId: book,
          page: 2,
          version: 1,
          found: true,
          match: 'exact',
          start: 10,
          end: 27,
          endPage: 2,
          otherPages: [],
          nearest: null,
          currentVersion: 1,
          changed: false,
          url: `${server.baseUrl}/books/${book}/pages/2?v=1#quote=The%20*narwhal*%20has`,
        },
      ],
      notFound: [],
    })
  })

  test('finds a quote with other quotes, ligatures, line ends and marks, as normalized', async () => {
    const { person, book } = await library()
    const row = await checkOne(person, {
      itemId: book,
      page: 1,
      quote: 'forty fishermen, who "never came back"; it was documented',
    })
    expect(row).toMatchObject({ found: true, match: 'normalized' })
    const [page] = await storedPages(server, person, { id: book })
    expect(page?.slice(row.start, row.end)).toBe('forty ﬁshermen, who “never came back”; it was docu-\nmented')
  })

  test('returns the other page that has a quote, near or far, without a nearest passage', async () => {
    const { person, book } = await library()
    const near = await checkOne(person, { itemId: book, page: 1, quote: 'The albatross sleeps' })
    expect(near).toMatchObject({
      found: false,
      match: null,
      start: null,
      endPage: null,
      otherPages: [3],
      nearest: null,
    })
    const far = await checkOne(person, { itemId: book, page: 4, quote: 'A ship sailed from Zürich' })
    expect(far).toMatchObject({ found: false, otherPages: [1, 7], nearest: null })
    expect(far).not.toHaveProperty('incomplete')
  })

  test('finds a quote that continues on the next page, from the page where it begins', async () => {
    const { person, book } = await library()
    const quote = 'The voyage goes on Voyage and the ship comes home.'
    const row = await checkOne(person, { itemId: book, page: 5, quote })
    expect(row).toMatchObject({ found: true, match: 'normalized', endPage: 6, otherPages: [] })
    const pages = await storedPages(server, person, { id: book })
    expect(pages[4]?.slice(row.start)).toBe('The voyage goes on\n')
    expect(pages[5]?.slice(0, row.end)).toBe('# Voyage\n\nand the ship comes home.')
    expect(await checkOne(person, { itemId: book, page: 6, quote })).toMatchObject({ found: false, otherPages: [5] })
  })

  test('returns the nearest passage if the caller has sent most of it', async () => {
    const { person, book } = await library()
    const quote = 'The narwhal has a short tusk of ivory and lives in the cold sea of the north'
    const row = await checkOne(person, { itemId: book, page: 3, quote })
    const passage = 'The *narwhal* has a long tusk of ivory and lives in the cold sea of the north'
    expect(row).toMatchObject({ found: false, otherPages: [], nearest: { page: 2, passage } })
    expect(row.nearest.similarity).toBeGreaterThan(0.85)
    expect(row.nearest.similarity).toBeLessThan(1)
  })

  test('returns only the position of a less similar passage', async () => {
    const { person, book } = await library()
    const { nearest } = await checkOne(person, { itemId: book, page: 2, quote: 'elephants live in the warm sea' })
    expect(nearest).toEqual({
      page: 2,
      start: expect.any(Number),
      end: expect.any(Number),
      similarity: expect.any(Number),
    })
    expect(await checkOne(person, { itemId: book, page: 2, quote: 'xyzzy' })).toMatchObject({ nearest: null })
  })

  test('checks the cited version and reports whether the page has changed since', async () => {
    const { person, book } = await library()
    await edit(person, book, { pageNum: 2, content: '# Whales\n\nNew words.\n' })
    const quote = 'has a long tusk'
    const old = await checkOne(person, { itemId: book, page: 2, quote, version: 1 })
    expect(old).toMatchObject({ found: true, version: 1, currentVersion: 2, changed: true })
    expect(old.url).toBe(`${server.baseUrl}/books/${book}/pages/2?v=1#quote=has%20a%20long%20tusk`)
    const same = await checkOne(person, { itemId: book, page: 1, quote: 'A ship sailed', version: 1 })
    expect(same).toMatchObject({ found: true, version: 1, currentVersion: 2, changed: false })
    const now = await checkOne(person, { itemId: book, page: 2, quote })
    expect(now).toMatchObject({ found: false, version: 2, changed: false, otherPages: [] })
    await edit(person, book, {
      pageNum: 2,
      content: '# Whales\n\nThe *narwhal* has a long tusk of ivory and lives in the cold sea of the north.\n',
    })
    // A new version with the same text.
    const again = await checkOne(person, { itemId: book, page: 2, quote, version: 1 })
    expect(again).toMatchObject({ found: true, currentVersion: 3, changed: false })
  })

  test.for<[what: string, change: object, code: string, says: RegExp]>([
    ['a page beyond the end', { page: 8 }, 'PAGE_NOT_FOUND', /Version 1 of this book has 7 pages/],
    ['a future version', { version: 2 }, 'VERSION_NOT_FOUND', /This book has only version 1\./],
    ['an unknown book', { itemId: 'nope' }, 'BOOK_NOT_FOUND', /no book in your library has this id/],
  ])('reports that %s cannot be checked', async ([, change, code, says]) => {
    const { person, book } = await library()
    const citation = { itemId: book, page: 1, quote: 'A ship', ...change }
    const row = await checkOne(person, citation)
    expect(row).toMatchObject({ itemId: citation.itemId, found: false, match: null, version: null, url: null })
    expect(row.problem).toEqual({ code, message: expect.stringMatching(says) })
  })

  test('returns every citation in order, and unknown books in notFound', async () => {
    const { person, book } = await library()
    const foreign = await makeBook(server, await server.createPerson(), { content })
    const { body } = await check(
      person,
      { itemId: foreign, page: 1, quote: 'A ship' },
      { itemId: book, page: 3, quote: 'albatross' },
      { itemId: 'nope', page: 1, quote: 'A ship' },
      { itemId: book, page: 1, quote: 'A ship' },
      { itemId: book, page: 3, quote: 'albatross' },
    )
    const rows = body.citations as { itemId: string; found: boolean }[]
    expect(rows.map(({ itemId }) => itemId)).toEqual([foreign, book, 'nope', book, book])
    expect(rows.map(({ found }) => found)).toEqual([false, true, false, true, true])
    expect(body.notFound).toEqual([foreign, 'nope'])
    expect(body).not.toHaveProperty('locked')
  })

  test('confirms nothing in a locked book, and refuses when all books are locked', async () => {
    const { person, book } = await library()
    const locked = await makeBook(server, person, { content })
    await server.running.opened.services.accounts.change(person.id, { tier: 'TINY' })
    const { body } = await check(
      person,
      { itemId: locked, page: 1, quote: 'A ship' },
      { itemId: book, page: 1, quote: 'A ship' },
    )
    expect(body.citations).toMatchObject([
      { found: false, nearest: null, problem: { code: 'BOOK_LOCKED' } },
      { found: true },
    ])
    expect(body.locked).toMatchObject([{ id: locked, code: 'ITEM_LOCKED' }])
    const all = await check(person, { itemId: locked, page: 1, quote: 'A ship' })
    expectRefusal(all, name, { status: 403, code: 'ITEM_LOCKED', message: /This book is locked/ })
  })

  test('confirms nothing beyond a preview or in its earlier versions', async () => {
    const { services } = server.running.opened
    const seller = await server.createPerson({ plan: 'PRO' })
    const book = await makeBook(server, seller, { content })
    await edit(seller, book, { pageNum: 1, content: '# Ships\n\nNo ship.\n' })
    const { body: made } = await rest.call(server, seller, 'publish_listing', { itemId: book, proOnly: true })
    const reader = await server.createPerson({ plan: 'FREE' })
    await rest.call(server, reader, 'subscribe_marketplace', { listingId: made.listing.id })
    expect(services.plans.byTier('FREE').previewPages).toBe(2)
    const { body } = await check(
      reader,
      { itemId: book, page: 2, quote: 'The narwhal has a long tusk' },
      { itemId: book, page: 1, quote: 'The albatross sleeps while it is flying' },
      { itemId: book, page: 3, quote: 'The albatross sleeps' },
      { itemId: book, page: 1, quote: 'A ship sailed', version: 1 },
      { itemId: book, page: 2, quote: 'of the north. Birds The albatross sleeps' },
    )
    expect(body.citations).toMatchObject([
      { found: true, page: 2 },
      { found: false, otherPages: [] },
      { found: false, problem: { code: 'PREVIEW_ONLY', message: expect.stringMatching(/the first 2 pages/) } },
      { found: false, problem: { code: 'PREVIEW_ONLY' }, version: null },
      { found: false, otherPages: [] },
    ])
    expect(JSON.stringify(body)).not.toContain('southern')
    expect(body.citations[1].nearest?.page ?? 1).toBeLessThanOrEqual(2)
  })

  test('charges no read and works with none left', async () => {
    const { person, book } = await library({ plan: 'NO_READS' })
    const { body } = await check(person, { itemId: book, page: 1, quote: 'A ship' })
    expect(body.citations).toMatchObject([{ found: true }])
    expect(await readsUsed(server, person)).toBe(0)
  })

  test('accepts 50 citations of 50 books and of one book', async () => {
    const person = await server.createPerson()
    const ids: string[] = []
    for (let i = 0; i < 50; i++) ids.push(await makeBook(server, person, { content: markdownPages(3) }))
    const many = await check(person, ...ids.map((itemId) => ({ itemId, page: 2, quote: 'text 2' })))
    expect(many.body.citations.every(({ found }: { found: boolean }) => found)).toBe(true)
    const book = await makeBook(server, person, { content: markdownPages(60) })
    const wrong = Array.from({ length: 50 }, (_, at) => ({ itemId: book, page: at + 1, quote: `text ${at + 9}` }))
    const one = await check(person, ...wrong)
    const others = (one.body.citations as { otherPages: number[] }[]).map(({ otherPages }) => otherPages)
    expect(others).toEqual(wrong.map((_, at) => [at + 9]))
    for (const answer of [many, one]) expect(largestAnswer([answer]).characters).toBeLessThanOrEqual(60_000)
  })

  test('checks quotes of 2,000 characters against a page of 1 MB', async () => {
    const person = await server.createPerson()
    const unit = 'The (sea) is [big]+ and $deep^. '
    const book = await makeBook(server, person, { content: unit.repeat(31_000) })
    const quote = unit.repeat(62).trim()
    const { body } = await check(
      person,
      { itemId: book, page: 1, quote },
      { itemId: book, page: 1, quote: `${quote.slice(0, 1900)} is not so` },
      { itemId: book, page: 1, quote: 'a'.repeat(2000) },
      { itemId: book, page: 1, quote: '(a+)+$'.repeat(300) },
    )
    expect(body.citations).toMatchObject([
      { found: true, match: 'exact', start: 0 },
      { found: false, nearest: { page: 1 } },
      { found: false, nearest: null },
      { found: false },
    ])
  })

  test.for<[what: string, input: object, says: RegExp]>([
    ['no input', {}, /citations is required/],
    ['an empty list', { citations: [] }, /citations must be at least 1/],
    [
      '51',
      { citations: Array.from({ length: 51 }, () => ({ itemId: 'x', page: 1, quote: 'x' })) },
      /citations must be at most 50/,
    ],
    ['page 0', { citations: [{ itemId: 'x', page: 0, quote: 'x' }] }, /citations\.0\.page must be at least 1/],
    ['no quote', { citations: [{ itemId: 'x', page: 1 }] }, /quote is required/],
    ['a blank quote', { citations: [{ itemId: 'x', page: 1, quote: ' \n* ' }] }, /quote must hold text/],
    ['a quote of 2,001 characters', { citations: [{ itemId: 'x', page: 1, quote: 'x'.repeat(2001) }] }, /at most 2000/],
    [
      'a quote with a lone surrogate',
      { citations: [{ itemId: 'x', page: 1, quote: 'x\ud800' }] },
      /well-formed Unicode/,
    ],
    ['version 0', { citations: [{ itemId: 'x', page: 1, quote: 'x', version: 0 }] }, /version must be at least 1/],
  ])('refuses %s', async ([, input, says]) => {
    const answer = await transport.call(
      server,
      await server.createPerson(),
      'check_citations',
      input as Record<string, unknown>,
    )
    expectRefusal(answer, name, { status: 400, code: 'INVALID_INPUT', message: says })
  })
})

test('over MCP an answer that would be too large omits passages and keeps their positions', async () => {
  const person = await server.createPerson()
  const words = Array.from({ length: 250 }, (_, at) => `word${at}`).join(' ')
  const book = await makeBook(server, person, { content: `${words}\n` })
  const citations = Array.from({ length: 50 }, () => ({
    itemId: book,
    page: 1,
    quote: words.replace('word100', 'else'),
  }))
  const answer = await mcp.call(server, person, 'check_citations', { citations })
  expect(largestAnswer([answer]).characters).toBeLessThanOrEqual(60_000)
  const passages = (body: { citations: { nearest: { start: number; passage?: string } }[] }) =>
    body.citations.filter(({ nearest }) => nearest.passage !== undefined).length
  expect(passages(answer.body)).toBeGreaterThan(10)
  expect(passages(answer.body)).toBeLessThan(50)
  expect(answer.body.citations[49].nearest).toMatchObject({ page: 1, start: 0 })
  const whole = await rest.call(server, person, 'check_citations', { citations })
  expect(passages(whole.body)).toBe(50)
})

test('over REST 60 calls a minute are allowed', async () => {
  const person = await server.createPerson()
  const call = () => rest.call(server, person, 'check_citations', {})
  for (let i = 0; i < 60; i++) expect((await call()).status).toBe(400)
  expectRefusal(await call(), 'rest', { status: 429, code: 'RATE_LIMITED', message: /Too many requests/ })
})

test('the work of one call is bounded: it reports unchecked citations, which a smaller call checks', async () => {
  const person = await server.createPerson()
  const ids: string[] = []
  for (let i = 0; i < 10; i++)
    ids.push(await makeBook(server, person, { content: `${'-a'.repeat(490_000)} book ${i}\n` }))
  const citations = ids.map((itemId, i) => ({ itemId, page: 1, quote: `book ${i}` }))
  const { body } = await rest.call(server, person, 'check_citations', { citations })
  const rows = body.citations as { found: boolean; problem?: { code: string } }[]
  const unchecked = rows.filter(({ problem }) => problem?.code === 'NOT_CHECKED')
  expect(unchecked.length).toBeGreaterThan(0)
  expect(rows.filter(({ found }) => found)).toHaveLength(10 - unchecked.length)
  expect(rows[0]).toMatchObject({ found: true })
  const again = await rest.call(server, person, 'check_citations', { citations: citations.slice(-1) })
  expect(again.body.citations).toMatchObject([{ found: true }])
})

test('a book too large to be searched is reported as incomplete', async () => {
  const person = await server.createPerson()
  const book = await makeBook(server, person, { content: `# A\n${'# b\nc-d\n'.repeat(900)}` })
  const ctx = await contextOf(server, person)
  for (let i = 0; i < 8; i++)
    await appendItemPages(ctx, { id: book, content: `${'-a'.repeat(495_000)}\n`, position: 'end' })
  const check = async (citation: object) => {
    const { body } = await rest.call(server, person, 'check_citations', { citations: [citation] })
    return body.citations[0]
  }
  // The last page is now too large to be checked.
  const last = await check({ itemId: book, page: 901, quote: 'c' })
  expect(last).toMatchObject({
    found: false,
    problem: { code: 'NOT_CHECKED', message: expect.stringMatching(/2000000/) },
  })
  expect(await check({ itemId: book, page: 1, quote: 'zzz' })).toMatchObject({ found: false, incomplete: true })
  // Citations of nearby pages can still be checked.
  expect(await check({ itemId: book, page: 900, quote: 'c-d' })).toMatchObject({ found: true })
  expect(await check({ itemId: book, page: 900, quote: 'b c-e' })).toMatchObject({
    found: false,
    nearest: { page: 900 },
  })
})

test('a version of a deleted book cannot be checked', async () => {
  const { person, book } = await library()
  await deleteItems(await contextOf(server, person), { ids: [book] })
  const citations = [{ itemId: book, page: 1, quote: 'A ship', version: 1 }]
  const { body } = await rest.call(server, person, 'check_citations', { citations })
  expect(body.citations).toMatchObject([{ found: false, problem: { code: 'BOOK_NOT_FOUND' } }])
})
