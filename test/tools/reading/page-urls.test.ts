import { beforeAll, describe, expect, test } from 'vitest'
import { putItemPage } from '../../../src/writing/put-item-page.ts'
import { transports } from '../../support/transports.ts'
import { makeBook, markdownPages } from '../../support/make-book.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { contextOf } from '../../support/context.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let person: Person
let book: string
let empty: string

beforeAll(async () => {
  person = await server.createPerson()
  book = await makeBook(server, person, { title: 'The Heron', content: markdownPages(3) })
  await putItemPage(await contextOf(server, person), {
    id: book,
    pageNum: 2,
    content: '# New\n',
  })
  empty = await makeBook(server, person)
})

const pageAddress = (pageNum: number) => `${server.baseUrl}/books/${book}/pages/${pageNum}?v=2`
const bookAddress = () => `${server.baseUrl}/books/${book}?v=2`

describe.for(transports)('page URLs over %s', ([name, transport]) => {
  test('read_items returns the URL of the book and of each page, in the version read', async () => {
    const { body, text } = await transport.call(server, person, 'read_items', { items: [{ id: book, pages: '1-2' }] })
    const [item] = body.items
    expect(item.url).toBe(bookAddress())
    expect(item.pages.map(({ url }: { url: string }) => url)).toEqual([pageAddress(1), pageAddress(2)])
    if (name === 'mcp') expect(text).toContain(`<page num="2" chapter="New" url="${pageAddress(2)}">`)
  })

  test('get_item_content, get_table_of_contents and search_items return them too', async () => {
    const content = await transport.call(server, person, 'get_item_content', { id: book })
    expect(content.body.url).toBe(bookAddress())
    const toc = await transport.call(server, person, 'get_table_of_contents', { ids: [book] })
    expect(toc.body.items[0].url).toBe(bookAddress())
    const { body } = await transport.call(server, person, 'search_items', { query: '"text 3"' })
    expect(body.items).toMatchObject([{ url: bookAddress(), hits: [{ page: 3, url: expect.any(String) }] }])
    const [{ hits }] = body.items
    expect(hits[0].url.split('#quote=')).toEqual([pageAddress(3), expect.stringContaining('text%203')])
  })

  test('a book without text has a URL too', async () => {
    const { body } = await transport.call(server, person, 'get_item_content', { id: empty })
    expect(body.url).toMatch(new RegExp(`^${server.baseUrl}/books/${empty}(\\?v=1)?$`))
  })
})
