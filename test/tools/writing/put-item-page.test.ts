import { describe, expect, test } from 'vitest'
import { transports, send, type ToolResponse } from '../../support/transports.ts'
import { makeBook } from '../../support/make-book.ts'
import { expectRefusal, type ExpectedRefusal } from '../../support/expect-refusal.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { findOwnedBook, storedPages } from '../../support/stored-pages.ts'

const server = useTestServer()

const three = '# A\na\n# B\nb\n# C\nc'

const invalid = (says: RegExp): ExpectedRefusal => ({ status: 400, code: 'INVALID_INPUT', message: says })

describe.for(transports)('put_item_page over %s', ([name, transport]) => {
  const put = (person: Person, input: Record<string, unknown>): Promise<ToolResponse> =>
    transport.call(server, person, 'put_item_page', input)

  test('replaces one page and returns the fields of the contract', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: three })
    const { body, status } = await put(person, { id, pageNum: 2, content: '# New\nwords\n', expectedVersion: 1 })
    expect(status).toBe(200)
    expect(body).toEqual({ id, pageNum: 2, version: 2, pageCount: 3, updatedAt: expect.stringMatching(/^\d{4}-.*Z$/) })
    expect(await storedPages(server, person, { id })).toEqual(['# A\na\n', '# New\nwords\n', '# C\nc'])
    const { body: read } = await transport.call(server, person, 'read_items', { items: [{ id, pages: '2' }] })
    expect(read.items[0]).toMatchObject({
      pages: [{ pageNum: 2, content: '# New\nwords\n', chapter: ['New'] }],
      freshness: { contentVersion: 2, lastUpdatedAt: body.updatedAt },
    })
  })

  test('a page that a book of one page does not have is refused', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: '# Only' })
    const message = /^(?:NOT_FOUND: )?Page 2 not found: the book has 1 page\. To add pages, use append_item_pages\./
    expectRefusal(await put(person, { id, pageNum: 2, content: 'x' }), name, {
      status: 404,
      code: 'NOT_FOUND',
      message,
    })
  })

  test.for<[string, number, string, string[]]>([
    ['adds a line end when a page follows', 1, '# X', ['# X\n', '# B\nb\n', '# C\nc']],
    ['adds no line end to the last page', 3, '# X', ['# A\na\n', '# B\nb\n', '# X']],
    ['accepts a page without a heading', 2, 'text', ['# A\na\n', 'text\n', '# C\nc']],
    ['accepts headings in code', 2, '```\n# x\n```\n', ['# A\na\n', '```\n# x\n```\n', '# C\nc']],
  ])('%s', async ([, pageNum, content, pages]) => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: three })
    expect((await put(person, { id, pageNum, content })).ok).toBe(true)
    expect(await storedPages(server, person, { id })).toEqual(pages)
    const { body } = await transport.call(server, person, 'get_item_content', { id })
    expect(body).toMatchObject({ content: pages.join(''), version: 2 })
  })

  test('identical text does not create a version', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: three })
    const before = await findOwnedBook(server, person, id)
    for (const content of ['# B\nb\n', '# B\nb']) {
      const { body } = await put(person, { id, pageNum: 2, content })
      expect(body).toMatchObject({ version: 1, updatedAt: before.updatedAt.toISOString() })
    }
    expect(await findOwnedBook(server, person, id)).toEqual(before)
  })

  test.for<[string, Record<string, unknown>, ExpectedRefusal]>([
    ['a second heading', { pageNum: 2, content: '# X\n# Y\n' }, invalid(/exactly one page.*Append more pages/)],
    ['no text', { pageNum: 2, content: '' }, invalid(/one page; it is empty/)],
    ['no content', { pageNum: 2 }, invalid(/content is required/)],
    ['page 0', { pageNum: 0, content: '# X' }, invalid(/pageNum must be/)],
    ['page -1', { pageNum: -1, content: '# X' }, invalid(/pageNum must be/)],
    ['page 1.5', { pageNum: 1.5, content: '# X' }, invalid(/pageNum/)],
    ['a page past the end', { pageNum: 4, content: '# X' }, { status: 404, code: 'NOT_FOUND', message: /has 3 pages/ }],
    [
      'content of 1,000,001 bytes',
      { pageNum: 1, content: 'x'.repeat(1_000_001) },
      { status: 413, code: 'PAYLOAD_TOO_LARGE', message: /content exceeds 1000000 bytes/ },
    ],
  ])('refuses %s and changes nothing', async ([, input, refusal]) => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: three })
    expectRefusal(await put(person, { id, ...input }), name, refusal)
    expect(await findOwnedBook(server, person, id)).toMatchObject({ version: 1 })
  })

  test('an empty book has no page to replace', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person)
    const refusal = { status: 404, code: 'NOT_FOUND', message: /has 0 pages/ }
    expectRefusal(await put(person, { id, pageNum: 1, content: 'x' }), name, refusal)
  })
})

test.for(['abc', '1e3', '01', '99999999999'])('over REST the page number %s is refused', async (number) => {
  const person = await server.createPerson()
  const id = await makeBook(server, person, { content: three })
  const path = `/api/v1/items/${id}/pages/${number}`
  const { status, body } = await send(server, person.key, { method: 'PUT', path, body: { content: 'x' } })
  expect([status, body.code]).toEqual([400, 'INVALID_INPUT'])
})

test('over REST the page number of the path takes precedence over the body', async () => {
  const person = await server.createPerson()
  const id = await makeBook(server, person, { content: three })
  const request = { method: 'PUT', path: `/api/v1/items/${id}/pages/1`, body: { content: '# X\n', pageNum: 3 } }
  expect((await send(server, person.key, request)).body).toMatchObject({ pageNum: 1, version: 2 })
})
