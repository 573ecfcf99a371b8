import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemOwner, type Book } from '../../src/books/book.ts'
import { mcp, rest, send, sendMcp } from '../support/transports.ts'
import { makeBook, markdownPages } from '../support/make-book.ts'
import { publishBook, subscribe } from '../support/marketplace.ts'
import { plansEnvironment } from '../support/plans-environment.ts'
import { seedBooks } from '../support/seed-books.ts'
import { startTestServer, type Person, type TestServer } from '../support/server.ts'

let server: TestServer

beforeAll(async () => {
  const plans = await plansEnvironment({ tier: 'TINY', itemLimit: 4 })
  server = await startTestServer({ LECTERN_ROLE: 'web', ...plans })
})
afterAll(() => server.close())

interface Listed {
  id: string
  sourceType: 'pdf' | 'epub' | 'markdown'
  status: string
  health: string
  pageCount: number
  needsEnrichment: boolean
  isSystem: boolean
  isSubscribed: boolean
  locked: boolean
}

/** The whole library, as GET /items returns it. */
async function library({ key }: Person): Promise<Listed[]> {
  return (await send(server, key, { method: 'GET', path: '/api/v1/items' })).body.items
}

async function summary({ key }: Person) {
  const params = { name: 'library_summary', arguments: {} }
  return (await sendMcp(server, key, { method: 'tools/call', params })).body.result.structuredContent
}

/** Returns the summary expected for these books. */
function summed(books: readonly Listed[]) {
  const own = books.filter(({ isSystem, isSubscribed }) => !isSystem && !isSubscribed)
  const ready = books.filter(({ status }) => status === 'READY')
  const inTrouble = own.filter(({ status, health }) => status === 'FAILED' || (status === 'READY' && health !== 'ok'))
  const ofType = (type: string) => books.filter(({ sourceType }) => sourceType === type).length
  return {
    itemCount: books.filter(({ isSystem }) => !isSystem).length,
    readyCount: ready.length,
    lockedCount: books.filter(({ locked }) => locked).length,
    pageCount: ready.reduce((sum, { pageCount }) => sum + pageCount, 0),
    bySourceType: { pdf: ofType('pdf'), epub: ofType('epub'), markdown: ofType('markdown') },
    enrichmentQueueLength: own.filter(({ needsEnrichment }) => needsEnrichment).length,
    needAttention: inTrouble.slice(0, 10).map(({ id }) => expect.objectContaining({ id })),
    recent: ready.slice(0, 10).map(({ id }) => expect.objectContaining({ id })),
  }
}

const kinds = ['pdf', 'epub', 'markdown'] as const
const healths = ['ok', 'ok', 'ok', 'empty', 'partial'] as const

/** Owned books of every format and state, with built-in and subscribed ones of about the same age. */
async function mixedLibrary(): Promise<Person> {
  const [reader, author] = [await server.createPerson(), await server.createPerson()]
  const at = (index: number) => new Date(Date.UTC(2026, 0, 1) + Math.floor(index / 3) * 1000)
  const states = (index: number): Partial<Book> =>
    index % 7 === 6 ? { status: 'FAILED', health: 'failed', healthReason: 'Broken' } : { health: healths[index % 5] }
  await seedBooks(server, reader, {
    count: 30,
    book: (index) => ({
      createdAt: at(index),
      sourceType: kinds[index % 3],
      needsEnrichment: index % 4 === 0,
      ...states(index),
    }),
  })
  await seedBooks(server, { id: systemOwner }, { count: 4, book: (index) => ({ createdAt: at(index * 5) }) })
  for (let nth = 0; nth < 3; nth++) {
    const { listingId } = await publishBook(server, author)
    await subscribe(server, reader, listingId)
  }
  await makeBook(server, reader, { content: markdownPages(3) })
  return reader
}

test('the library summary always equals the sums over the list of books', async () => {
  const reader = await mixedLibrary()
  const { books } = server.running.opened.services
  expect(await summary(reader)).toMatchObject(summed(await library(reader)))
  const own = (await library(reader)).filter(({ isSystem, isSubscribed }) => !isSystem && !isSubscribed)
  const [first, second, third, fourth] = own.map(({ id }) => id) as [string, string, string, string]
  const steps: (() => Promise<unknown>)[] = [
    () => makeBook(server, reader, { content: markdownPages(5) }),
    () => rest.call(server, reader, 'flag_item', { itemId: second }),
    () => rest.call(server, reader, 'append_item_pages', { id: first, content: '# More\n\ntext\n' }),
    () => books.change(reader.id, third, { set: { status: 'PROCESSING', health: 'stuck' } }),
    () => rest.call(server, reader, 'delete_items', { ids: [fourth, first] }),
    () => books.change(reader.id, third, { set: { status: 'READY', health: 'ok', pageCount: 12 } }),
    () => rest.call(server, reader, 'enrich_item', { itemId: second, title: 'Better' }),
    () => server.running.opened.services.accounts.change(reader.id, { tier: 'TINY' }),
  ]
  for (const step of steps) {
    await step()
    const shown = await library(reader)
    expect(await summary(reader)).toMatchObject(summed(shown))
    const { body } = await rest.call(server, reader, 'whoami')
    expect(body.itemCount).toBe(shown.filter(({ isSystem }) => !isSystem).length)
  }
})

test.for([1, 4, 7])('parts of %i books together give the whole list in order, without duplicates', async (limit) => {
  const reader = await mixedLibrary()
  await server.running.opened.services.accounts.change(reader.id, { tier: 'TINY' })
  const whole = (await send(server, reader.key, { method: 'GET', path: '/api/v1/items' })).body
  const seen: string[] = []
  for (let cursor: string | undefined; ;) {
    const { body, ok } = await mcp.call(server, reader, 'list_items', { limit, ...(cursor ? { cursor } : {}) })
    expect(ok).toBe(true)
    expect(body.total).toBe(whole.items.length)
    expect(body.pickUrl).toBe(whole.pickUrl)
    expect(body.enrichmentQueue).toEqual(whole.enrichmentQueue.slice(0, 20))
    // Only rows over MCP have `quotedFrom`, which names the source of their text.
    const rows = body.items.map(({ quotedFrom: _, ...row }: { quotedFrom?: string }) => row)
    expect(rows).toEqual(whole.items.slice(seen.length, seen.length + limit))
    seen.push(...body.items.map(({ id }: { id: string }) => id))
    cursor = body.nextCursor
    if (cursor === undefined) break
  }
  expect(seen).toEqual(whole.items.map(({ id }: { id: string }) => id))
})

test('a library larger than one store batch is listed completely', async () => {
  const reader = await server.createPerson()
  const builtIn = (await library(reader)).length
  const ids = (await seedBooks(server, reader, { count: 650 })).reverse()
  const { body } = await mcp.call(server, reader, 'list_items', { limit: 500, detail: 'concise' })
  const shown = body.items.map(({ id }: { id: string }) => id)
  expect(shown).toEqual(ids.slice(0, shown.length))
  expect(body).toMatchObject({ total: 650 + builtIn, nextCursor: ids[shown.length] })
})
