import { describe, expect, test } from 'vitest'
import { systemOwner } from '../../../src/books/book.ts'
import { transports, send } from '../../support/transports.ts'
import { makeBook, markdownPages } from '../../support/make-book.ts'
import { plansEnvironment } from '../../support/plans-environment.ts'
import { readsUsed } from '../../support/charge-reads.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import { seedBooks } from '../../support/seed-books.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web', ...(await plansEnvironment({ tier: 'TINY', itemLimit: 2 })) })

const idsOf = (items: { id: string }[]) => items.map(({ id }) => id)

describe.for(transports)('list_items over %s', ([name, transport]) => {
  test('an empty library gives an empty list and an empty queue', async () => {
    const { body, status } = await transport.call(server, await server.createPerson(), 'list_items')
    expect(status).toBe(200)
    expect(body).toEqual({ items: [], enrichmentQueue: [] })
  })

  test('returns every field of an item', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { title: 'Sea', description: 'About it', content: markdownPages(2) })
    const { body } = await transport.call(server, person, 'list_items')
    const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(body.items).toEqual([
      {
        id,
        title: 'Sea',
        description: 'About it',
        author: null,
        sourceType: 'markdown',
        status: 'READY',
        needsEnrichment: false,
        enrichmentConfidence: 0,
        pageCount: 2,
        health: 'ok',
        healthReason: null,
        isSystem: false,
        isSubscribed: false,
        proOnly: false,
        locked: false,
        shelves: [],
        enrichedAt: null,
        metadataConfirmedAt: null,
        createdAt: instant,
        updatedAt: instant,
        isWeeklyFeatured: false,
      },
    ])
  })

  test('lists the newest book first and costs no read', async () => {
    const person = await server.createPerson()
    const ids = await seedBooks(server, person, { count: 5 })
    const { body } = await transport.call(server, person, 'list_items')
    expect(idsOf(body.items)).toEqual([...ids].reverse())
    expect(await readsUsed(server, person)).toBe(0)
  })

  test("never lists other accounts' books", async () => {
    await makeBook(server, await server.createPerson())
    expect((await transport.call(server, await server.createPerson(), 'list_items')).body.items).toEqual([])
  })

  test('the enrichment queue has the flagged books of the caller, smallest first', async () => {
    const person = await server.createPerson()
    const ids: string[] = []
    for (const pages of [3, 1, 2, 1]) ids.push(await makeBook(server, person, { content: markdownPages(pages) }))
    const { books } = server.running.opened.services
    for (const id of ids.slice(0, 3)) await books.change(person.id, id, { set: { needsEnrichment: true } })
    const { body } = await transport.call(server, person, 'list_items')
    expect(body.enrichmentQueue).toEqual([
      { id: ids[1], title: 'A Book', pageCount: 1 },
      { id: ids[2], title: 'A Book', pageCount: 2 },
      { id: ids[0], title: 'A Book', pageCount: 3 },
    ])
  })

  test('locked books stay listed, with the URL for picking usable books', async () => {
    const person = await server.createPerson()
    const ids = await seedBooks(server, person, { count: 4 })
    await server.running.opened.services.accounts.change(person.id, { tier: 'TINY' })
    const { body } = await transport.call(server, person, 'list_items')
    expect(body.pickUrl).toBe(`${server.baseUrl}/library/usable`)
    const locked = body.items.filter((item: { locked: boolean }) => item.locked)
    expect(idsOf(locked)).toEqual([ids[3], ids[2]])
  })

  test.for(['nowhere', 'a'.repeat(64), 'Ünïcode-9_x'])('the unknown shelf %s gives an empty list', async (shelf) => {
    const person = await server.createPerson()
    await makeBook(server, person)
    await transport.call(server, person, 'create_shelf', { name: 'To read' })
    const { body, status } = await transport.call(server, person, 'list_items', { shelf })
    expect(status).toBe(200)
    // The contract gives the body over REST.
    const note = `No shelf is called "${shelf}". The shelves are to-read.`
    expect(body).toEqual({ items: [], enrichmentQueue: [], ...(name === 'mcp' ? { note } : {}) })
  })

  // Over MCP an empty shelf counts as omitted.
  test.for([...(name === 'rest' ? [''] : []), 'a b', 'a/b', 'a'.repeat(65), '../x', 'é!', '$ne', 'a\u0000'])(
    'refuses the shelf %j',
    async (shelf) => {
      const answer = await transport.call(server, await server.createPerson(), 'list_items', { shelf })
      expectRefusal(answer, name, { status: 400, code: 'SHELF_PARAM_INVALID', message: /Invalid shelf parameter/ })
    },
  )
})

test('over REST a list of 1,500 books is complete', async () => {
  const person = await server.createPerson()
  await seedBooks(server, person, { count: 1500 })
  const { body } = await send(server, person.key, { method: 'GET', path: '/api/v1/items' })
  expect(body.items).toHaveLength(1500)
  expect(body).not.toHaveProperty('nextCursor')
})

test.for(['/api/v1/items?limit=5', '/api/v1/items?cursor=x', '/api/v1/items?other=1'])(
  'REST ignores unknown query parameters: %s',
  async (path) => {
    const person = await server.createPerson()
    await seedBooks(server, person, { count: 7 })
    const { body, status } = await send(server, person.key, { method: 'GET', path })
    expect(status).toBe(200)
    expect(body.items).toHaveLength(7)
  },
)

test('built-in books are listed for everybody with isSystem', async () => {
  const id = await makeBook(server, { id: systemOwner }, { title: 'Built in' })
  const { body } = await send(server, (await server.createPerson()).key, { method: 'GET', path: '/api/v1/items' })
  expect(body.items).toMatchObject([{ id, isSystem: true, locked: false }])
})
