import { beforeAll, describe, expect, test } from 'vitest'
import { transports, send } from '../../support/transports.ts'
import { makeBook } from '../../support/make-book.ts'
import { publishBook, subscribe } from '../../support/marketplace.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let owner: Person

beforeAll(async () => {
  owner = await server.createPerson()
})

const chapters = Array.from(
  { length: 4 },
  (_, index) => `# Chapter ${index + 1}\n\n${`text ${index + 1} `.repeat(100)}\n`,
)

describe.for(transports)('a repeated read over %s', ([, transport]) => {
  const call = async (person: Person, tool: string, input: Record<string, unknown>) => {
    const { body, ok, text } = await transport.call(server, person, tool, input)
    expect(ok, text).toBe(true)
    return { body, text }
  }
  const read = async (person: Person, id: string, pages = '2-3') => {
    const { body, text } = await call(person, 'read_items', { items: [{ id, pages }] })
    return { item: body.items[0], text }
  }
  const book = () => makeBook(server, owner, { title: 'Often', content: chapters.join('') })

  test('returns the same each time', async () => {
    const id = await book()
    const first = await read(owner, id)
    expect(first.item.pages.map(({ content }: { content: string }) => content)).toEqual(chapters.slice(1, 3))
    for (let time = 0; time < 4; time++) expect(await read(owner, id)).toEqual(first)
  })

  test('returns what was requested, for several ranges of a book and for a book in a batch', async () => {
    const [one, two] = [await book(), await book()]
    const alone = { one: await read(owner, one), two: await read(owner, two, '1') }
    for (let time = 0; time < 3; time++) {
      for (const [pages, first, count] of [
        ['2-3', 2, 2],
        ['2', 2, 1],
        ['1-4', 1, 4],
        ['1,4', 1, 2],
      ] as const) {
        const { item } = await read(owner, one, pages)
        expect([item.pages.length, item.pages[0].pageNum]).toEqual([count, first])
      }
      const items = [
        { id: two, pages: '1' },
        { id: one, pages: '2-3' },
      ]
      expect((await call(owner, 'read_items', { items })).body.items).toEqual([alone.two.item, alone.one.item])
    }
  })

  test('returns a change of text, title or table of contents at once', async () => {
    const id = await book()
    const settle = async () => {
      for (let time = 0; time < 3; time++) await read(owner, id)
      return read(owner, id)
    }
    expect((await settle()).item).toMatchObject({ title: 'Often', pages: [{ chapter: ['Chapter 2'] }, {}] })
    await call(owner, 'enrich_item', { itemId: id, title: 'Renamed' })
    expect((await read(owner, id)).item.title).toBe('Renamed')
    await settle()
    await call(owner, 'enrich_item', { itemId: id, toc: [{ title: 'Mine', page: 1 }] })
    expect((await read(owner, id)).item.pages[0].chapter).toEqual(['Mine'])
    await settle()
    await call(owner, 'put_item_page', { id, pageNum: 3, content: '# Chapter 3\n\nwritten anew\n' })
    const { item } = await read(owner, id)
    expect(item.pages[1]).toMatchObject({
      content: '# Chapter 3\n\nwritten anew\n',
      url: `${item.url.replace('?', '/pages/3?')}`,
    })
    expect(item.freshness).toMatchObject({ contentVersion: 2, changesSinceLastRead: { changedPages: [3] } })
    expect((await settle()).item.freshness.changesSinceLastRead).toBeNull()
    await call(owner, 'restore_item_version', { id, version: 1 })
    expect((await read(owner, id)).item.pages[1].content).toBe(chapters[2])
  })

  test('returns to each reader what that reader may read', async () => {
    const { itemId, listingId } = await publishBook(server, owner, {
      title: 'For some',
      content: chapters.join(''),
      terms: { proOnly: true },
    })
    const subscriber = await server.createPerson({ plan: 'FREE' })
    const stranger = await server.createPerson()
    await subscribe(server, subscriber, listingId)
    for (let time = 0; time < 3; time++) {
      expect((await read(owner, itemId, '1-3')).item).toMatchObject({ proRestricted: false, pages: [{}, {}, {}] })
      expect((await read(subscriber, itemId, '1-3')).item).toMatchObject({ proRestricted: true, pages: [{}, {}] })
      const { body } = await call(stranger, 'read_items', { items: [{ id: itemId, pages: '1-3' }] })
      expect(body).toMatchObject({ items: [], notFound: [itemId] })
    }
  })

  test('returns nothing after the book is deleted', async () => {
    const id = await book()
    for (let time = 0; time < 3; time++) await read(owner, id)
    await call(owner, 'delete_items', { ids: [id] })
    const { body } = await call(owner, 'read_items', { items: [{ id, pages: '2-3' }] })
    expect(body).toMatchObject({ items: [], notFound: [id] })
  })
})

test('a repeated read over REST returns the same bytes', async () => {
  const id = await makeBook(server, owner, { title: 'Ünïcode “quoted”', content: chapters.join('— “so”\n') })
  const texts: string[] = []
  for (let time = 0; time < 4; time++) {
    const body = { items: [{ id, pages: '1-2' }] }
    const { text } = await send(server, owner.key, { method: 'POST', path: '/api/v1/items/batch', body })
    texts.push(text)
  }
  expect(new Set(texts).size).toBe(1)
})
