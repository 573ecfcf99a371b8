import { beforeAll, describe, expect, test } from 'vitest'
import { systemOwner } from '../../../src/books/book.ts'
import { transports, send, type ToolResponse } from '../../support/transports.ts'
import { makeBook, markdownPages } from '../../support/make-book.ts'
import { readsUsed } from '../../support/charge-reads.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let reader: Person
let book: string

beforeAll(async () => {
  reader = await server.createPerson()
  book = await makeBook(server, reader, { title: 'Ten', description: 'Ten pages', content: markdownPages(10) })
})

const numbers = (item: { pages: { pageNum: number }[] }) => item.pages.map(({ pageNum }) => pageNum)

const unknownBooks = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `id${index}` }))

describe.for(transports)('read_items over %s', ([name, transport]) => {
  const read = (items: unknown, person = reader): Promise<ToolResponse> =>
    transport.call(server, person, 'read_items', { items })

  test('returns every field of a book and its pages, in order', async () => {
    const { body, status } = await read([{ id: book, pages: '3,1' }])
    expect(status).toBe(200)
    const instant = expect.stringMatching(/^\d{4}-.*Z$/)
    expect(body).toEqual({
      items: [
        {
          id: book,
          title: 'Ten',
          description: 'Ten pages',
          sourceType: 'markdown',
          status: 'READY',
          health: 'ok',
          healthReason: null,
          metadata: {
            language: null,
            publisher: null,
            isbn: null,
            filename: null,
            sha256: null,
            bytes: null,
            prompts: [],
            sampleQuestion: null,
            outcomes: [],
          },
          pageCount: 10,
          pages: [
            {
              pageNum: 1,
              content: '# Page 1\n\ntext 1\n',
              id: expect.any(String),
              label: null,
              chapter: ['Page 1'],
              url: `${server.baseUrl}/books/${book}/pages/1?v=1`,
            },
            {
              pageNum: 3,
              content: '# Page 3\n\ntext 3\n',
              id: expect.any(String),
              label: null,
              chapter: ['Page 3'],
              url: `${server.baseUrl}/books/${book}/pages/3?v=1`,
            },
          ],
          truncated: false,
          proRestricted: false,
          previewPageCount: null,
          totalPageCount: 10,
          upgradeUrl: null,
          freshness: { contentVersion: 1, lastUpdatedAt: instant, changesSinceLastRead: null },
          url: `${server.baseUrl}/books/${book}?v=1`,
          createdAt: instant,
          updatedAt: instant,
        },
      ],
      notFound: [],
      truncatedItemIds: [],
      truncatedMessage: null,
    })
  })

  test.for<[string | undefined, number[]]>([
    [undefined, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
    ['2-4', [2, 3, 4]],
    ['4,2,3,2-3', [2, 3, 4]],
    [' 1 , 3 ', [1, 3]],
    ['9-99', [9, 10]],
    ['11', []],
    ['0,2', [2]],
    ['5-1,2', [2]],
    ['x,2,-3,1.5,2-,--,7e1,٣', [2]],
    ['nothing', []],
    ['', []],
    [',,', []],
    ['1-9007199254740993,2', [2]],
    ['999999999', []],
  ])('pages %j returns %j', async ([pages, expected]) => {
    const { body } = await read([{ id: book, pages }])
    expect(numbers(body.items[0])).toEqual(expected)
    expect(body.items[0].truncated).toBe(false)
  })

  test.for<[string, string[], number[]]>([
    ['11', ['"11"'], []],
    ['220-', ['"220-"'], []],
    ['5-1, 3–4 ,2', ['"5-1", "3–4"'], [2]],
    ['x,y,z,u,v,w,1', ['"x", "y", "z", "u", "v" and 1 more'], [1]],
    ['1'.repeat(30), [`"${'1'.repeat(19)}…"`], []],
    ['9-99', [], [9, 10]],
    ['', [], []],
  ])('pages %j are explained where they name no page', async ([pages, [parts], expected]) => {
    const { body, text } = await read([{ id: book, pages }])
    expect(numbers(body.items[0])).toEqual(expected)
    const note = `Nothing was read for ${parts}: this book has pages 1 to 10, and pages are named as in "1-5,10".`
    expect(body.items[0].note).toBe(parts === undefined ? undefined : note)
    if (name === 'mcp') expect(text.includes(`(${note})`)).toBe(parts !== undefined)
  })

  test('a book that the request names twice has one note', async () => {
    const { body } = await read([
      { id: book, pages: '12' },
      { id: book, pages: '2,13' },
    ])
    expect(numbers(body.items[0])).toEqual([2])
    expect(body.items[0].note).toMatch(/^Nothing was read for "12", "13":/)
  })

  test('a range without a valid part charges nothing', async () => {
    const before = await readsUsed(server, reader)
    await read([{ id: book, pages: 'x,0,5-1' }])
    expect(await readsUsed(server, reader)).toBe(before)
  })

  test('the same book twice is one read of both ranges', async () => {
    const before = await readsUsed(server, reader)
    const { body } = await read([
      { id: book, pages: '5' },
      { id: book, pages: '1-2,5' },
    ])
    expect(body.items).toHaveLength(1)
    expect(numbers(body.items[0])).toEqual([1, 2, 5])
    expect(await readsUsed(server, reader)).toBe(before + 1)
  })

  test('books are returned in request order, unknown ones in notFound without charge', async () => {
    const other = await makeBook(server, reader, { content: 'text' })
    const before = await readsUsed(server, reader)
    const { body } = await read([{ id: 'nope' }, { id: other }, { id: book, pages: '1' }, { id: 'nope' }])
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual([other, book])
    expect(body.notFound).toEqual(['nope'])
    expect(await readsUsed(server, reader)).toBe(before + 2)
  })

  test("other accounts' books are not found, built-in ones are", async () => {
    const builtIn = await makeBook(server, { id: systemOwner }, { content: 'text' })
    const { body } = await read([{ id: book }, { id: builtIn }], await server.createPerson())
    expect(body.notFound).toEqual([book])
    expect(body.items).toMatchObject([{ id: builtIn, pages: [{ content: 'text' }] }])
  })

  test('an empty book has no pages and charges nothing', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person)
    const { body } = await read([{ id }], person)
    expect(body.items).toMatchObject([{ pages: [], truncated: false, pageCount: 0, health: 'empty' }])
    expect(await readsUsed(server, person)).toBe(0)
  })

  test('accepts 50 books and refuses 51', async () => {
    expect((await read(unknownBooks(50))).body.notFound).toHaveLength(50)
    const refusal = {
      status: 400,
      mcpCode: 'INVALID_INPUT',
      message: name === 'rest' ? /Maximum is 50 per batch/ : /50/,
    }
    expectRefusal(await read(unknownBooks(51)), name, refusal)
  })

  test.for<[string, unknown]>([
    ['a missing id', [{ pages: '1' }]],
    ['an empty id', [{ id: '' }]],
    ['an id that is a number', [{ id: 5 }]],
    ['an id that is an operator', [{ id: { $ne: null } }]],
    ['an id that is null', [{ id: null }]],
    ['an item that is a string', ['abc']],
    ['an item that is null', [null]],
    ['a range that is a number', [{ id: 'x', pages: 5 }]],
    ['a range that is a list', [{ id: 'x', pages: [1, 2] }]],
    ['items that are an object', { id: 'x' }],
    ['no items', []],
    ['no input', undefined],
  ])('refuses %s', async ([what, items]) => {
    const idMessage = what.includes('id') || what.startsWith('an item')
    const says = name === 'rest' && idMessage ? /each item needs a valid id string/ : /items|pages/
    expectRefusal(await read(items), name, { status: 400, mcpCode: 'INVALID_INPUT', message: says })
  })

  test('needs the scope library:read', async () => {
    const answer = await read(
      [{ id: book }],
      await server.createPerson({ scopes: ['library:write', 'marketplace:read'] }),
    )
    expect(answer).toMatchObject({ ok: false, status: name === 'rest' ? 403 : 200 })
  })
})

const batch = (body: unknown) => send(server, reader.key, { method: 'POST', path: '/api/v1/items/batch', body })

describe('the legacy form of the batch (ids and pages)', () => {
  test('accepts ids with one range for all', async () => {
    const other = await makeBook(server, reader, { content: markdownPages(3) })
    const { body } = await batch({ ids: [book, other], pages: '2-4' })
    expect(body.items.map(numbers)).toEqual([
      [2, 3, 4],
      [2, 3],
    ])
  })

  test('returns whole books without a range or with null', async () => {
    expect(numbers((await batch({ ids: [book] })).body.items[0])).toHaveLength(10)
    expect(numbers((await batch({ ids: [book], pages: null })).body.items[0])).toHaveLength(10)
    expect(numbers((await batch({ items: [{ id: book, pages: null }] })).body.items[0])).toHaveLength(10)
  })

  test('items takes precedence over ids', async () => {
    const { body } = await batch({ ids: ['nope'], items: [{ id: book, pages: '1' }] })
    expect(body).toMatchObject({ notFound: [], items: [{ id: book }] })
  })

  test.for<[string, unknown, RegExp]>([
    ['neither items nor ids', {}, /neither was supplied/],
    ['an empty list of ids', { ids: [] }, /neither was supplied/],
    ['51 ids', { ids: Array.from({ length: 51 }, () => 'x') }, /Maximum is 50 per batch/],
    ['a number among the ids', { ids: [5] }, /valid id string/],
    ['an empty id', { ids: [''] }, /valid id string/],
    ['ids that are a string', { ids: 'x' }, /ids/],
    ['a range that is a number', { ids: ['x'], pages: 3 }, /pages must be a string/],
  ])('refuses %s', async ([, body, says]) => {
    expectRefusal(await batch(body), 'rest', { status: 400, message: says })
  })
})
