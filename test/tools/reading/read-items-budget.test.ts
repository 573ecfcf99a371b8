import { describe, expect, test } from 'vitest'
import { mcp, send, transports } from '../../support/transports.ts'
import { makeBook, markdownPages } from '../../support/make-book.ts'
import { readsUsed } from '../../support/charge-reads.ts'
import { collectText, largestAnswer } from '../../support/collect-text.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

const batch = (key: string, body: unknown) => send(server, key, { method: 'POST', path: '/api/v1/items/batch', body })

describe('read_items over REST', () => {
  test('returns a book that does not fit without pages and without charge, with the ranges to request next', async () => {
    const person = await server.createPerson()
    const large = '# A\n'.padEnd(600_000, 'x')
    const [a, b] = [
      await makeBook(server, person, { content: large }),
      await makeBook(server, person, { content: large }),
    ]
    const c = await makeBook(server, person, { content: markdownPages(2) })
    const { body } = await batch(person.key, { ids: [a, b, c] })
    expect(body.items).toMatchObject([
      { id: a, truncated: false },
      { id: b, truncated: true, nextPages: '1' },
      { id: c, truncated: false },
    ])
    expect(body.items[1]).not.toHaveProperty('pages')
    expect(body.items[1].pageCount).toBe(1)
    expect(body.truncatedItemIds).toEqual([b])
    expect(body.truncatedMessage).toContain(`${b} pages 1`)
    expect(await readsUsed(server, person)).toBe(2)
  })

  test('accepts the ranges that it names as the next ones', async () => {
    const person = await server.createPerson()
    const content = Array.from({ length: 4 }, (_, index) => `# ${index}\n${'x'.repeat(240_000)}\n`).join('')
    const ids = [await makeBook(server, person, { content }), await makeBook(server, person, { content })]
    const { body } = await batch(person.key, { ids })
    expect(body.items[1]).toMatchObject({ truncated: true, nextPages: '1-4' })
    const next = await batch(person.key, { items: [{ id: ids[1], pages: body.items[1].nextPages }] })
    expect(next.body.items[0].pages).toHaveLength(4)
  })

  test('lists ranges that fit for a book that is too large for any answer, and what comes after them', async () => {
    const person = await server.createPerson()
    const page = (mark: string, size: number) => `# ${mark}\n${'x'.repeat(size)}\n`
    const texts = [page('a', 480_000), page('b', 480_000), page('c', 700_000), 'tiny']
    const id = await makeBook(server, person, { content: texts[0] as string })
    for (const content of texts.slice(1)) {
      await send(server, person.key, { method: 'POST', path: `/api/v1/items/${id}/pages`, body: { content } })
    }
    const asked = await batch(person.key, { ids: [id] })
    expect(asked.body.items[0]).toMatchObject({ truncated: true, nextPages: '1-2', laterPages: '3' })
    expect(asked.body.items[0]).not.toHaveProperty('pages')
    expect(asked.body.truncatedMessage).toContain(`${id} pages 1-2, and after them 3`)
    expect(await readsUsed(server, person)).toBe(0)
    const parts: string[] = []
    for (const pages of [asked.body.items[0].nextPages, asked.body.items[0].laterPages]) {
      const { body } = await batch(person.key, { items: [{ id, pages }] })
      expect(body.items[0]).toMatchObject({ truncated: false })
      parts.push(...body.items[0].pages.map(({ content }: { content: string }) => content))
    }
    expect(parts.join('')).toBe(texts.join(''))
  })

  test('returns a page that is too large for any answer in parts, from the requested offset', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: `# a\n${'é'.repeat(400_000)}` })
    const more = { content: `${'ü'.repeat(300_000)}\n# b\n` }
    await send(server, person.key, { method: 'POST', path: `/api/v1/items/${id}/pages`, body: more })
    const asked = await batch(person.key, { ids: [id] })
    expect(asked.body.items[0]).toMatchObject({ truncated: true, nextPages: '1@0', laterPages: '2' })
    let text = ''
    for (let pages: string | undefined = '1@0'; pages !== undefined;) {
      const { body }: { body: any } = await batch(person.key, { items: [{ id, pages }] })
      text += body.items[0].pages[0].content
      pages = body.items[0].nextPages
    }
    expect(text).toBe(`# a\n${'é'.repeat(400_000)}\n${'ü'.repeat(300_000)}\n`)
  })

  test('keeps to the requested ranges if a book is cut', async () => {
    const person = await server.createPerson()
    const content = Array.from({ length: 9 }, (_, index) => `# ${index}\n${'x'.repeat(110_000)}\n`).join('')
    const ids = [await makeBook(server, person, { content }), await makeBook(server, person, { content })]
    const { body } = await batch(person.key, { ids, pages: '1-2,4,6-99' })
    expect(body.items[1]).toMatchObject({ truncated: true, nextPages: '1-2,4,6-9' })
  })

  test('with partial returns the pages that fit, charges the book and lists the rest', async () => {
    const person = await server.createPerson()
    const content = Array.from({ length: 4 }, (_, index) => `# ${index}\n${'x'.repeat(240_000)}\n`).join('')
    const ids = [await makeBook(server, person, { content }), await makeBook(server, person, { content })]
    const { body } = await batch(person.key, { items: [{ id: ids[0], pages: '1-2' }, { id: ids[1] }], partial: true })
    expect(body.items[1]).toMatchObject({ truncated: true, nextPages: '3-4' })
    expect(body.items[1].pages).toHaveLength(2)
    expect(body.truncatedItemIds).toEqual([ids[1]])
    expect(await readsUsed(server, person)).toBe(2)
  })

  test('reads a page larger than an answer in parts', async () => {
    const person = await server.createPerson()
    const content = 'é'.repeat(500_000)
    const id = await makeBook(server, person, { content })
    const whole = await batch(person.key, { ids: [id] })
    expect(whole.body.items[0]).toMatchObject({ truncated: true, nextPages: '1@0' })
    const first = await batch(person.key, { ids: [id], partial: true })
    expect(first.body.items[0].nextPages).toMatch(/^1@\d+$/)
    const second = await batch(person.key, { ids: [id], pages: first.body.items[0].nextPages, partial: true })
    const parts = [first, second].map(({ body }) => body.items[0].pages[0].content)
    expect(parts.join('')).toBe(content)
    expect(second.body.items[0].truncated).toBe(false)
  })

  test('keeps answers within the budget', async () => {
    const person = await server.createPerson()
    const ids: string[] = []
    for (let i = 0; i < 12; i++) ids.push(await makeBook(server, person, { content: 'x'.repeat(99_000) }))
    const { body, text } = await batch(person.key, { ids })
    expect(body.truncatedItemIds).toHaveLength(2)
    expect(Buffer.byteLength(text)).toBeLessThan(1_010_000)
  })
})

describe('read_items over MCP: following nextPages gives the exact text, and no answer is too large', () => {
  const texts: [string, { content: string; description?: string }][] = [
    ['many small pages', { content: markdownPages(900) }],
    ['pages of 20,000 characters', { content: `# x\n${'word '.repeat(4000)}\n`.repeat(8) }],
    ['one page of 300,000 characters', { content: 'word '.repeat(60_000) }],
    [
      'pages near the budget beside a long description',
      {
        description: 'd'.repeat(4000),
        content: `# ${'y'.repeat(53_000)}\n# ${'z'.repeat(53_000)}\n`,
      },
    ],
    ['a dense script', { content: '本文'.repeat(50_000) }],
    ['a dense script with a dense description', { description: '説'.repeat(4000), content: '本文'.repeat(20_000) }],
    ['surrogate pairs', { content: `x${'😀'.repeat(40_000)}` }],
    ['quotation marks and line ends', { content: '"\n\\'.repeat(30_000) }],
    ['control characters', { content: '\u0001'.repeat(30_000) }],
    ['markers of the answer itself', { content: '<page></page>'.repeat(15_000) }],
    ['headings as long as their pages', { content: `# ${'長'.repeat(400)}\n`.repeat(200) }],
  ]
  test.for(texts)('%s', async ([, book]) => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, book)
    const { text, answers } = await collectText(server, person, { id })
    expect(text).toBe(book.content)
    expect(await readsUsed(server, person)).toBe(answers.length)
    expect(largestAnswer(answers).characters).toBeLessThanOrEqual(60_000)
    expect(largestAnswer(answers).tokens).toBeLessThanOrEqual(20_000)
  })
})

describe.for(transports)('read_items over %s without partial', ([, transport]) => {
  test('lists ranges that fit until the whole book is read', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: `# x\n${'word '.repeat(9_000)}\n`.repeat(22) })
    const content: string[] = []
    const open = ['1-22']
    for (let pages = open.pop(); pages !== undefined; pages = open.pop()) {
      const { body } = await transport.call(server, person, 'read_items', { items: [{ id, pages }], partial: false })
      const [item] = body.items
      if (item.laterPages !== undefined) open.push(item.laterPages)
      if (item.nextPages !== undefined) open.push(item.nextPages)
      expect(item.nextPages).not.toBe(pages)
      if (!item.truncated) content.push(...item.pages.map((page: { content: string }) => page.content))
    }
    expect(content).toHaveLength(22)
    expect(new Set(content).size).toBe(1)
  })
})

describe('read_items over MCP, for batches of 50', () => {
  test('50 cut books with long descriptions fit into one answer and list the next ranges', async () => {
    const person = await server.createPerson()
    const ids: string[] = []
    const book = {
      title: 'T'.repeat(200),
      description: 'd'.repeat(4000),
      content: `# x\n${'word '.repeat(300)}\n`.repeat(60),
    }
    for (let i = 0; i < 50; i++) ids.push(await makeBook(server, person, book))
    const pages = Array.from({ length: 30 }, (_, index) => index * 2 + 1).join(',')
    const answer = await mcp.call(server, person, 'read_items', { items: ids.map((id) => ({ id, pages })) })
    expect(answer.ok).toBe(true)
    expect(largestAnswer([answer]).characters).toBeLessThanOrEqual(60_000)
    expect(answer.body.items).toHaveLength(50)
    expect(answer.body.truncatedItemIds).toHaveLength(50 - answer.body.items.filter(isWhole).length)
    for (const item of answer.body.items.filter((one: object) => !isWhole(one))) expect(item.nextPages).toMatch(/^\d/)
    expect(await readsUsed(server, person)).toBe(answer.body.items.filter(hasPages).length)
  })

  test('50 unknown ids fit into one answer', async () => {
    const items = Array.from({ length: 50 }, (_, index) => ({ id: `${index}`.padEnd(64, '説') }))
    const answer = await mcp.call(server, await server.createPerson(), 'read_items', { items })
    expect(answer.body.notFound).toHaveLength(50)
    expect(largestAnswer([answer]).characters).toBeLessThanOrEqual(60_000)
  })
})

const isWhole = (item: object) => 'truncated' in item && item.truncated === false
const hasPages = (item: object) => 'pages' in item
