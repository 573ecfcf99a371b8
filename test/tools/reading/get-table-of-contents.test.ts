import { beforeAll, describe, expect, test } from 'vitest'
import { systemOwner } from '../../../src/books/book.ts'
import { mcp, send, transports, type ToolResponse } from '../../support/transports.ts'
import { makeBook, markdownPages } from '../../support/make-book.ts'
import { readsUsed } from '../../support/charge-reads.ts'
import { largestAnswer } from '../../support/collect-text.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import { seedBooks } from '../../support/seed-books.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let reader: Person

beforeAll(async () => {
  reader = await server.createPerson()
})

describe.for(transports)('get_table_of_contents over %s', ([name, transport]) => {
  const toc = (ids: unknown, person = reader): Promise<ToolResponse> =>
    transport.call(server, person, 'get_table_of_contents', { ids })

  test('returns the headings as a list and as a tree', async () => {
    const content = '# One\n## First\n### Deep\n## Second\n# Two\n# Three\n## Last\n'
    const id = await makeBook(server, reader, { title: 'Sea', content })
    const { body, status } = await toc([id])
    expect(status).toBe(200)
    expect(body).toEqual({
      items: [
        {
          id,
          title: 'Sea',
          pageCount: 3,
          url: `${server.baseUrl}/books/${id}?v=1`,
          toc: [
            { title: 'One', page: 1, level: 1 },
            { title: 'First', page: 1, level: 2 },
            { title: 'Deep', page: 1, level: 3 },
            { title: 'Second', page: 1, level: 2 },
            { title: 'Two', page: 2, level: 1 },
            { title: 'Three', page: 3, level: 1 },
            { title: 'Last', page: 3, level: 2 },
          ],
          tocTree: [
            {
              title: 'One',
              startPage: 1,
              endPage: 1,
              children: [
                {
                  title: 'First',
                  startPage: 1,
                  endPage: 1,
                  children: [{ title: 'Deep', startPage: 1, endPage: 1, children: [] }],
                },
                { title: 'Second', startPage: 1, endPage: 1, children: [] },
              ],
            },
            { title: 'Two', startPage: 2, endPage: 2, children: [] },
            {
              title: 'Three',
              startPage: 3,
              endPage: 3,
              children: [{ title: 'Last', startPage: 3, endPage: 3, children: [] }],
            },
          ],
        },
      ],
    })
  })

  test('a book without headings has null for both and charges a read', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: 'plain text' })
    expect((await toc([id], person)).body.items).toEqual([
      { id, title: 'A Book', pageCount: 1, url: `${server.baseUrl}/books/${id}?v=1`, toc: null, tocTree: null },
    ])
    expect(await readsUsed(server, person)).toBe(1)
  })

  test('charges one read per book, once for a repeated id, and keeps the order', async () => {
    const person = await server.createPerson()
    const ids = [await makeBook(server, person, { content: '# A' }), await makeBook(server, person, { content: '# B' })]
    const { body } = await toc([ids[1], 'nope', ids[0], ids[1]], person)
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual([ids[1], ids[0]])
    expect(body.notFound).toEqual(['nope'])
    expect(await readsUsed(server, person)).toBe(2)
  })

  test('notFound and locked are present only when not empty', async () => {
    const id = await makeBook(server, reader, { content: '# A' })
    expect(Object.keys((await toc([id])).body)).toEqual(['items'])
  })

  test("other accounts' books are not found, built-in ones are", async () => {
    const foreign = await makeBook(server, await server.createPerson(), { content: '# A' })
    const builtIn = await makeBook(server, { id: systemOwner }, { content: '# A' })
    const { body } = await toc([foreign, builtIn])
    expect(body).toMatchObject({ items: [{ id: builtIn }], notFound: [foreign] })
  })

  test('a book whose import failed is free', async () => {
    const person = await server.createPerson()
    const failed = { status: 'FAILED', health: 'failed', healthReason: 'The file is damaged.', version: 0 } as const
    const ids = await seedBooks(server, person, { count: 1, book: () => failed })
    expect((await toc(ids, person)).body.items).toMatchObject([{ toc: null, tocTree: null }])
    expect(await readsUsed(server, person)).toBe(0)
  })

  test('accepts 50 books and refuses 51', async () => {
    const ids = Array.from({ length: 51 }, (_, index) => `id${index}`)
    expect((await toc(ids.slice(1))).body.notFound).toHaveLength(50)
    expectRefusal(await toc(ids), name, { status: 400, mcpCode: 'INVALID_INPUT', message: /50/ })
  })

  test.for<[string, unknown]>([
    ['no ids', undefined],
    ['an empty list', []],
    ['a string', 'x'],
    ['null', null],
    ['a number among the ids', [5]],
    ['an operator among the ids', [{ $gt: '' }]],
  ])('refuses %s', async ([, ids]) => {
    const says = name === 'rest' ? /ids array is required/ : /ids/
    expectRefusal(await toc(ids), name, { status: 400, mcpCode: 'INVALID_INPUT', message: says })
  })
})

describe('large tables of contents', () => {
  const deep = Array.from(
    { length: 150 },
    (_, index) => `# Part ${index}\n${'## Chapter\n### Section\n'.repeat(5)}`,
  ).join('')

  test('are complete over REST', async () => {
    const id = await makeBook(server, reader, { content: deep })
    const path = '/api/v1/items/batch/toc'
    const { body } = await send(server, reader.key, { method: 'POST', path, body: { ids: [id] } })
    expect(body.items[0].toc).toHaveLength(150 * 11)
    expect(body.items[0]).not.toHaveProperty('truncated')
  })

  test('lose their lower levels over MCP and are marked truncated', async () => {
    const id = await makeBook(server, reader, { content: deep })
    const answer = await mcp.call(server, reader, 'get_table_of_contents', { ids: [id] })
    const [item] = answer.body.items
    expect(item.truncated).toBe(true)
    expect(item.toc.filter(({ level }: { level: number }) => level === 1)).toHaveLength(150)
    expect(answer.text).toContain('only the upper levels are shown')
    expect(largestAnswer([answer]).characters).toBeLessThanOrEqual(60_000)
  })

  test.for([
    ['plain', 'x'],
    ['dense', '長'],
  ] as const)('of 50 books with %s titles and headings of 500 characters fit into one answer', async ([, letter]) => {
    const person = await server.createPerson()
    const book = { title: letter.repeat(200), content: `# ${letter.repeat(500)}\n`.repeat(5) }
    const ids: string[] = []
    while (ids.length < 50) ids.push(await makeBook(server, person, book))
    const answer = await mcp.call(server, person, 'get_table_of_contents', { ids })
    expect(answer.body.items).toHaveLength(50)
    expect(largestAnswer([answer]).characters).toBeLessThanOrEqual(60_000)
    expect(largestAnswer([answer]).tokens).toBeLessThanOrEqual(20_000)
  })

  test('of a book with 1,000 headings keep those that fit', async () => {
    const id = await makeBook(server, reader, { content: markdownPages(1000) })
    const answer = await mcp.call(server, reader, 'get_table_of_contents', { ids: [id] })
    expect(answer.body.items[0].toc.length).toBeGreaterThan(200)
    expect(answer.body.items[0].toc[0]).toEqual({ title: 'Page 1', page: 1, level: 1 })
    expect(largestAnswer([answer]).characters).toBeLessThanOrEqual(60_000)
  })
})
