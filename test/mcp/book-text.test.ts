import { beforeAll, describe, expect, test } from 'vitest'
import { escapeInvisible, escapeTagCharacters } from '../../src/runtime/escape-invisible.ts'
import { tools } from '../../tools/index.ts'
import { mcp, rest, type ToolResponse } from '../support/transports.ts'
import { reportGap } from '../support/gaps.ts'
import { publishBook, subscribe } from '../support/marketplace.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { hostilePassages, mark } from './hostile-passages.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

interface Poisoned {
  author: Person
  reader: Person
  /** The book. Its passage is also used as title, description, heading, shelf, manuscript and reader request. */
  book: string
  shelf: string
}

const short = (text: string, length: number) => [...text].slice(0, length).join('')

async function poisonedLibrary(passage: string): Promise<Poisoned> {
  const author = await server.createPerson()
  const line = passage.replaceAll(/[\r\n]+/g, ' ')
  const { itemId, listingId } = await publishBook(server, author, {
    title: short(line, 200),
    description: passage,
    content: `# ${line}\n\nWhales. ${passage}\n\n# Two\n\nMore.\n`,
  })
  const reader = await server.createPerson()
  await subscribe(server, reader, listingId)
  await reportGap(server, reader, itemId, { subcategory: passage, intent: passage, aboutSection: passage })
  const shelf = await rest.call(server, author, 'create_shelf', { name: `a ${short(line, 40)}` })
  if (!shelf.ok) throw new Error(shelf.text)
  await rest.call(server, author, 'add_to_shelf', { shelf: shelf.body.id, itemIds: [itemId] })
  await rest.call(server, author, 'create_manuscript', {
    title: short(line, 200),
    instructions: passage,
    topics: [short(line, 200)],
    structure: { [short(line, 50)]: passage },
  })
  return { author, reader, book: itemId, shelf: shelf.body.id }
}

type Surface = [tool: string, input: (library: Poisoned) => Record<string, unknown>, as?: 'reader']

/** Tools with JSON results, in which the passage is a string value. */
const jsonSurfaces: Surface[] = [
  ['list_items', () => ({})],
  ['list_items', () => ({ limit: 5 })],
  ['search_items', () => ({ query: 'whales' })],
  ['library_summary', () => ({})],
  ['get_shelf', ({ shelf }) => ({ shelf })],
  ['list_shelves', () => ({})],
  ['list_manuscripts', () => ({})],
  ['list_book_gaps', ({ book }) => ({ itemId: book })],
  ['list_book_gaps', () => ({})],
  ['browse_marketplace', () => ({}), 'reader'],
]

const readingSurfaces: Surface[] = [
  ['read_items', ({ book }) => ({ items: [{ id: book }] })],
  ['get_item_content', ({ book }) => ({ id: book })],
  ['get_table_of_contents', ({ book }) => ({ ids: [book] })],
  ['read_items', ({ book }) => ({ items: [{ id: book, pages: '1' }] }), 'reader'],
]

const block = /<(book|outline) [^>]*>\n[\s\S]*?\n<\/\1>/g

/** Texts that could be mistaken for a marker. The server puts an invisible character behind their bracket. */
function markersIn(text: string): string[] | null {
  const escaped = text.replaceAll(/[<＜﹤‹❮˂\u27e8\u2329\u3008]\u200b/gu, '.')
  const seen = escaped
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}\p{M}]/gu, '')
    .replaceAll('∕', '/')
  return seen.match(/[<‹❮˂\u27e8\u2329\u3008][\s/\\]*(book|page|outline)\b/giu)
}

/** Matches the lines of a block that the server wrote. */
const frame =
  /^<(book|outline) id="\w+" title="[^"<]*"( from="[^"<]*")? pages="\d+"( version="\d+")?( url="[^"<\s]*")?>$|^<page num="\d+"( \w+="[^"<]*")*>$|^<\/(book|page|outline)>$/

describe.for(hostilePassages)('%s', ([, passage]) => {
  let library: Poisoned

  beforeAll(async () => {
    library = await poisonedLibrary(passage)
  })

  const call = ([tool, input, as]: Surface): Promise<ToolResponse> =>
    mcp.call(server, as === 'reader' ? library.reader : library.author, tool, input(library))

  test.for(jsonSurfaces)('the passage is a JSON value of %s without invisible characters', async (surface) => {
    const { text, body, ok } = await call(surface)
    expect(ok, text).toBe(true)
    if (surface[0] !== 'list_shelves') expect(text).toContain(mark)
    expect(JSON.parse(text)).toEqual(body)
    expect(text).toBe(escapeInvisible(text))
  })

  test.for(readingSurfaces)(
    'the passage stays inside the text block of %s and cannot forge its frame',
    async (surface) => {
      const { text, ok } = await call(surface)
      expect(ok, text).toBe(true)
      const blocks = text.match(block) ?? []
      expect(blocks).toHaveLength(1)
      expect(text.replace(block, '')).not.toContain(mark)
      const own = text.split('\n').filter((line) => frame.test(line))
      expect(own.length).toBeGreaterThanOrEqual(2)
      // Every marker, and every text that looks like one, is a line that the server wrote.
      const others = text.split('\n').filter((line) => !frame.test(line))
      expect(markersIn(others.join('\n'))).toBeNull()
      for (const line of own) expect(line).toBe(escapeInvisible(line))
      expect(text).toBe(escapeTagCharacters(text))
      expect(text).toContain(`id="${library.book}"`)
    },
  )

  test('the structured content returns the passage unchanged', async () => {
    const { body } = await call(['get_item_content', ({ book }) => ({ id: book })])
    expect(body.content).toContain(`Whales. ${passage}\n`)
    expect(body.description).toBe(passage)
  })

  test.runIf(tools.some(({ name }) => name === 'fetch'))(
    'the passage is a JSON value of search and fetch',
    async () => {
      for (const [tool, input] of [
        ['search', { query: 'whales' }],
        ['fetch', { id: library.book }],
      ] as const) {
        const { text, ok } = await mcp.call(server, library.author, tool, input)
        expect(ok, text).toBe(true)
        expect(() => JSON.parse(text)).not.toThrow()
        expect(text).toBe(escapeTagCharacters(text))
      }
    },
  )
})

describe('invisible characters', () => {
  test.for<[string, string, string]>([
    ['a tag', 'x\u{e0041}y', 'x\\udb40\\udc41y'],
    ['a right-to-left override', 'a\u202eb', 'a\\u202eb'],
    ['a zero-width space', 'a\u200bb', 'a\\u200bb'],
    ['an escape', 'a\u001bb', 'a\\u001bb'],
    ['a second variant selector', 'a\ufe0f\ufe01', 'a\ufe0f\\ufe01'],
    ['a joiner between Latin letters', 'a\u200db', 'a\\u200db'],
    ['a joiner at the end', 'می\u200c', 'می\\u200c'],
  ])('an invisible character is escaped: %s', ([, hidden, shown]) => {
    expect(escapeInvisible(hidden)).toBe(shown)
    expect(JSON.parse(escapeInvisible(JSON.stringify(hidden)))).toBe(hidden)
  })

  test.for<[string, string]>([
    ['a family', '👩‍👩‍👧'],
    ['a heart', '❤️'],
    ['the flag of Wales', '🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}'],
    ['Persian', 'می‌خواهم'],
    ['Sinhala', 'ශ්‍රී'],
    ['lines and tabs', 'a\n\tb\r\n'],
    ['a soft hyphen', 'Donau\u00addampf'],
    ['CJK with full-width forms', '「読書」ＡＢＣ　'],
  ])('an invisible character that text needs is kept: %s', ([, text]) => {
    expect(escapeInvisible(text)).toBe(text)
  })
})
