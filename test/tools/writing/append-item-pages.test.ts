import { describe, expect, test } from 'vitest'
import { mcp, send, transports, type ToolResponse } from '../../support/transports.ts'
import { makeBook, markdownPages } from '../../support/make-book.ts'
import { expectRefusal, type ExpectedRefusal } from '../../support/expect-refusal.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { appendItemPages } from '../../../src/writing/append-item-pages.ts'
import { contextOf } from '../../support/context.ts'
import { findOwnedBook, storedPages } from '../../support/stored-pages.ts'

const server = useTestServer()

const invalid = (says: RegExp): ExpectedRefusal => ({ status: 400, code: 'INVALID_INPUT', message: says })

describe.for(transports)('append_item_pages over %s', ([name, transport]) => {
  const append = (person: Person, input: Record<string, unknown>): Promise<ToolResponse> =>
    transport.call(server, person, 'append_item_pages', input)

  test('adds pages at the end and returns 201 with the fields of the contract', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: '# A\na\n' })
    const { body, status } = await append(person, { id, content: '# B\nb\n# C\n' })
    expect(status).toBe(name === 'rest' ? 201 : 200)
    const updatedAt = expect.stringMatching(/^\d{4}-.*Z$/)
    expect(body).toEqual({ id, title: 'A Book', version: 2, pageCount: 3, addedPages: 2, firstPage: 2, updatedAt })
    expect(await storedPages(server, person, { id })).toEqual(['# A\na\n', '# B\nb\n', '# C\n'])
    expect(await findOwnedBook(server, person, id)).toMatchObject({ version: 2, pageCount: 3 })
  })

  test.for<[string, string, Record<string, unknown>, string[], Record<string, unknown>]>([
    ['to an empty book', '', { content: '# A\n# B' }, ['# A\n', '# B'], { addedPages: 2, firstPage: 1 }],
    ['to an empty book at the start', '', { content: 'x', position: 'start' }, ['x'], { addedPages: 1, firstPage: 1 }],
    ['on a new line', '# A', { content: '# B' }, ['# A\n', '# B'], { addedPages: 1, firstPage: 2 }],
    [
      'to the last page',
      '# A\n# B\nb',
      { content: 'more' },
      ['# A\n', '# B\nb\nmore'],
      { addedPages: 0, firstPage: 2 },
    ],
    [
      'at the start',
      '# A\n',
      { content: '# Z', position: 'start' },
      ['# Z\n', '# A\n'],
      { addedPages: 1, firstPage: 1 },
    ],
    [
      'after front matter at the start',
      '---\na: b\n---\n# A\n',
      { content: '# Z\n', position: 'start' },
      ['---\na: b\n---\n', '# Z\n', '# A\n'],
      { addedPages: 1, firstPage: 2 },
    ],
  ])('adds text %s', async ([, book, input, pages, shape]) => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: book })
    const { body } = await append(person, { id, ...input })
    expect(body).toMatchObject({ version: 2, pageCount: pages.length, ...shape })
    expect(await storedPages(server, person, { id })).toEqual(pages)
  })

  test('an empty text changes nothing', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: '# A\n' })
    const { body, status } = await append(person, { id, content: '' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ version: 1, pageCount: 1, addedPages: 0, firstPage: null })
  })

  test('makes an empty book healthy', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person)
    expect(await findOwnedBook(server, person, id)).toMatchObject({ health: 'empty' })
    await append(person, { id, content: 'text' })
    expect(await findOwnedBook(server, person, id)).toMatchObject({ health: 'ok', healthReason: null })
  })

  test('adds the new headings to the outline', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: '# A\n' })
    await append(person, { id, content: '# B\n## b\n' })
    await append(person, { id, content: '# Z\n', position: 'start' })
    const { body } = await transport.call(server, person, 'get_table_of_contents', { ids: [id] })
    expect(body.items[0].toc).toEqual([
      { title: 'Z', page: 1, level: 1 },
      { title: 'A', page: 2, level: 1 },
      { title: 'B', page: 3, level: 1 },
      { title: 'b', page: 3, level: 2 },
    ])
  })

  test('accepts 1,000,000 bytes and the thousandth page, and refuses more', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: markdownPages(998) })
    expect((await append(person, { id, content: `# x\n${'é'.repeat(499_998)}` })).body.pageCount).toBe(999)
    expect((await append(person, { id, content: '# x\n' })).body.pageCount).toBe(1000)
    expectRefusal(await append(person, { id, content: '# x\n' }), name, {
      status: 400,
      code: 'INVALID_INPUT',
      message: /1001 pages; a book may have 1000/,
    })
    expect((await append(person, { id, content: 'text' })).body.pageCount).toBe(1000)
  })

  test('a book may grow to 20 MB and no further', async () => {
    const person = await server.createPerson()
    const part = `# x\n${'x'.repeat(999_995)}\n`
    const id = await makeBook(server, person, { content: part })
    const ctx = await contextOf(server, person)
    for (let i = 2; i < 20; i++) await appendItemPages(ctx, { id, content: part })
    expect((await append(person, { id, content: part })).body.pageCount).toBe(20)
    expectRefusal(await append(person, { id, content: 'more' }), name, {
      status: 400,
      code: 'INVALID_INPUT',
      message: /20000004 bytes; a book may have 20000000/,
    })
    expect((await storedPages(server, person, { id })).join('')).toBe(part.repeat(20))
  })

  test('text can be added before a page without a heading', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: '# A\n# B\n# C\n' })
    await transport.call(server, person, 'put_item_page', { id, pageNum: 2, content: 'b\n' })
    const { body } = await append(person, { id, content: '# Zero\nz', position: 'start' })
    expect(body).toMatchObject({ addedPages: 1, firstPage: 1, pageCount: 4 })
    expect(await storedPages(server, person, { id })).toEqual(['# Zero\nz\n', '# A\n', 'b\n', '# C\n'])
    await transport.call(server, person, 'put_item_page', { id, pageNum: 1, content: 'zero\n' })
    const refused = await append(person, { id, content: '```\n', position: 'start' })
    expectRefusal(refused, name, invalid(/following pages would become part of it/))
    expect((await append(person, { id, content: 'lead', position: 'start' })).body).toMatchObject({ addedPages: 0 })
    expect(await storedPages(server, person, { id })).toEqual(['lead\nzero\n', '# A\n', 'b\n', '# C\n'])
  })

  // Over MCP null counts as omitted.
  const nullVersion: [string, Record<string, unknown>, ExpectedRefusal] = [
    'a version that is null',
    { content: 'x', expectedVersion: null },
    invalid(/expectedVersion must be a number/),
  ]
  test.for<[string, Record<string, unknown>, ExpectedRefusal]>([
    ['no content', {}, invalid(/content is required/)],
    ['content that is a number', { content: 5 }, invalid(/content must be a string/)],
    ['content with a lone surrogate', { content: 'a\ud800' }, invalid(/surrogate/)],
    [
      'content of 1,000,001 bytes',
      { content: 'x'.repeat(1_000_001) },
      { status: 413, code: 'PAYLOAD_TOO_LARGE', message: /content exceeds 1000000 bytes per request/ },
    ],
    ['an unknown position', { content: 'x', position: 'middle' }, invalid(/position must be one of start, end/)],
    ['a version that is a string', { content: 'x', expectedVersion: '1' }, invalid(/expectedVersion must be a number/)],
    ...(name === 'rest' ? [nullVersion] : []),
    [
      'text that absorbs later pages',
      { content: '```\n', position: 'start' },
      invalid(/following pages would become part of it/),
    ],
  ])('refuses %s and changes nothing', async ([, input, refusal]) => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: '# A\n# B\n' })
    expectRefusal(await append(person, { id, ...input }), name, refusal)
    expect(await findOwnedBook(server, person, id)).toMatchObject({ version: 1 })
  })
})

const path = (id: string) => `/api/v1/items/${id}/pages`

describe('an Idempotency-Key', () => {
  test('makes a repeated append take effect once, over both transports', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: '# A\n' })
    const headers = { 'Idempotency-Key': 'k1' }
    const request = { method: 'POST', path: path(id), body: { content: '# B\n' }, headers }
    const first = await send(server, person.key, request)
    expect((await send(server, person.key, request)).body).toEqual(first.body)
    const input = { id, content: '# C\n', idempotencyKey: 'k2' }
    const second = await mcp.call(server, person, 'append_item_pages', input)
    expect((await mcp.call(server, person, 'append_item_pages', input)).body).toEqual(second.body)
    expect(await storedPages(server, person, { id })).toEqual(['# A\n', '# B\n', '# C\n'])
  })

  test('that was used with another request is refused', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: '# A\n' })
    const headers = { 'Idempotency-Key': 'k1' }
    await send(server, person.key, { method: 'POST', path: path(id), body: { content: '# B\n' }, headers })
    const other = await send(server, person.key, {
      method: 'POST',
      path: path(id),
      body: { content: '# C\n' },
      headers,
    })
    expect(other).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } })
  })
})

test('content of only escaped characters is accepted', async () => {
  const person = await server.createPerson()
  const id = await makeBook(server, person)
  const body = `{"content":"${'\\u0041'.repeat(1_000_000)}"}`
  expect((await send(server, person.key, { method: 'POST', path: `/api/v1/items/${id}/pages`, body })).status).toBe(201)
})
