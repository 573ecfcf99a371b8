import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemOwner } from '../../../src/books/book.ts'
import { appendItemPages } from '../../../src/writing/append-item-pages.ts'
import { doors } from '../../support/transports.ts'
import { makeBook } from '../../support/make-book.ts'
import { withPlans } from '../../support/plans-environment.ts'
import { readsUsed, useReads } from '../../support/charge-reads.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { bookOf, contextOf, storedPages } from '../../support/stored-pages.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer(await withPlans({ tier: 'TINY', monthlyReadLimit: 5 }))
})
afterAll(() => server.close())

const instant = expect.stringMatching(/^\d{4}-.*Z$/)

describe.for(doors)('list_item_versions over %s', ([name, door]) => {
  test('shows the versions before the current one, newest first, with who wrote them and why', async () => {
    const person = await server.person()
    const id = await makeBook(server, person, { content: '# A\n' })
    await door.call(server, person, 'append_item_pages', { id, content: '# B\n' })
    await door.call(server, person, 'put_item_page', { id, pageNum: 1, content: '# é\n' })
    await door.call(server, person, 'put_item_content', { id, content: 'text' })
    await door.call(server, person, 'restore_item_version', { id, version: 2 })
    const { body, status } = await door.call(server, person, 'list_item_versions', { id })
    expect(status).toBe(200)
    const createdBy = person.email.split('@')[0]
    const client = `${name}/key`
    expect(body).toEqual({
      currentVersion: 5,
      versions: [
        { version: 4, createdAt: instant, createdBy, client, reason: 'replace', pageCount: 1, bytes: 4 },
        { version: 3, createdAt: instant, createdBy, client, reason: 'page', pageCount: 2, bytes: 9 },
        { version: 2, createdAt: instant, createdBy, client, reason: 'append', pageCount: 2, bytes: 8 },
        { version: 1, createdAt: instant, createdBy, client: 'admin/admin', reason: 'create', pageCount: 1, bytes: 4 },
      ],
    })
  })

  test('shows the last 50', async () => {
    const person = await server.person()
    const id = await makeBook(server, person, { content: '# A\n' })
    const ctx = await contextOf(server.running.open.services, person)
    for (let i = 0; i < 60; i++) await appendItemPages(ctx, { id, content: 'x\n' })
    const { body } = await door.call(server, person, 'list_item_versions', { id })
    expect(body.currentVersion).toBe(61)
    expect(body.versions.map(({ version }: { version: number }) => version)).toEqual(
      Array.from({ length: 50 }, (_, index) => 60 - index),
    )
  })

  test('costs one read, and none when it is refused', async () => {
    const person = await server.person({ plan: 'TINY' })
    const id = await makeBook(server, person, { content: '# A\n' })
    await useReads(server, person, 4)
    expect((await door.call(server, person, 'list_item_versions', { id })).body).toEqual({
      currentVersion: 1,
      versions: [],
    })
    expect(await readsUsed(server, person)).toBe(5)
    expectRefusal(await door.call(server, person, 'list_item_versions', { id }), name, {
      status: 429,
      code: 'READ_LIMIT_EXCEEDED',
      says: /monthly reads/,
    })
    const missing = await door.call(server, person, 'list_item_versions', { id: 'nope' })
    expectRefusal(missing, name, { status: 404, code: 'NOT_FOUND', says: /Item not found/ })
    expect(await readsUsed(server, person)).toBe(5)
  })

  test('those of built-in books can be seen, those of others not', async () => {
    const builtIn = await makeBook(server, { id: systemOwner }, { content: 'text' })
    const foreign = await makeBook(server, await server.person(), { content: 'text' })
    const person = await server.person()
    expect((await door.call(server, person, 'list_item_versions', { id: builtIn })).body.currentVersion).toBe(1)
    const refusal = { status: 404, code: 'NOT_FOUND', says: /Item not found/ }
    expectRefusal(await door.call(server, person, 'list_item_versions', { id: foreign }), name, refusal)
  })
})

describe.for(doors)('restore_item_version over %s', ([name, door]) => {
  test('makes an earlier text current again, byte for byte, and keeps the one until then', async () => {
    const person = await server.person()
    const texts = ['# A\r\na\r\n# B', 'none\n', '# A\n# B\n# C\n', '']
    const id = await makeBook(server, person, { content: texts[0] as string })
    for (const content of texts.slice(1)) await door.call(server, person, 'put_item_content', { id, content })
    const { body, status } = await door.call(server, person, 'restore_item_version', { id, version: 1 })
    expect(status).toBe(200)
    expect(body).toEqual({ id, version: 5, restoredFrom: 1, pageCount: 2, updatedAt: instant })
    expect(await bookOf(server, person, id)).toMatchObject({ version: 5, pageCount: 2, health: 'ok' })
    for (const [index, text] of [...texts, texts[0]].entries()) {
      expect((await storedPages(server, person, { id, version: index + 1 })).join('')).toBe(text)
    }
    const { body: read } = await door.call(server, person, 'get_item_content', { id })
    expect(read).toMatchObject({ version: 5, content: texts[0] })
  })

  test('the outline comes back with the text', async () => {
    const person = await server.person()
    const id = await makeBook(server, person, { content: '# A\n## a\n# B\n' })
    await door.call(server, person, 'put_item_content', { id, content: 'nothing' })
    await door.call(server, person, 'restore_item_version', { id, version: 1 })
    const { body } = await door.call(server, person, 'get_table_of_contents', { ids: [id] })
    expect(body.items[0].toc).toEqual([
      { title: 'A', page: 1, level: 1 },
      { title: 'a', page: 1, level: 2 },
      { title: 'B', page: 2, level: 1 },
    ])
  })

  test('stores no page a second time', async () => {
    const person = await server.person()
    const id = await makeBook(server, person, { content: '# A\n# B\n' })
    await door.call(server, person, 'put_item_page', { id, pageNum: 1, content: '# X\n' })
    await door.call(server, person, 'restore_item_version', { id, version: 1 })
    const pages = server.running.open.database.db.collection<{ _id: string }>('pages')
    expect(await pages.countDocuments({ _id: { $gte: `${id}:`, $lt: `${id};` } })).toBe(3)
  })

  test.for([
    ['the current version', 2],
    ['a version with the same text', 1],
  ] as const)('%s leaves the book as it is', async ([, version]) => {
    const person = await server.person()
    const id = await makeBook(server, person, { content: '# A\n# B\n' })
    await door.call(server, person, 'put_item_page', { id, pageNum: 1, content: '# X\n' })
    await door.call(server, person, 'put_item_page', { id, pageNum: 1, content: '# A\n' })
    expect(
      (await door.call(server, person, 'restore_item_version', { id, version: version === 2 ? 3 : 1 })).body,
    ).toMatchObject({ version: 3 })
    expect(await bookOf(server, person, id)).toMatchObject({ version: 3 })
  })

  test.for<[string, unknown, { status: number; code: string; says: RegExp }]>([
    ['a version that is not there yet', 2, { status: 404, code: 'NOT_FOUND', says: /Version 2 not found.*version 1/ }],
    ['version 0', 0, { status: 400, code: 'INVALID_INPUT', says: /version must be at least 1/ }],
    ['a version that is a text', '1', { status: 400, code: 'INVALID_INPUT', says: /version must be a number/ }],
    ['no version', undefined, { status: 400, code: 'INVALID_INPUT', says: /version is required/ }],
  ])('refuses %s', async ([, version, refusal]) => {
    const person = await server.person()
    const id = await makeBook(server, person, { content: '# A\n' })
    expectRefusal(await door.call(server, person, 'restore_item_version', { id, version }), name, refusal)
  })
})
