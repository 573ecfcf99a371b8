import type { CommandStartedEvent } from 'mongodb'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createLog } from '../../../src/app/log.ts'
import { categories } from '../../../src/marketplace/categories.ts'
import { refreshStaleIndex } from '../../../src/search/index/refresh-stale-index.ts'
import { mcp, rest, send, type ToolResponse } from '../../support/transports.ts'
import { browse, publishBook, subscribe, type PublishedBook } from '../../support/marketplace.ts'
import { largestAnswer } from '../../support/collect-text.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import { startTestServer, type Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let publisher: Person
const books: Record<string, PublishedBook> = {}

const titles = ({ body }: ToolResponse) => body.listings.map(({ item }: { item: { title: string } }) => item.title)

/** The two transports, with queries that name some fields differently. */
const browsers: [string, (input: Record<string, unknown>) => Promise<ToolResponse>][] = [
  [
    'the public route',
    async ({ query, ...filters }) => {
      const search = query === undefined ? {} : { search: query }
      return browse(server, `?${new URLSearchParams({ ...search, ...filters } as Record<string, string>)}`)
    },
  ],
  ['MCP', async (input) => mcp.call(server, await server.createPerson(), 'browse_marketplace', input)],
]

beforeAll(async () => {
  publisher = await server.createPerson()
  const offers = [
    ['Éclair Baking', { category: 'other', tags: ['Sweet things', 'café'] }],
    ['Zen and Distributed Systems', { category: 'programming', tags: ['Go', 'sweet-things'] }],
    ['able seamen', { category: 'history', proOnly: true }],
    ['“Brackish” Waters', { category: 'science', proOnly: true, tags: ['go'] }],
    ['量子力学の基礎', { category: 'science' }],
  ] as const
  for (const [title, terms] of offers) {
    const description = title.startsWith('able') ? 'About Žofia’s ships' : undefined
    books[title] = await publishBook(server, publisher, { title, description, terms })
  }
  const reader = await server.createPerson()
  for (const title of ['able seamen', '量子力学の基礎']) await subscribe(server, reader, books[title]?.listingId ?? '')
  await subscribe(server, await server.createPerson(), books['able seamen']?.listingId ?? '')
})

test('a listing has every field of the contract and no other', async () => {
  const { body, status } = await browse(server, '?search=éclair')
  expect(status).toBe(200)
  expect(body).toEqual({
    listings: [
      {
        id: books['Éclair Baking']?.listingId,
        slug: 'eclair-baking',
        category: 'other',
        proOnly: false,
        tags: [
          { name: 'Sweet things', slug: 'sweet-things' },
          { name: 'café', slug: 'cafe' },
        ],
        subscriberCount: 0,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        item: { title: 'Éclair Baking', description: null, author: null, sourceType: 'markdown', pageCount: 10 },
        seller: { name: publisher.email.split('@')[0], imageUrl: null },
      },
    ],
    total: 1,
    page: 1,
    totalPages: 1,
  })
})

const newest = ['量子力学の基礎', '“Brackish” Waters', 'able seamen', 'Zen and Distributed Systems', 'Éclair Baking']
const byTitle = ['able seamen', '“Brackish” Waters', 'Éclair Baking', 'Zen and Distributed Systems', '量子力学の基礎']

describe.for(browsers)('through %s', ([, browseOver]) => {
  test.for([
    ['nothing: the newest first', {}, newest],
    ['only the sort order newest', { sort: 'newest' }, newest],
    [
      'popular, and the newest of those with as many readers',
      { sort: 'popular' },
      ['able seamen', ...newest.filter((title) => title !== 'able seamen')],
    ],
    ['az, ignoring case, accents and quotation marks', { sort: 'az' }, byTitle],
    ['a category', { category: 'science' }, newest.slice(0, 2)],
    ['a category without listings', { category: 'finance' }, []],
    ['a tag', { tag: 'sweet-things' }, [newest[3], newest[4]]],
    ['a tag in another spelling', { tag: 'Café' }, [newest[4]]],
    ['an unknown tag', { tag: 'nope' }, []],
    ['a tag and a category', { tag: 'go', category: 'science' }, ['“Brackish” Waters']],
    ['a tag and an order', { tag: 'sweet-things', sort: 'az' }, [newest[4], newest[3]]],
    ['a word of the title', { query: 'brackish' }, ['“Brackish” Waters']],
    ['words in any order and case', { query: 'SYSTEMS zen' }, ['Zen and Distributed Systems']],
    ['a word without its accent', { query: 'eclair' }, ['Éclair Baking']],
    ['an accent in decomposed form', { query: 'E\u0301clair' }, ['Éclair Baking']],
    ['the beginning of a word', { query: 'distri' }, ['Zen and Distributed Systems']],
    ['another form of a word', { query: 'system distributing' }, ['Zen and Distributed Systems']],
    ['a word of the description', { query: 'zofia' }, ['able seamen']],
    ['a tag as a word', { query: 'cafe' }, ['Éclair Baking']],
    ['words of which one is missing', { query: 'zen baking' }, []],
    ['the same words in another order', { query: 'seamen able' }, ['able seamen']],
    ['part of a text without spaces', { query: '力学' }, ['量子力学の基礎']],
    ['words and a filter', { query: 'waters', category: 'history' }, []],
    ['punctuation only: nothing', { query: '?!' }, []],
    ['a regular expression: nothing', { query: '.*' }, []],
    ['white space only: everything', { query: '  ' }, newest],
    ['the second page', { limit: 2, page: 2 }, newest.slice(2, 4)],
    ['a page after the last one: nothing', { limit: 2, page: 9 }, []],
  ] as const)('finds %s', async ([, input, expected]) => {
    const answer = await browseOver(input)
    expect(titles(answer)).toEqual(expected)
    if (!('page' in input)) expect(answer.body.total).toBe(expected.length)
  })

  test('finds only Pro books', async () => {
    const answer = await browseOver({ proOnly: true })
    expect(titles(answer)).toEqual(['“Brackish” Waters', 'able seamen'])
  })

  test('returns the total and the number of pages', async () => {
    expect((await browseOver({ limit: 2, page: 3 })).body).toMatchObject({ total: 5, page: 3, totalPages: 3 })
    expect((await browseOver({ limit: 100, page: 10_000 })).body).toMatchObject({
      total: 5,
      page: 10_000,
      totalPages: 1,
    })
    expect((await browseOver({ category: 'finance' })).body).toEqual({ listings: [], total: 0, page: 1, totalPages: 0 })
  })

  test('refuses an unknown category and lists the allowed ones', async () => {
    const { ok, body } = await browseOver({ category: 'cooking' })
    expect(ok).toBe(false)
    expect(body).toMatchObject({ error: expect.stringMatching(/Invalid `category`/), allowed: [...categories] })
  })
})

describe('the public route', () => {
  test.for([
    ['category=cooking', /Invalid `category`/],
    ['since=yesterday', /^Invalid `since` \(expects ISO 8601\)$/],
    ['since=2026-02-30', /Invalid `since`/],
    ['since=', /Invalid `since`/],
    ['page=0', /page must be an integer from 1 to 10000/],
    ['page=10001', /page must be an integer from 1 to 10000/],
    ['page=x', /page must be an integer/],
    ['limit=0', /limit must be an integer from 1 to 100/],
    ['limit=101', /limit must be an integer from 1 to 100/],
    ['limit=1.5', /limit must be an integer/],
    ['sort=best', /sort must be one of newest, popular, az/],
    ['proOnly=yes', /proOnly must be true or false/],
    [`search=${'x'.repeat(501)}`, /at most 500/],
  ] as const)('refuses %s', async ([query, says]) => {
    const answer = await browse(server, `?${query}`)
    expectRefusal(answer, 'rest', { status: 400, message: says })
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  test('accepts the largest page number and ignores unknown parameters', async () => {
    expect((await browse(server, '?page=10000&limit=100&utm_source=x')).status).toBe(200)
  })

  test('with since, omits listings published before it', async () => {
    const { body } = await browse(server)
    const second = body.listings[1].createdAt
    expect(titles(await browse(server, `?since=${second}`))).toEqual(newest.slice(0, 1))
    for (const since of [second.slice(0, -1), second.replace('Z', '%2B00:00')])
      expect(titles(await browse(server, `?since=${since}`))).toEqual(newest.slice(0, 1))
    expect(titles(await browse(server, `?since=${second.slice(0, 10)}&sort=az`))).toEqual(byTitle)
    expect(titles(await browse(server, '?since=2999-01-01'))).toEqual([])
  })

  test('needs no key and returns the same response with one', async () => {
    for (const key of ['nonsense', publisher.key, 'ck_oauth_0123456789abcdef']) {
      const answer = await send(server, key, { method: 'GET', path: '/api/marketplace/browse' })
      expect(answer.status).toBe(200)
      expect(titles(answer)).toEqual(newest)
    }
  })

  test('allows all origins and caching', async () => {
    const answer = await browse(server, '', { Origin: 'https://elsewhere.example' })
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('cache-control')).toMatch(/^public, max-age=\d+$/)
    const asked = await fetch(`${server.baseUrl}/api/marketplace/browse`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://elsewhere.example', 'Access-Control-Request-Method': 'GET' },
    })
    expect(asked.status).toBe(204)
    expect(asked.headers.get('access-control-allow-origin')).toBe('*')
  })

  test('responds 304 while the listings are unchanged', async () => {
    const { headers } = await browse(server, '?sort=az')
    const etag = headers.get('etag') ?? ''
    for (const given of [etag, `"other", ${etag}`, etag.replace('W/', ''), '*']) {
      const again = await browse(server, '?sort=az', { 'If-None-Match': given })
      expect(again).toMatchObject({ status: 304, text: '' })
      expect(again.headers.get('etag')).toBe(etag)
      expect(again.headers.get('cache-control')).toMatch(/max-age/)
      expect(again.headers.get('access-control-allow-origin')).toBe('*')
    }
    expect((await browse(server, '', { 'If-None-Match': etag })).status).toBe(200)
  })

  test('is outside /api/v1 and answers HEAD', async () => {
    const path = '/api/v1/marketplace/browse'
    expect((await send(server, publisher.key, { method: 'GET', path })).status).toBe(404)
    const head = await fetch(`${server.baseUrl}/api/marketplace/browse`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })
})

describe('a listing follows its book', () => {
  test('title, author and description change at once, in responses and search', async () => {
    const { itemId } = await publishBook(server, publisher, { title: 'Untitled draft' })
    const change = { title: 'Kelp forests', author: 'Ana Núñez', description: 'Below the tide' }
    await rest.call(server, publisher, 'enrich_item', { itemId, ...change })
    expect((await browse(server, '?search=untitled')).body.total).toBe(0)
    for (const word of ['kelp', 'nunez', 'tide']) {
      expect((await browse(server, `?search=${word}`)).body.listings).toMatchObject([{ item: change }])
    }
    await rest.call(server, publisher, 'delete_items', { ids: [itemId] })
    expect((await browse(server, '?search=kelp')).body.total).toBe(0)
  })

  test('the number of pages changes at once', async () => {
    const { itemId } = await publishBook(server, publisher, { title: 'Growing book' })
    await rest.call(server, publisher, 'append_item_pages', { id: itemId, content: '# More\n# And more\n' })
    expect((await browse(server, '?search=growing')).body.listings).toMatchObject([{ item: { pageCount: 12 } }])
    await rest.call(server, publisher, 'delete_items', { ids: [itemId] })
  })
})

describe.skipIf(process.env['LECTERN_TEST_MONGODB_URL'])('a page of listings', () => {
  const query = { facets: ['live'], prefixes: [], since: null, sort: 'az', page: 1, limit: 2 } as const

  test('is read again only after a listing has changed', async () => {
    const { listings } = server.running.opened.services
    const first = await listings.browse(query)
    expect(first.listings).toHaveLength(2)
    expect((await listings.browse(query)).listings).toBe(first.listings)
    const { itemId } = await publishBook(server, publisher, { title: 'Aardvarks' })
    expect((await listings.browse(query)).listings.map(({ item }) => item.title)).toContain('Aardvarks')
    await rest.call(server, publisher, 'delete_items', { ids: [itemId] })
    expect(await listings.browse(query)).toEqual(first)
  })

  test('after the last one is not read', async () => {
    const monitored = await startTestServer({ LECTERN_ROLE: 'web' }, { monitorCommands: true })
    onTestFinished(() => monitored.close())
    const { services, database } = monitored.running.opened
    const read: unknown[] = []
    database.db.client.on('commandStarted', ({ command }: CommandStartedEvent) => read.push(command['find']))
    expect(await services.listings.browse({ ...query, page: 9999 })).toEqual({ listings: [], total: 0 })
    expect(read).not.toContain('listings')
    await publishBook(monitored, await monitored.createPerson())
    await services.listings.browse(query)
    expect(read).toContain('listings')
  })
})

test('the sweep completes a refresh that a crash interrupted', async () => {
  const { itemId } = await publishBook(server, publisher, { title: 'Old name' })
  const { services } = server.running.opened
  await services.books.change(publisher.id, itemId, { set: { title: 'New name' } })
  expect((await browse(server, '?search=new+name')).body.total).toBe(0)
  await refreshStaleIndex({ ...services, log: createLog('silent') })
  expect((await browse(server, '?search=new+name')).body).toMatchObject({
    total: 1,
    listings: [{ item: { title: 'New name' } }],
  })
  await rest.call(server, publisher, 'delete_items', { ids: [itemId] })
})

test('over MCP large listings are shortened to fit the budget', { timeout: 120_000 }, async () => {
  const crowd = await startTestServer({ LECTERN_ROLE: 'web' })
  const author = await crowd.createPerson()
  for (let i = 0; i < 100; i++) {
    await publishBook(crowd, author, {
      title: `${i} ${'題'.repeat(190)}`,
      // The newest listings come first.
      description: '説'.repeat(i < 90 ? 400 : 4000),
      content: '# x\n',
      terms: { tags: Array.from({ length: 10 }, (_, at) => `${at}${'札'.repeat(30)}`) },
    })
  }
  const whole = await browse(crowd, '?limit=100')
  expect(whole.body.listings[0].item.description).toHaveLength(4000)
  for (const limit of [1, 5, 10, 40, 100]) {
    const answer = await mcp.call(crowd, author, 'browse_marketplace', { limit })
    expect(answer.body.listings).toHaveLength(limit)
    expect(answer.body).toMatchObject({ total: 100, totalPages: Math.ceil(100 / limit) })
    const ids = answer.body.listings.map(({ id }: { id: string }) => id)
    expect(ids).toEqual(whole.body.listings.slice(0, limit).map(({ id }: { id: string }) => id))
    expect(largestAnswer([answer]).characters).toBeLessThanOrEqual(60_000)
    expect(largestAnswer([answer]).tokens).toBeLessThanOrEqual(20_000)
  }
  await crowd.close()
})
