import { beforeAll, describe, expect, test } from 'vitest'
import { featureBook } from '../../../src/marketplace/feature-book.ts'
import { mcp, rest, transports, type ToolResponse } from '../../support/transports.ts'
import { publishBook, subscribe, type PublishedBook } from '../../support/marketplace.ts'
import { markdownPages } from '../../support/make-book.ts'
import { readsUsed } from '../../support/charge-reads.ts'
import { collectText, largestAnswer } from '../../support/collect-text.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let publisher: Person
const day = 24 * 60 * 60 * 1000
const soon = (ms: number) => new Date(Date.now() + ms).toISOString()

beforeAll(async () => {
  publisher = await server.createPerson()
})

/** Creates a Pro book of ten pages and a person on this plan who has added it. */
async function proBook(plan: string, terms = {}): Promise<PublishedBook & { reader: Person }> {
  const book = await publishBook(server, publisher, {
    title: 'Deep water',
    content: '# One\none\n# Two\ntwo\n# Three\nthree\n# Four\nfour whalefall\n',
    terms: { proOnly: true, ...terms },
  })
  const reader = await server.createPerson({ plan })
  await subscribe(server, reader, book.listingId)
  return { ...book, reader }
}

const restricted = () => ({
  proRestricted: true,
  previewPageCount: 2,
  totalPageCount: 4,
  pageCount: 4,
  upgradeUrl: `${server.baseUrl}/plans`,
})
const full = { proRestricted: false, previewPageCount: null, totalPageCount: 4, upgradeUrl: null }

describe.for(transports)('a Pro book over %s', ([name, transport]) => {
  const read = (person: Person, id: string, pages?: string): Promise<ToolResponse> =>
    transport.call(server, person, 'read_items', { items: [{ id, ...(pages === undefined ? {} : { pages }) }] })
  const content = (person: Person, id: string) => transport.call(server, person, 'get_item_content', { id })
  const numbers = ({ body }: ToolResponse) => body.items[0].pages.map(({ pageNum }: { pageNum: number }) => pageNum)

  test('gives a plan with previews the first two pages', async () => {
    const { reader, itemId } = await proBook('FREE')
    const answer = await read(reader, itemId)
    expect(numbers(answer)).toEqual([1, 2])
    expect(answer.body.items[0]).toMatchObject({ ...restricted(), truncated: false })
    expect(answer.body).toMatchObject({ truncatedItemIds: [], truncatedMessage: null })
    expect(answer.text).not.toMatch(/three|four/)
    expect(await readsUsed(server, reader)).toBe(1)
  })

  test.for([
    ['2-4', [2]],
    ['1,3', [1]],
    ['1-99', [1, 2]],
    ['2@1', [2]],
    ['3', []],
    ['3-4', []],
    ['4@0', []],
  ] as const)('of the pages %s gives those that lie in the preview', async ([pages, expected]) => {
    const { reader, itemId } = await proBook('FREE')
    const answer = await read(reader, itemId, pages)
    expect(numbers(answer)).toEqual(expected)
    expect(answer.text).not.toMatch(/three|four/)
    expect(await readsUsed(server, reader)).toBe(expected.length === 0 ? 0 : 1)
  })

  test('as a whole gives the preview without its version', async () => {
    const { reader, itemId } = await proBook('FREE')
    const { body, text } = await content(reader, itemId)
    expect(body).toMatchObject({ ...restricted(), content: '# One\none\n# Two\ntwo\n', version: null })
    expect(body.versionWithheld).toMatch(/preview: the first 2 of 4 pages.*\/plans/)
    expect(body).not.toHaveProperty('nextPages')
    expect(body).not.toHaveProperty('launchWindow')
    expect(text).not.toMatch(/three|four/)
  })

  test('shows its whole outline and which pages can be read', async () => {
    const { reader, itemId } = await proBook('FREE')
    const { body } = await transport.call(server, reader, 'get_table_of_contents', { ids: [itemId] })
    const [entry] = body.items
    expect(entry).toMatchObject({ proRestricted: true, previewPageCount: 2, upgradeUrl: `${server.baseUrl}/plans` })
    expect(entry.toc.map(({ title }: { title: string }) => title)).toEqual(['One', 'Two', 'Three', 'Four'])
    const whole = await transport.call(server, publisher, 'get_table_of_contents', { ids: [itemId] })
    expect(whole.body.items[0]).not.toHaveProperty('proRestricted')
  })

  test('is not searched for readers of a preview', async () => {
    const { reader, itemId } = await proBook('FREE')
    const search = () => transport.call(server, reader, 'search_items', { query: 'whalefall' })
    const note = 'Nothing was found in the books that can be read in full. Not searched: 1 preview.'
    expect((await search()).body).toEqual({ query: 'whalefall', items: [], total: 0, note })
    await server.running.opened.services.accounts.change(reader.id, { tier: 'PRO' })
    expect((await search()).body.items).toMatchObject([{ id: itemId }])
  })

  test('is read in full at once after a plan upgrade', async () => {
    const { reader, itemId } = await proBook('FREE')
    await read(reader, itemId)
    await server.running.opened.services.accounts.change(reader.id, { tier: 'PRO' })
    const answer = await read(reader, itemId)
    expect(numbers(answer)).toEqual([1, 2, 3, 4])
    expect(answer.body.items[0]).toMatchObject(full)
    expect((await content(reader, itemId)).body).toMatchObject({ ...full, version: 1 })
  })

  test('is read in full by its owner on every plan', async () => {
    const owner = await server.createPerson()
    const { itemId } = await publishBook(server, owner, { terms: { proOnly: true } })
    await server.running.opened.services.accounts.change(owner.id, { tier: 'FREE' })
    expect(numbers(await read(owner, itemId))).toHaveLength(10)
  })

  test('in its launch window is read in full, and says so until the window ends', async () => {
    const freeUntil = soon(day)
    const { reader, itemId } = await proBook('FREE', { freeUntil })
    expect((await content(reader, itemId)).body).toMatchObject({ ...full, version: 1, launchWindow: true, freeUntil })
    expect(numbers(await read(reader, itemId))).toEqual([1, 2, 3, 4])
    const { services } = server.running.opened
    services.now = () => new Date(Date.now() + day + 1000)
    const later = (await content(reader, itemId)).body
    services.now = () => new Date()
    expect(later).toMatchObject({ ...restricted(), version: null })
    expect(later).not.toHaveProperty('launchWindow')
  })

  test('while it is the book of the week is read in full, for seven days', async () => {
    const { reader, itemId } = await proBook('FREE')
    const other = await proBook('FREE')
    const { services } = server.running.opened
    await featureBook(services, { id: other.itemId })
    await featureBook(services, { id: itemId })
    expect((await read(reader, itemId)).body.items[0]).toMatchObject(full)
    expect((await transport.call(server, reader, 'list_items')).body.items).toMatchObject([{ isWeeklyFeatured: true }])
    expect((await read(other.reader, other.itemId)).body.items[0]).toMatchObject({ proRestricted: true })
    expect((await transport.call(server, other.reader, 'list_items')).body.items[0].isWeeklyFeatured).toBe(false)
    services.now = () => new Date(Date.now() + 7 * day + 1000)
    const later = await read(reader, itemId)
    const listed = await transport.call(server, reader, 'list_items')
    services.now = () => new Date()
    expect(later.body.items[0]).toMatchObject(restricted())
    expect(listed.body.items[0].isWeeklyFeatured).toBe(false)
  })

  test('becomes a preview at once for existing subscribers of a book that turns Pro', async () => {
    const { listingId, itemId } = await publishBook(server, publisher)
    const reader = await server.createPerson({ plan: 'FREE' })
    await subscribe(server, reader, listingId)
    expect(numbers(await read(reader, itemId))).toHaveLength(10)
    await rest.call(server, publisher, 'update_listing', { id: listingId, proOnly: true })
    expect(numbers(await read(reader, itemId))).toEqual([1, 2])
    await rest.call(server, publisher, 'update_listing', { id: listingId, proOnly: false })
    expect(numbers(await read(reader, itemId))).toHaveLength(10)
  })

  test('reports changes only of its preview', async () => {
    const { reader, itemId } = await proBook('FREE')
    await content(reader, itemId)
    for (const pageNum of [2, 4]) {
      const page = { id: itemId, pageNum, content: `# New ${pageNum}\n` }
      await mcp.call(server, publisher, 'put_item_page', page)
    }
    const { freshness } = (await content(reader, itemId)).body
    expect(freshness).toMatchObject({
      contentVersion: 3,
      changesSinceLastRead: { changedPages: [2], summary: '2 new versions; changed page: 2.' },
    })
  })

  test('does not show its versions to readers of a preview', async () => {
    const { reader, itemId } = await proBook('FREE')
    expectRefusal(await transport.call(server, reader, 'list_item_versions', { id: itemId }), name, {
      status: 403,
      code: 'FORBIDDEN',
      message: /versions of a Pro book need a plan/,
      fields: { upgradeUrl: `${server.baseUrl}/plans` },
    })
    expect(await readsUsed(server, reader)).toBe(0)
    const pro = await proBook('PRO')
    expect((await transport.call(server, pro.reader, 'list_item_versions', { id: pro.itemId })).ok).toBe(true)
  })

  test.for([
    ['put_item_content', { content: '# Mine\n' }],
    ['append_item_pages', { content: '# Mine\n' }],
    ['put_item_page', { pageNum: 1, content: '# Mine\n' }],
    ['restore_item_version', { version: 1 }],
  ] as const)('is not written to by its readers: %s', async ([tool, input]) => {
    const { reader, itemId } = await proBook('PRO')
    const answer = await transport.call(server, reader, tool, { id: itemId, ...input })
    expectRefusal(answer, name, { status: 403, code: 'FORBIDDEN', message: /read this book, not change it/ })
  })
})

describe('over MCP a preview larger than the budget', () => {
  const preview = `# A\n${'word '.repeat(20_000)}\n# B\n${'word '.repeat(20_000)}\n`

  test('is read to its end in parts, and nothing beyond it is named or given', async () => {
    const { listingId, itemId } = await publishBook(server, publisher, {
      content: `${preview}# C\nsecret\n# D\nsecret\n`,
      terms: { proOnly: true },
    })
    const reader = await server.createPerson({ plan: 'FREE' })
    await subscribe(server, reader, listingId)
    const { text, answers } = await collectText(server, reader, { id: itemId })
    expect(text).toBe(preview)
    expect(answers.length).toBeGreaterThan(2)
    expect(largestAnswer(answers).characters).toBeLessThanOrEqual(60_000)
    for (const answer of answers) {
      expect(answer.text).not.toContain('secret')
      expect(answer.text).toContain(`${server.baseUrl}/plans`)
      const next: string | undefined = answer.body.items[0].nextPages
      for (const [page] of (next ?? '').matchAll(/(?<![@\d])\d+/g)) expect(Number(page)).toBeLessThanOrEqual(2)
    }
    const whole = await mcp.call(server, reader, 'get_item_content', { id: itemId })
    expect(whole.body).toMatchObject({ truncated: true, version: null, nextPages: expect.stringMatching(/^1@\d+,2$/) })
    expectRefusal(await mcp.call(server, reader, 'get_item_content', { id: itemId, fromPage: 3 }), 'mcp', {
      status: 400,
      mcpCode: 'INVALID_INPUT',
      message: /fromPage must be at most 2, the last page of its preview/,
    })
  })

  test('that does not fit next to other books names only its own pages', async () => {
    const { listingId, itemId } = await publishBook(server, publisher, {
      content: markdownPages(40),
      terms: { proOnly: true },
    })
    const reader = await server.createPerson({ plan: 'FREE' })
    await subscribe(server, reader, listingId)
    const made = await rest.call(server, reader, 'create_markdown_item', {
      title: 'Own',
      content: 'x'.repeat(999_000),
    })
    const items = [{ id: made.body.id }, { id: itemId }]
    const { body } = await rest.call(server, reader, 'read_items', { items })
    expect(body.items[1]).toMatchObject({ truncated: true, nextPages: '1-2' })
  })
})

test('a book shorter than the preview length is still a preview', async () => {
  const { listingId, itemId } = await publishBook(server, publisher, { content: '# One\n', terms: { proOnly: true } })
  const reader = await server.createPerson({ plan: 'FREE' })
  await subscribe(server, reader, listingId)
  const { body } = await rest.call(server, reader, 'get_item_content', { id: itemId })
  expect(body).toMatchObject({ content: '# One\n', proRestricted: true, previewPageCount: 1, totalPageCount: 1 })
})

test('of two books that are featured at the same moment one remains', async () => {
  const { services, database } = server.running.opened
  const books = [await publishBook(server, publisher), await publishBook(server, publisher)]
  await Promise.all(books.map(({ itemId }) => featureBook(services, { id: itemId })))
  const rows = database.db.collection('books')
  expect(await rows.countDocuments({ featuredUntil: { $gt: new Date() } })).toBe(1)
  await expect(featureBook(services, { id: 'nope' })).rejects.toThrow(/No book has the id nope/)
  expect(await rows.countDocuments({ featuredUntil: { $gt: new Date() } })).toBe(1)
})
