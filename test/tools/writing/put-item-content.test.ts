import { describe, expect, test } from 'vitest'
import { rest, transports, type ToolResponse } from '../../support/transports.ts'
import { makeBook, markdownPages } from '../../support/make-book.ts'
import { expectRefusal, type ExpectedRefusal } from '../../support/expect-refusal.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { findOwnedBook, storedPages } from '../../support/stored-pages.ts'

const server = useTestServer()

const invalid = (says: RegExp): ExpectedRefusal => ({ status: 400, code: 'INVALID_INPUT', message: says })

describe.for(transports)('put_item_content over %s', ([name, transport]) => {
  const put = (person: Person, input: Record<string, unknown>): Promise<ToolResponse> =>
    transport.call(server, person, 'put_item_content', input)

  test('replaces the whole text and returns the fields of the contract', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { title: 'Sea', content: '# A\n# B\n' })
    const content = 'intro\n# X\n```\n# no\n```\n# Y'
    const { body, status } = await put(person, { id, content, expectedVersion: 1 })
    expect(status).toBe(200)
    const updatedAt = expect.stringMatching(/^\d{4}-.*Z$/)
    expect(body).toEqual({ id, title: 'Sea', version: 2, pageCount: 3, updatedAt })
    expect(await storedPages(server, person, { id })).toEqual(['intro\n', '# X\n```\n# no\n```\n', '# Y'])
    const { body: read } = await transport.call(server, person, 'get_item_content', { id })
    expect(read).toMatchObject({ content, version: 2, pageCount: 3 })
  })

  test('a text that was read can be edited and written back', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: markdownPages(5) })
    for (let version = 1; version <= 3; version++) {
      const { body: read } = await transport.call(server, person, 'get_item_content', { id })
      expect(read.version).toBe(version)
      const content = read.content.replace('text 3', `text 3 ${version}`)
      await put(person, { id, content, expectedVersion: read.version })
    }
    expect((await storedPages(server, person, { id }))[2]).toBe('# Page 3\n\ntext 3 3 2 1\n')
  })

  test('identical text does not create a version', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: markdownPages(3) })
    expect((await put(person, { id, content: markdownPages(3) })).body).toMatchObject({ version: 1, pageCount: 3 })
    expect(await findOwnedBook(server, person, id)).toMatchObject({ version: 1 })
  })

  test('a text can be emptied and filled again, and the health follows', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: '# A\n' })
    expect((await put(person, { id, content: '' })).body).toMatchObject({ version: 2, pageCount: 0 })
    expect(await findOwnedBook(server, person, id)).toMatchObject({ health: 'empty', status: 'READY' })
    expect((await put(person, { id, content: 'text' })).body).toMatchObject({ version: 3, pageCount: 1 })
    expect(await findOwnedBook(server, person, id)).toMatchObject({ health: 'ok', healthReason: null })
  })

  test.for<[string, Record<string, unknown>, ExpectedRefusal]>([
    ['no content', {}, invalid(/content is required/)],
    ['content that is null', { content: null }, invalid(/content must be a string/)],
    ['1,001 pages', { content: '# x\n'.repeat(1001) }, invalid(/1001 pages.*1000/)],
    [
      'content of 1,000,001 bytes',
      { content: 'x'.repeat(1_000_001) },
      { status: 413, code: 'PAYLOAD_TOO_LARGE', message: /content exceeds 1000000 bytes/ },
    ],
  ])('refuses %s and changes nothing', async ([, input, refusal]) => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: '# A\n' })
    expectRefusal(await put(person, { id, ...input }), name, refusal)
    expect(await findOwnedBook(server, person, id)).toMatchObject({ version: 1 })
  })
})

test('changing one page of many stores only that page', async () => {
  const person = await server.createPerson()
  const id = await makeBook(server, person, { content: markdownPages(100) })
  await rest.call(server, person, 'put_item_content', {
    id,
    content: markdownPages(100).replace('text 50\n', 'other\n'),
  })
  const pages = server.running.opened.database.db.collection<{ _id: string }>('pages')
  expect(await pages.countDocuments({ _id: { $gte: `${id}:`, $lt: `${id};` } })).toBe(101)
})
