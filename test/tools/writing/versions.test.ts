import { describe, expect, test } from 'vitest'
import { systemOwner } from '../../../src/books/book.ts'
import { appendItemPages } from '../../../src/writing/append-item-pages.ts'
import { transports } from '../../support/transports.ts'
import { makeBook } from '../../support/make-book.ts'
import { plansEnvironment } from '../../support/plans-environment.ts'
import { readsUsed, chargeReads } from '../../support/charge-reads.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { contextOf } from '../../support/context.ts'
import { findOwnedBook, storedPages } from '../../support/stored-pages.ts'

const server = useTestServer(await plansEnvironment({ tier: 'TINY', monthlyReadLimit: 5 }))

const instant = expect.stringMatching(/^\d{4}-.*Z$/)

describe.for(transports)('list_item_versions over %s', ([name, transport]) => {
  test('lists the versions before the current one, newest first, with author and reason', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: '# A\n' })
    await transport.call(server, person, 'append_item_pages', { id, content: '# B\n' })
    await transport.call(server, person, 'put_item_page', { id, pageNum: 1, content: '# é\n' })
    await transport.call(server, person, 'put_item_content', { id, content: 'text' })
    await transport.call(server, person, 'restore_item_version', { id, version: 2 })
    const { body, status } = await transport.call(server, person, 'list_item_versions', { id })
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

  test('lists the last 50 versions', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: '# A\n' })
    const ctx = await contextOf(server, person)
    for (let i = 0; i < 60; i++) await appendItemPages(ctx, { id, content: 'x\n' })
    const { body } = await transport.call(server, person, 'list_item_versions', { id })
    expect(body.currentVersion).toBe(61)
    expect(body.versions.map(({ version }: { version: number }) => version)).toEqual(
      Array.from({ length: 50 }, (_, index) => 60 - index),
    )
  })

  test('charges one read, and none when it is refused', async () => {
    const person = await server.createPerson({ plan: 'TINY' })
    const id = await makeBook(server, person, { content: '# A\n' })
    await chargeReads(server, person, 4)
    expect((await transport.call(server, person, 'list_item_versions', { id })).body).toEqual({
      currentVersion: 1,
      versions: [],
    })
    expect(await readsUsed(server, person)).toBe(5)
    expectRefusal(await transport.call(server, person, 'list_item_versions', { id }), name, {
      status: 429,
      code: 'READ_LIMIT_EXCEEDED',
      message: /monthly reads/,
    })
    const missing = await transport.call(server, person, 'list_item_versions', { id: 'nope' })
    expectRefusal(missing, name, { status: 404, code: 'NOT_FOUND', message: /Item not found/ })
    expect(await readsUsed(server, person)).toBe(5)
  })

  test("lists versions of built-in books but not of other accounts' books", async () => {
    const builtIn = await makeBook(server, { id: systemOwner }, { content: 'text' })
    const foreign = await makeBook(server, await server.createPerson(), { content: 'text' })
    const person = await server.createPerson()
    expect((await transport.call(server, person, 'list_item_versions', { id: builtIn })).body.currentVersion).toBe(1)
    const refusal = { status: 404, code: 'NOT_FOUND', message: /Item not found/ }
    expectRefusal(await transport.call(server, person, 'list_item_versions', { id: foreign }), name, refusal)
  })
})

describe.for(transports)('restore_item_version over %s', ([name, transport]) => {
  test('restores an earlier text byte for byte and keeps the previous one as a version', async () => {
    const person = await server.createPerson()
    const texts = ['# A\r\na\r\n# B', 'none\n', '# A\n# B\n# C\n', '']
    const id = await makeBook(server, person, { content: texts[0] as string })
    for (const content of texts.slice(1)) await transport.call(server, person, 'put_item_content', { id, content })
    const { body, status } = await transport.call(server, person, 'restore_item_version', { id, version: 1 })
    expect(status).toBe(200)
    expect(body).toEqual({ id, version: 5, restoredFrom: 1, pageCount: 2, updatedAt: instant })
    expect(await findOwnedBook(server, person, id)).toMatchObject({ version: 5, pageCount: 2, health: 'ok' })
    for (const [index, text] of [...texts, texts[0]].entries()) {
      expect((await storedPages(server, person, { id, version: index + 1 })).join('')).toBe(text)
    }
    const { body: read } = await transport.call(server, person, 'get_item_content', { id })
    expect(read).toMatchObject({ version: 5, content: texts[0] })
  })

  test('restores the outline with the text', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: '# A\n## a\n# B\n' })
    await transport.call(server, person, 'put_item_content', { id, content: 'nothing' })
    await transport.call(server, person, 'restore_item_version', { id, version: 1 })
    const { body } = await transport.call(server, person, 'get_table_of_contents', { ids: [id] })
    expect(body.items[0].toc).toEqual([
      { title: 'A', page: 1, level: 1 },
      { title: 'a', page: 1, level: 2 },
      { title: 'B', page: 2, level: 1 },
    ])
  })

  test('stores no page again', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: '# A\n# B\n' })
    await transport.call(server, person, 'put_item_page', { id, pageNum: 1, content: '# X\n' })
    await transport.call(server, person, 'restore_item_version', { id, version: 1 })
    const pages = server.running.opened.database.db.collection<{ _id: string }>('pages')
    expect(await pages.countDocuments({ _id: { $gte: `${id}:`, $lt: `${id};` } })).toBe(3)
  })

  test.for([
    ['the current version', 2],
    ['a version with the same text', 1],
  ] as const)('restoring %s does not change the book', async ([, version]) => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: '# A\n# B\n' })
    await transport.call(server, person, 'put_item_page', { id, pageNum: 1, content: '# X\n' })
    await transport.call(server, person, 'put_item_page', { id, pageNum: 1, content: '# A\n' })
    expect(
      (await transport.call(server, person, 'restore_item_version', { id, version: version === 2 ? 3 : 1 })).body,
    ).toMatchObject({ version: 3 })
    expect(await findOwnedBook(server, person, id)).toMatchObject({ version: 3 })
  })

  test.for<[string, unknown, { status: number; code: string; message: RegExp }]>([
    [
      'a version that does not exist yet',
      2,
      { status: 404, code: 'NOT_FOUND', message: /Version 2 not found.*version 1/ },
    ],
    ['version 0', 0, { status: 400, code: 'INVALID_INPUT', message: /version must be at least 1/ }],
    ['a version that is a string', '1', { status: 400, code: 'INVALID_INPUT', message: /version must be a number/ }],
    ['no version', undefined, { status: 400, code: 'INVALID_INPUT', message: /version is required/ }],
  ])('refuses %s', async ([, version, refusal]) => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: '# A\n' })
    expectRefusal(await transport.call(server, person, 'restore_item_version', { id, version }), name, refusal)
  })
})
