import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tokensOf } from '../../bench/measure-tokens.ts'
import { rateLimits } from '../../src/accounts/rate-limiter.ts'
import { tools } from '../../tools/index.ts'
import { rest, sendMcp } from '../support/transports.ts'
import { reportGap } from '../support/gaps.ts'
import { publishBook, subscribe } from '../support/marketplace.ts'
import { seedBooks } from '../support/seed-books.ts'
import { startTestServer, type Person, type TestServer } from '../support/server.ts'

let server: TestServer

beforeAll(async () => {
  const unlimited = Object.fromEntries(Object.keys(rateLimits).map((bucket) => [bucket, 1_000_000]))
  server = await startTestServer({ LECTERN_ROLE: 'web' }, { rateLimits: unlimited as typeof rateLimits })
})
afterAll(() => server.close())

const most = { tokens: 20_000, characters: 60_000 }

/** Texts with different costs in tokens and escapes. The test of the estimate uses more kinds. */
const kinds: [string, string][] = [
  ['plain words', 'the quick brown fox jumps over a lazy dog '],
  ['dense script', '長編小説を読む会議録全集'],
  ['angles and ampersands', '<&></book>&amp;'],
  ['emoji', '👩‍👩‍👧‍👦🏳️‍🌈😀'],
  ['invisible characters', 'a\u200b\u2060\u202e\u200f\ufeff'],
  ['digits with spaces', '1 2 3 4 5 6 7 8 9 0 '],
  ['hexadecimal dumps', '00000010: 7f45 4c46 0201 0100 a3 d9 0f 6b  .ELF\n'],
  ['letters that form no words', 'xbz qwk Vtrp jf '],
  ['digits and marks', '0x7f=3.14159265;{}[]()|~^%$#'],
]

const of = (unit: string, characters: number) =>
  [...unit.repeat(Math.ceil(characters / [...unit].length))].slice(0, characters).join('')

interface Library {
  owner: Person
  ids: string[]
  big: string
  shelf: string
}

async function fullLibrary(unit: string): Promise<Library> {
  const owner = await server.createPerson()
  const named = (start: string, length: number) => of(`${start}${unit}`, length)
  const ids = await seedBooks(server, owner, {
    count: 500,
    book: () => ({
      title: named('T', 200),
      author: named('A', 200),
      description: named('D', 4000),
      needsEnrichment: true,
      healthReason: named('H', 200),
    }),
  })
  const content = Array.from({ length: 300 }, (_, i) => `# ${i} ${named('C', 400)}\n\nneedle ${named('t', 2000)}\n`)
  const { itemId, listingId } = await publishBook(server, owner, {
    title: named('B', 200),
    content: content.join('').slice(0, 250_000).toWellFormed(),
  })
  const reader = await server.createPerson()
  await subscribe(server, reader, listingId)
  let first = ''
  for (let i = 0; i < 25; i++) {
    const shelf = await rest.call(server, owner, 'create_shelf', { name: `${i} ${named('S', 45)}` })
    // Results contain the books of one shelf at most.
    if (first === '')
      await rest.call(server, owner, 'add_to_shelf', { shelf: shelf.body.id, itemIds: ids.slice(0, 100) })
    first ||= shelf.body.id
    await reportGap(server, reader, itemId, { subcategory: `${i} ${named('G', 150)}`, intent: named('I', 900) })
  }
  for (let i = 0; i < 6; i++) {
    await rest.call(server, owner, 'create_manuscript', {
      title: named('M', 200),
      description: named('D', 4000),
      topics: Array(50).fill(named('t', 200)),
      criteria: Array(50).fill(named('c', 500)),
      instructions: named('I', 16_000),
      structure: { rules: named('r', 3000) },
    })
  }
  return { owner, ids, big: itemId, shelf: first }
}

type Args = Record<string, any>

/** All calls that read, with arguments. */
const calls: [tool: string, args: (library: Library) => Args][] = [
  ['whoami', () => ({})],
  ['library_summary', () => ({})],
  ['list_items', () => ({})],
  ['list_items', () => ({ detail: 'detailed', limit: 500 })],
  ['search_items', () => ({ query: 'needle', limit: 20, detail: 'detailed' })],
  ['search_items', () => ({ query: 'needle' })],
  ['get_table_of_contents', ({ big }) => ({ ids: [big] })],
  ['get_table_of_contents', ({ big, ids }) => ({ ids: [big, ...ids.slice(0, 49)] })],
  ['read_items', ({ big }) => ({ items: [{ id: big }] })],
  ['read_items', ({ big, ids }) => ({ items: [...ids.slice(0, 49).map((id) => ({ id })), { id: big }] })],
  ['get_item_content', ({ big }) => ({ id: big })],
  ['list_item_versions', ({ big }) => ({ id: big })],
  ['list_shelves', () => ({})],
  ['get_shelf', ({ shelf }) => ({ shelf })],
  ['list_manuscripts', () => ({})],
  ['list_book_gaps', ({ big }) => ({ itemId: big })],
  ['list_book_gaps', () => ({})],
  ['browse_marketplace', () => ({ limit: 100 })],
  ['search', () => ({ query: 'needle' })],
  ['fetch', ({ big }) => ({ id: big })],
  [
    'check_citations',
    ({ big }) => ({ citations: Array.from({ length: 50 }, () => ({ itemId: big, page: 1, quote: 'needle' })) }),
  ],
]

const offered = new Set(tools.filter(({ mcp }) => mcp !== false).map(({ name }) => name))

/** Returns the next calls that a result suggests. */
function nextCalls(content: { text: string }[]): [string, Args][] {
  const said = content.map(({ text }) => text).join('\n')
  return [...said.matchAll(/call (\w+) with (\{.*\})\.?$/gm)].map(([, tool, args]) => [
    tool as string,
    JSON.parse(args as string),
  ])
}

async function call(owner: Person, name: string, args: Args) {
  const { body } = await sendMcp(server, owner.key, { method: 'tools/call', params: { name, arguments: args } })
  expect(body.result?.isError, JSON.stringify(body).slice(0, 500)).toBeFalsy()
  return body.result
}

function expectSmall(
  { content, structuredContent }: { content: { text: string }[]; structuredContent: object },
  what: string,
): void {
  const forms = { text: content.map(({ text }) => text).join('\n'), structured: JSON.stringify(structuredContent) }
  for (const [form, text] of Object.entries(forms)) {
    expect(text.length, `${what}: characters of ${form}`).toBeLessThanOrEqual(most.characters)
    expect(tokensOf(text), `${what}: tokens of ${form}`).toBeLessThanOrEqual(most.tokens)
  }
}

describe.for(kinds)('in a library full of %s', ([, unit]) => {
  let library: Library

  beforeAll(async () => {
    library = await fullLibrary(unit)
  })

  test.for(calls.filter(([name]) => offered.has(name)))(
    'no result of %s exceeds the limit of clients',
    async ([name, args]) => {
      let next: [string, Args][] = [[name, args(library)]]
      for (let steps = 0; next.length > 0 && steps < 3; steps++) {
        const [tool, input] = next[0] as [string, Args]
        const result = await call(library.owner, tool, input)
        expectSmall(result, tool)
        const cut =
          'nextCursor' in result.structuredContent || (result.structuredContent.truncatedItemIds?.length ?? 0) > 0
        next = nextCalls(result.content)
        if (cut) expect(next, 'the next call').toHaveLength(1)
      }
    },
  )
})

test('a truncated list can be read to its end by the calls it names', async () => {
  const owner = await server.createPerson()
  const ids = await seedBooks(server, owner, { count: 500, book: () => ({ title: '長'.repeat(200) }) })
  const seen: string[] = []
  let next: [string, Args][] = [['list_items', {}]]
  while (next.length > 0) {
    const [tool, args] = next[0] as [string, Args]
    const { content, structuredContent } = await call(owner, tool, args)
    seen.push(...structuredContent.items.map(({ id }: { id: string }) => id))
    next = nextCalls(content)
  }
  expect(seen).toEqual(ids.toReversed())
})
