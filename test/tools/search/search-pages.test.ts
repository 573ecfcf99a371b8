import { assert, asyncProperty, constantFrom, array, oneof, string } from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { searchItems } from '../../../src/search/search-items.ts'
import { anyText } from '../../support/any-text.ts'
import { transports } from '../../support/transports.ts'
import { makeBook } from '../../support/make-book.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { contextOf } from '../../support/context.ts'

const server = useTestServer()
let reader: Person

const dense = '這是一本關於海洋與船舶的書，作者在書中講述了許多故事。'

beforeAll(async () => {
  reader = await server.createPerson()
  for (let at = 0; at < 45; at++) {
    const text = `# Chapter\n\n${'pelican '.repeat(1 + (at % 7))}${'other '.repeat(at)}\n`
    await makeBook(server, reader, { title: `Book ${at}`, content: text })
  }
})

describe.for(transports)('the parts of a search result over %s', ([name, transport]) => {
  const search = async (person: Person, input: Record<string, unknown>) =>
    (await transport.call(server, person, 'search_items', input)).body
  const walk = async (person: Person, limit: number, between: (part: number) => Promise<void> = async () => {}) => {
    const ids: string[] = []
    let cursor: string | undefined
    for (let part = 0; ; part++) {
      const body = await search(person, { query: 'pelican', limit, ...(cursor === undefined ? {} : { cursor }) })
      ids.push(...body.items.map(({ id }: { id: string }) => id))
      cursor = body.nextCursor
      if (cursor === undefined) return ids
      await between(part)
    }
  }

  test('together contain every book once, in the same order for any part size', async () => {
    const ids = await walk(reader, 20)
    expect(ids).toHaveLength(45)
    expect(new Set(ids).size).toBe(45)
    expect(await walk(reader, 7)).toEqual(ids)
    expect((await search(reader, { query: 'pelican' })).items).toHaveLength(10)
    expect((await search(reader, { query: 'pelican' })).total).toBe(45)
  })

  test('neither repeat nor lose a book if other books are added and deleted in between', async () => {
    const person = await server.createPerson()
    const ids: string[] = []
    for (let at = 0; at < 12; at++) {
      ids.push(await makeBook(server, person, { content: `# A\n\npelican ${'other '.repeat(at)}` }))
    }
    const shown = await walk(person, 4, async (part) => {
      if (part === 0) await transport.call(server, person, 'delete_items', { ids: [ids[0]] })
      if (part === 1) await makeBook(server, person, { content: `# A\n\n${'pelican '.repeat(50)}` })
    })
    expect(shown.filter((id) => ids.includes(id)).toSorted()).toEqual(ids.toSorted())
    expect(new Set(shown).size).toBe(shown.length)
  })

  test('continue at about the same position if the book of the cursor was deleted', async () => {
    const person = await server.createPerson()
    for (let at = 0; at < 6; at++) await makeBook(server, person, { content: `# A\n\npelican ${'other '.repeat(at)}` })
    const all = (await search(person, { query: 'pelican' })).items.map(({ id }: { id: string }) => id)
    const { nextCursor } = await search(person, { query: 'pelican', limit: 3 })
    await transport.call(server, person, 'delete_items', { ids: [all[2]] })
    const rest = (await search(person, { query: 'pelican', cursor: nextCursor })).items
    expect(rest.map(({ id }: { id: string }) => id)).toEqual(all.slice(3))
  })

  test('are cut so that results of the largest books fit into an answer', async () => {
    const person = await server.createPerson()
    for (let at = 0; at < 20; at++) {
      const content = Array.from({ length: 3 }, () => `# ${dense.repeat(4)}\n\n${dense.repeat(20)}\n`).join('')
      await makeBook(server, person, { title: dense.repeat(7), content })
    }
    const first = await transport.call(server, person, 'search_items', { query: '海洋', limit: 20 })
    if (name === 'mcp') expect(first.text.length).toBeLessThan(60_000)
    let { body } = first
    let seen = body.items.length
    while (body.nextCursor !== undefined) {
      body = await search(person, { query: '海洋', limit: 20, cursor: body.nextCursor })
      seen += body.items.length
    }
    expect(seen).toBe(20)
  })

  test.for([
    '"',
    '""',
    '"""',
    '" "',
    "'",
    '\\',
    '*',
    'pelican*',
    'pel*',
    '%',
    '_',
    '-pelican',
    '+pelican',
    'NOT pelican',
    'pelican AND OR NOT',
    'title:pelican',
    '{"$gt":""}',
    '{$where: "1"}',
    '$regex',
    '.*',
    '(((((',
    '[a-z',
    '^pelican$',
    'pelican~2',
    'pelican^9',
    'NEAR(pelican other)',
    "'; DROP TABLE pages; --",
    '<script>alert(1)</script>',
    '../../etc/passwd',
    '\u0000',
    '\u202e\u2066',
    '\u{e0041}\u{e0042}',
    'é'.repeat(250),
    'a'.repeat(500),
    'a '.repeat(250),
    '"a" '.repeat(125),
    '漢'.repeat(500),
    '👩‍👩‍👧‍👦'.repeat(20),
    'constructor __proto__ toString',
    'null',
    '0',
  ])('are returned without an error for the query %j', async (query) => {
    const answer = await transport.call(server, reader, 'search_items', { query })
    expect(answer).toMatchObject({ ok: true, body: { query } })
    for (const item of answer.body.items) expect(item.title).toMatch(/^Book \d+$/)
  })
})

test('any query is answered, and every passage contains a word of the query', async () => {
  const ctx = await contextOf(server, reader)
  const piece = oneof(
    string({ unit: 'grapheme', maxLength: 20 }),
    anyText({ maxLength: 20 }),
    constantFrom('pelican', 'other', '"', '“', '”', ' ', '-', "'", 'chapter', 'book 3', '東京', '.'),
  )
  await assert(
    asyncProperty(array(piece, { minLength: 1, maxLength: 12 }), async (pieces) => {
      const query = [...pieces.join('').toWellFormed()].slice(0, 500).join('')
      const { items, total } = await searchItems(ctx, { query, limit: 3 })
      expect(items.length).toBeLessThanOrEqual(Math.min(3, total))
      for (const { hits } of items) {
        for (const { snippet } of hits) expect(snippet).toMatch(/pelican|other|Chapter/)
      }
    }),
    { numRuns: 300 },
  )
}, 60_000)
