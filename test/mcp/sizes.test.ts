import { describe, expect, test } from 'vitest'
import { mcpBudget } from '../../src/mcp/budget.ts'
import { mcp } from '../support/transports.ts'
import { makeBook } from '../support/make-book.ts'
import { largestAnswer } from '../support/collect-text.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { seedBooks } from '../support/seed-books.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

async function collect(person: Person, { limit, detail = 'concise' }: { limit?: number; detail?: string } = {}) {
  const rows: { id: string; title: string }[] = []
  const answers = []
  let cursor: string | undefined
  for (;;) {
    const answer = await mcp.call(server, person, 'list_items', { cursor, limit, detail })
    if (!answer.ok) throw new Error(answer.text)
    answers.push(answer)
    rows.push(...answer.body.items)
    if (answer.body.nextCursor === undefined) return { rows, answers }
    if (answer.body.items.length === 0) throw new Error('A part of the list was empty')
    cursor = answer.body.nextCursor
  }
}

describe('a listing over MCP', () => {
  test.for<[string, number, (index: number) => object]>([
    ['plain titles', 1500, (index) => ({ title: `Book ${index} ${'x'.repeat(60)}`, author: 'A. Author' })],
    ['titles of 200 dense characters', 250, () => ({ title: '長'.repeat(200), author: '者'.repeat(100) })],
    ['dense titles, all waiting for enrichment', 250, () => ({ title: '長'.repeat(200), needsEnrichment: true })],
    ['titles of quotation marks', 250, () => ({ title: '"'.repeat(200) })],
    ['long descriptions', 250, () => ({ description: 'd'.repeat(4000) })],
  ])('a list of books with %s comes in parts within the budget until it is complete', async ([, count, book]) => {
    const person = await server.createPerson()
    const ids = await seedBooks(server, person, { count, book })
    const { rows, answers } = await collect(person)
    expect(rows.map(({ id }) => id)).toEqual([...ids].reverse())
    const { characters, tokens } = largestAnswer(answers)
    expect(characters).toBeLessThanOrEqual(60_000)
    expect(tokens).toBeLessThanOrEqual(20_000)
    for (const { body } of answers) expect(body.total).toBe(count)
  })

  test('a list that fits equals the REST body, without paging', async () => {
    const person = await server.createPerson()
    await seedBooks(server, person, { count: 20 })
    const { body } = await mcp.call(server, person, 'list_items')
    expect(body.items).toHaveLength(20)
    expect(Object.keys(body).sort()).toEqual(['enrichmentQueue', 'items'])
    expect(body.items[0]).toHaveProperty('shelves')
  })

  test('a list has short rows unless detailed is requested', async () => {
    const person = await server.createPerson()
    await seedBooks(server, person, { count: 100 })
    const [concise] = (await collect(person)).answers
    const [detailed] = (await collect(person, { detail: 'detailed' })).answers
    expect(concise?.body.items).toHaveLength(100)
    expect(concise?.body.items[0]).not.toHaveProperty('health')
    expect(detailed?.body.items[0]).toHaveProperty('health', 'ok')
    expect(concise?.text.length).toBeLessThan((detailed?.text.length ?? 0) / 3)
  })

  test('a list of detailed rows comes in parts, too', async () => {
    const person = await server.createPerson()
    const ids = await seedBooks(server, person, { count: 250, book: () => ({ description: 'd'.repeat(2000) }) })
    const { rows, answers } = await collect(person, { detail: 'detailed' })
    expect(rows.map(({ id }) => id)).toEqual([...ids].reverse())
    expect(rows.every((row) => 'health' in row)).toBe(true)
    expect(largestAnswer(answers).characters).toBeLessThanOrEqual(60_000)
  })

  test('a list comes in parts of the requested limit', async () => {
    const person = await server.createPerson()
    const ids = await seedBooks(server, person, { count: 23 })
    const { rows, answers } = await collect(person, { limit: 10 })
    expect(answers.map(({ body }) => body.items.length)).toEqual([10, 10, 3])
    expect(rows.map(({ id }) => id)).toEqual([...ids].reverse())
    expect(rows[0]).toEqual({ id: ids[22], title: 'Book 22', sourceType: 'markdown', status: 'READY', pageCount: 0 })
  })

  test('a cursor whose book was deleted is refused with the advice to start again', async () => {
    const person = await server.createPerson()
    await seedBooks(server, person, { count: 5 })
    const { body } = await mcp.call(server, person, 'list_items', { limit: 2 })
    await mcp.call(server, person, 'delete_items', { ids: [body.nextCursor] })
    const answer = await mcp.call(server, person, 'list_items', { limit: 2, cursor: body.nextCursor })
    expectRefusal(answer, 'mcp', { status: 400, code: 'INVALID_INPUT', message: /cursor is unknown or expired/ })
  })

  test.for(['nope', 'x'.repeat(41), '$ne'])('the cursor %s is refused', async (cursor) => {
    const answer = await mcp.call(server, await server.createPerson(), 'list_items', { cursor })
    expectRefusal(answer, 'mcp', { status: 400, code: 'INVALID_INPUT', message: /cursor/ })
  })

  test('the id of another account’s book is refused as a cursor', async () => {
    const cursor = await makeBook(server, await server.createPerson())
    const answer = await mcp.call(server, await server.createPerson(), 'list_items', { cursor })
    expectRefusal(answer, 'mcp', { status: 400, code: 'INVALID_INPUT', message: /cursor/ })
  })
})

describe('the cost of a text', () => {
  test.for([
    ['plain words', 'the sea is wide and the ships are small ', 1],
    ['line ends and quotes, as escaped in JSON', '\n\n"\\', 2],
    ['a control character', '\u0001', 6],
    ['a dense script', '本', 3],
  ] as const)('of %s is that of its characters or of its tokens, whichever is more', ([, text, least]) => {
    const each = mcpBudget.cost(text) / text.length
    expect(each).toBeGreaterThanOrEqual(least)
    expect(each).toBeLessThanOrEqual(least * 2.1)
  })

  test('the cost of an empty text is 0', () => {
    expect(mcpBudget.cost('')).toBe(0)
  })

  test('the cost of a text is never less than its JSON length', () => {
    for (let unit = 0; unit < 0xd800; unit += 7) {
      const text = String.fromCharCode(unit)
      expect(mcpBudget.cost(text)).toBeGreaterThanOrEqual(JSON.stringify(text).length - 2)
    }
  })
})
