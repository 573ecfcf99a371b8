import { describe, expect, test } from 'vitest'
import { systemOwner } from '../../../src/books/book.ts'
import { mcp, send, transports } from '../../support/transports.ts'
import { makeBook, markdownPages } from '../../support/make-book.ts'
import { readsUsed } from '../../support/charge-reads.ts'
import { collectText, largestAnswer } from '../../support/collect-text.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import { seedBooks } from '../../support/seed-books.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

describe.for(transports)('get_item_content over %s', ([name, transport]) => {
  test('returns the whole book with its version and charges one read', async () => {
    const person = await server.createPerson()
    const content = `intro\n${markdownPages(3)}`
    const id = await makeBook(server, person, { title: 'Sea', description: 'About it', content })
    const { body, status } = await transport.call(server, person, 'get_item_content', { id })
    const instant = expect.stringMatching(/^\d{4}-.*Z$/)
    expect(status).toBe(200)
    expect(body).toEqual({
      id,
      title: 'Sea',
      description: 'About it',
      content,
      version: 1,
      updatedAt: instant,
      freshness: { contentVersion: 1, lastUpdatedAt: instant, changesSinceLastRead: null },
      url: `${server.baseUrl}/books/${id}?v=1`,
      proRestricted: false,
      previewPageCount: null,
      totalPageCount: 4,
      upgradeUrl: null,
      pageCount: 4,
    })
    expect(await readsUsed(server, person)).toBe(1)
  })

  test('an empty book has empty content', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person)
    expect((await transport.call(server, person, 'get_item_content', { id })).body).toMatchObject({
      content: '',
      version: 1,
      pageCount: 0,
    })
  })

  test('a built-in book is readable by everybody', async () => {
    const id = await makeBook(server, { id: systemOwner }, { content: 'text' })
    const { body } = await transport.call(server, await server.createPerson(), 'get_item_content', { id })
    expect(body.content).toBe('text')
  })

  test.for([
    ['an unknown id', async () => 'nope'],
    [
      "the id of another account's book",
      async () => makeBook(server, await server.createPerson(), { content: 'secret' }),
    ],
    [
      'a deleted book',
      async (person: Person) => {
        const id = await makeBook(server, person)
        await transport.call(server, person, 'delete_items', { ids: [id] })
        return id
      },
    ],
    ['an id with a slash', async () => '../items'],
    ['an id with a NUL', async () => 'a\u0000b'],
    ['an id that looks like an operator', async () => '$ne'],
  ] as const)('returns 404 for %s and charges nothing', async ([, makeId]) => {
    const person = await server.createPerson()
    const answer = await transport.call(server, person, 'get_item_content', { id: await makeId(person) })
    expectRefusal(answer, name, { status: 404, mcpCode: 'NOT_FOUND', message: /Item not found/ })
    expect(await readsUsed(server, person)).toBe(0)
  })
})

const content = (person: Person, path: string) =>
  send(server, person.key, { method: 'GET', path: `/api/v1/items/${path}` })

describe('get_item_content over REST', () => {
  test('returns a large book completely', async () => {
    const person = await server.createPerson()
    const text = '本文\n'.repeat(100_000)
    const id = await makeBook(server, person, { content: text })
    const { body } = await content(person, `${id}/content`)
    expect(body).toMatchObject({ version: 1 })
    expect(body.content).toBe(text)
    expect(body).not.toHaveProperty('truncated')
  })

  test.for(['fromPage=2', 'fromPage=x', 'sessionId=abc', 'id=other', 'anything=1'])(
    'ignores the query %s',
    async (query) => {
      const person = await server.createPerson()
      const id = await makeBook(server, person, { content: markdownPages(3) })
      const { body, status } = await content(person, `${id}/content?${query}`)
      expect(status).toBe(200)
      expect(body).toMatchObject({ id, version: 1, content: markdownPages(3) })
    },
  )

  test('separates the pages of a book that is not Markdown by an empty line', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: '# A\nx\n# B\ny' })
    await server.running.opened.services.books.change(person.id, id, { set: { sourceType: 'pdf' } })
    expect((await content(person, `${id}/content`)).body.content).toBe('# A\nx\n\n\n# B\ny')
  })
})

describe('get_item_content over MCP, for a book that does not fit', () => {
  test('withholds the version, and read_items continues where it ended', async () => {
    const person = await server.createPerson()
    const text = `# x\n${'word '.repeat(4000)}\n`.repeat(8)
    const id = await makeBook(server, person, { description: 'd'.repeat(4000), content: text })
    const answer = await mcp.call(server, person, 'get_item_content', { id })
    expect(answer.body).toMatchObject({
      version: null,
      truncated: true,
      versionWithheld: expect.any(String),
      pageCount: 8,
    })
    expect(text.startsWith(answer.body.content)).toBe(true)
    expect(answer.body.content.length).toBeGreaterThan(20_000)
    expect(answer.text).toContain(`"pages":"${answer.body.nextPages}"`)
    const rest = await collectText(server, person, { id, from: answer.body.nextPages })
    expect(answer.body.content + rest.text).toBe(text)
  })

  test.for<[string, { content: string; description?: string; title?: string }]>([
    ['plain text beside a long description', { content: 'word '.repeat(40_000), description: 'd'.repeat(4000) }],
    ['a dense script', { content: '本文'.repeat(40_000), description: '説'.repeat(4000), title: '題'.repeat(200) }],
    ['quotation marks', { content: '"\\\n'.repeat(40_000) }],
    ['markers of the answer itself', { content: '</book><page>'.repeat(15_000) }],
    ['surrogate pairs', { content: `x${'😀'.repeat(40_000)}` }],
  ])('returns no answer that is too large: %s', async ([, book]) => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, book)
    const answer = await mcp.call(server, person, 'get_item_content', { id })
    const { characters, tokens } = largestAnswer([answer])
    expect(characters).toBeLessThanOrEqual(60_000)
    expect(tokens).toBeLessThanOrEqual(20_000)
    const rest = await collectText(server, person, { id, from: answer.body.nextPages })
    expect(answer.body.content + rest.text).toBe(book.content)
  })

  test('continues at fromPage and withholds the version of a part', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: markdownPages(5) })
    const { body } = await mcp.call(server, person, 'get_item_content', { id, fromPage: 4 })
    expect(body).toMatchObject({
      content: '# Page 4\n\ntext 4\n# Page 5\n\ntext 5\n',
      version: null,
      truncated: false,
      freshness: { contentVersion: 1 },
    })
    expect(body).not.toHaveProperty('nextPages')
    const whole = await mcp.call(server, person, 'get_item_content', { id, fromPage: 1 })
    expect(whole.body.version).toBe(1)
  })

  test('a book without pages has no page to begin at', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: '' })
    const answer = await mcp.call(server, person, 'get_item_content', { id, fromPage: 2 })
    const message = /fromPage must be omitted: this book has no pages/
    expectRefusal(answer, 'mcp', { status: 400, code: 'INVALID_INPUT', message })
  })

  test.for([6, 0, -1, 1.5, '2'])('refuses fromPage %j for a book of five pages without charge', async (fromPage) => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: markdownPages(5) })
    const answer = await mcp.call(server, person, 'get_item_content', { id, fromPage })
    expectRefusal(answer, 'mcp', { status: 400, code: 'INVALID_INPUT', message: /fromPage/ })
    expect(await readsUsed(server, person)).toBe(0)
  })

  test('refuses an id that is too long, missing or unknown', async () => {
    const person = await server.createPerson()
    for (const input of [{ id: 'x'.repeat(65) }, {}, { id: '' }, { id: 5 }, { id: 'x', itemId: 'x' }]) {
      const answer = await mcp.call(server, person, 'get_item_content', input)
      expectRefusal(answer, 'mcp', { status: 400, code: 'INVALID_INPUT', message: /id|itemId/ })
    }
  })
})

test('a book whose import failed has no text and is free', async () => {
  const person = await server.createPerson()
  const failed = { status: 'FAILED', health: 'failed', healthReason: 'The file is damaged.', version: 0 } as const
  const [id = ''] = await seedBooks(server, person, { count: 1, book: () => failed })
  const { body } = await mcp.call(server, person, 'get_item_content', { id })
  expect(body).toMatchObject({ content: '', pageCount: 0, freshness: { contentVersion: 0 } })
  expect(await readsUsed(server, person)).toBe(0)
})
