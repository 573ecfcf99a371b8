import { describe, expect, test } from 'vitest'
import { systemOwner } from '../../../src/books/book.ts'
import { rest, send, transports } from '../../support/transports.ts'
import { makeBook, markdownPages } from '../../support/make-book.ts'
import { plansEnvironment } from '../../support/plans-environment.ts'
import { expectRefusal, type ExpectedRefusal } from '../../support/expect-refusal.ts'
import { seedBooks } from '../../support/seed-books.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { findOwnedBook } from '../../support/stored-pages.ts'

const server = useTestServer(await plansEnvironment({ tier: 'TINY', itemLimit: 1 }))

const writes: [tool: string, input: Record<string, unknown>][] = [
  ['append_item_pages', { content: '# New\n' }],
  ['put_item_page', { pageNum: 1, content: '# New\n' }],
  ['put_item_content', { content: '# New\n' }],
  ['restore_item_version', { version: 1 }],
]

const uneditable = (says: RegExp): ExpectedRefusal => ({ status: 409, code: 'ITEM_NOT_EDITABLE', message: says })

describe.for(transports)('every content write over %s', ([name, transport]) => {
  test.for(writes)(
    '%s: an outdated expectedVersion gives VERSION_CONFLICT with the changed pages',
    async ([tool, input]) => {
      const person = await server.createPerson()
      const id = await makeBook(server, person, { content: markdownPages(4) })
      await transport.call(server, person, 'put_item_page', { id, pageNum: 2, content: '# Two\n' })
      await transport.call(server, person, 'append_item_pages', { id, content: '# Five\n' })
      const { contentUpdatedAt } = await findOwnedBook(server, person, id)
      expectRefusal(await transport.call(server, person, tool, { id, ...input, expectedVersion: 1 }), name, {
        status: 409,
        code: 'VERSION_CONFLICT',
        message: /at version 3, not 1.*Read it again/,
        fields: {
          currentVersion: 3,
          expectedVersion: 1,
          changedPages: [2, 5],
          updatedAt: contentUpdatedAt.toISOString(),
          updatedBy: person.email.split('@')[0],
        },
      })
      const unknown = await transport.call(server, person, tool, { id, ...input, expectedVersion: 9 })
      expectRefusal(unknown, name, {
        status: 409,
        code: 'VERSION_CONFLICT',
        message: /not 9/,
        fields: { changedPages: [1, 2, 3, 4, 5] },
      })
      expect(await findOwnedBook(server, person, id)).toMatchObject({ version: 3 })
      expect((await transport.call(server, person, tool, { id, ...input, expectedVersion: 3 })).body.version).toBe(4)
    },
  )

  const notFound: ExpectedRefusal = { status: 404, code: 'NOT_FOUND', message: /Item not found/ }

  test.for(writes)(
    "%s: unknown books and other accounts' books get the same refusal, built-in ones are read-only",
    async ([tool, input]) => {
      const person = await server.createPerson()
      const foreign = await makeBook(server, await server.createPerson(), { content: '# A\n' })
      const builtIn = await makeBook(server, { id: systemOwner }, { content: '# A\n' })
      expectRefusal(await transport.call(server, person, tool, { id: 'nope', ...input }), name, notFound)
      expectRefusal(await transport.call(server, person, tool, { id: foreign, ...input }), name, notFound)
      const forbidden = {
        status: 403,
        code: 'FORBIDDEN',
        message: /may read this book, not change it\. Ask its owner, or create/,
      }
      expectRefusal(await transport.call(server, person, tool, { id: builtIn, ...input }), name, forbidden)
    },
  )

  test.for(writes)('%s: only Markdown books that are ready can be changed', async ([tool, input]) => {
    const person = await server.createPerson()
    const [pdf] = await seedBooks(server, person, { count: 1, book: () => ({ sourceType: 'pdf' }) })
    const [failed] = await seedBooks(server, person, {
      count: 1,
      book: () => ({ status: 'FAILED', healthReason: 'broken', health: 'failed' }),
    })
    const locked = uneditable(/Item is not editable: only Markdown books are.*pdf/)
    expectRefusal(await transport.call(server, person, tool, { id: pdf, ...input }), name, locked)
    const [word] = await seedBooks(server, person, {
      count: 1,
      book: () => ({ sourceType: 'epub', fileFormat: 'docx' }),
    })
    const named = uneditable(/imported from a file of type docx/)
    expectRefusal(await transport.call(server, person, tool, { id: word, ...input }), name, named)
    const unready = uneditable(/Item is not editable until its file is imported/)
    expectRefusal(await transport.call(server, person, tool, { id: failed, ...input }), name, unready)
  })

  test.for(writes)('%s: a locked book cannot be changed', async ([tool, input]) => {
    const person = await server.createPerson({ plan: 'TINY' })
    const [, id] = await seedBooks(server, person, { count: 2 })
    expectRefusal(await transport.call(server, person, tool, { id, ...input }), name, {
      status: 403,
      code: 'ITEM_LOCKED',
      message: /locked.*Upgrade/,
    })
  })

  test.for(writes)('%s: needs the scope library:write', async ([tool, input]) => {
    const person = await server.createPerson({ scopes: ['library:read'] })
    const id = await makeBook(server, person, { content: '# A\n' })
    const answer = await transport.call(server, person, tool, { id, ...input })
    expect(answer).toMatchObject({
      ok: false,
      status: name === 'rest' ? 403 : 200,
      body: { code: expect.stringMatching(/insufficient_scope/i) },
    })
  })
})

const call = (person: Person, [method, path, body]: [string, string, object], version: string) =>
  send(server, person.key, { method, path: `/api/v1/items/${path}`, body, headers: { 'If-Match': version } })

describe('If-Match over REST', () => {
  const requests: [string, string, Record<string, unknown>][] = [
    ['POST', 'pages', { content: '# New\n' }],
    ['PUT', 'pages/1', { content: '# New\n' }],
    ['PUT', 'content', { content: '# New\n' }],
    ['POST', 'versions', { version: 1 }],
  ]
  test.for(requests)('%s %s: a version other than the current one gives 412', async ([method, end, body]) => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: '# A\n' })
    await rest.call(server, person, 'append_item_pages', { id, content: '# B\n' })
    const stale = await call(person, [method, `${id}/${end}`, body], '"1"')
    expect(stale).toMatchObject({
      status: 412,
      body: { code: 'VERSION_CONFLICT', currentVersion: 2, expectedVersion: 1 },
    })
    expect((await call(person, [method, `${id}/${end}`, body], '"2"')).body.version).toBe(3)
  })

  test.for([
    ['7', 400],
    ['W/"1"', 400],
    ['"1", "2"', 400],
    ['"x"', 400],
    ['*', 201],
    ['"1"', 201],
  ] as const)('the header %s gives %i', async ([version, status]) => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: '# A\n' })
    expect((await call(person, ['POST', `${id}/pages`, { content: '# B\n' }], version)).status).toBe(status)
  })

  test('must match expectedVersion', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: '# A\n' })
    const body = { content: '# B\n', expectedVersion: 1 }
    expect((await call(person, ['POST', `${id}/pages`, body], '"2"')).status).toBe(400)
    expect((await call(person, ['POST', `${id}/pages`, body], '"1"')).status).toBe(201)
  })
})

test('content writes share one bucket of 60 a minute over REST', async () => {
  const person = await server.createPerson()
  const id = await makeBook(server, person, { content: '# A\n' })
  for (let i = 0; i < 59; i++) {
    const { status } = await rest.call(server, person, 'put_item_page', { id, pageNum: 1, content: '# A\n' })
    expect(status).toBe(200)
  }
  await rest.call(server, person, 'put_item_content', { id, content: '# A\n' })
  const refused = await rest.call(server, person, 'append_item_pages', { id, content: '# B\n' })
  expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
})
