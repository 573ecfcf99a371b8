import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { rawZip, type RawEntry } from '../support/raw-zip.ts'
import { readArchive, readExport, type ReadExport } from '../support/read-archive.ts'
import { runClientCommand } from '../support/run-client.ts'
import { runLecternProcess } from '../support/run-lectern.ts'
import type { Person, TestServer } from '../support/server.ts'
import { smallBooks } from '../support/small-books.ts'
import { restTransport, type ToolResponse } from '../support/transports.ts'
import { importFile } from '../support/uploads.ts'
import { useTestServer } from '../support/use-test-server.ts'

const [from, to] = [useTestServer(), useTestServer()]
const rest = restTransport()
let folder: string
let origin: ReadExport

async function call(server: TestServer, person: Pick<Person, 'key'>, tool: string, input = {}) {
  await server.running.opened.database.db.collection('rates').deleteMany({})
  const answer: ToolResponse = await rest.call(server, person, tool, input)
  if (!answer.ok) throw new Error(`${tool} was refused: ${answer.text}`)
  return answer.body
}

/** More text than fits into one request, with characters of one to four bytes. */
const longText = Array.from({ length: 900 }, (_, at) => `# Page ${at}\n\n${'ünïcode 🐋 '.repeat(100)}\n`).join('')

/** An account with books of every kind. */
async function build(): Promise<Person> {
  const person = await from.createPerson()
  const make = (tool: string, input: object) => call(from, person, tool, input)
  const { itemId: pdf } = await importFile(from, person, { filename: 'w.pdf', bytes: await smallBooks.pdf() })
  const prompt = { prompt: 'What do whales eat?' }
  const toc = [{ title: 'Whales', page: 1, level: 1 }]
  await make('enrich_item', {
    itemId: pdf,
    title: 'Whales',
    author: 'H. M.',
    description: 'Sea.',
    toc,
    addPrompt: prompt,
  })
  const { itemId: epub } = await importFile(from, person, { filename: 'ships.epub', bytes: await smallBooks.epub() })
  const bytes = Buffer.from('# Typed\n\nonce\n')
  const { itemId: edited } = await importFile(from, person, { filename: 'typed.md', bytes })
  await make('append_item_pages', { id: edited, content: '# Twice\n' })
  const { id: notes } = await make('create_markdown_item', { title: 'Notes', content: '# One\n\nheron\n' })
  await make('append_item_pages', { id: notes, content: '# Two\n\nno end of line' })
  await make('create_markdown_item', { title: 'Notes', content: 'Other words under the same title.\n' })
  await make('create_markdown_item', { title: 'Empty' })
  const { id: long } = await make('create_markdown_item', { title: 'Long', content: longText.slice(0, 400_000) })
  const { version } = await make('get_item_content', { id: long })
  expect(version).toBe(1)
  const half = longText.slice(400_000)
  await make('append_item_pages', { id: long, content: half })
  await make('create_manuscript', { title: 'Herons', itemId: notes, topics: ['birds'], instructions: 'Be short.' })
  const birds = await make('create_shelf', { name: 'Birds', color: '#aa3300' })
  await make('add_to_shelf', { shelf: birds.id, itemIds: [notes, pdf] })
  await make('create_shelf', { name: 'Nothing yet' })
  await make('add_to_shelf', { shelf: birds.id, itemIds: [epub] })
  await make('start_access_session', { intent: 'How herons fish' })
  return person
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lectern-'))
  const person = await build()
  origin = await readExport(from, person)
  await writeFile(join(folder, 'mine.zip'), origin.bytes)
}, 120_000)
afterAll(() => rm(folder, { recursive: true, force: true }))
afterEach(() => vi.restoreAllMocks())

const run = (person: Pick<Person, 'key'>, ...args: string[]) =>
  runClientCommand(['import-export', ...args], {
    environment: { LECTERN_URL: to.baseUrl, LECTERN_KEY: person.key },
    folder,
  })

/** The part of an export that is the same on every server: ids, dates and versions are removed. */
function essence({ files, json }: ReadExport) {
  const names = new Map<string, string>()
  const books = [...files.keys()]
    .filter((path) => path.endsWith('/book.json'))
    .map((path) => {
      const book = json(path)
      const hash = (name: string | null) =>
        name === null
          ? null
          : createHash('sha256')
              .update(files.get(name) as Buffer)
              .digest('hex')
      const { title, author, description, prompts, outline, sourceType, fileFormat, pageCount } = book
      const [original, text] = [hash(book.original?.path ?? null), hash(book.text)]
      names.set(book.id, `${title} ${text}`)
      return { title, author, description, prompts, outline, sourceType, fileFormat, pageCount, original, text }
    })
  const named = (id: string) => names.get(id)
  return {
    books: books.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    shelves: json('shelves.json').map(({ name, color, books: on }: any) => ({
      name,
      color,
      books: on.map(({ id }: any) => named(id)).sort(),
    })),
    manuscripts: json('manuscripts.json').map(({ title, itemId, topics, instructions, status }: any) => {
      return { title, topics, instructions, status, book: named(itemId) }
    }),
  }
}

describe('an export imported on another server', { timeout: 120_000 }, () => {
  test('yields the same books, byte for byte, with metadata, shelves and manuscripts; a repeat adds nothing', async () => {
    const person = await to.createPerson()
    const first = await run(person, 'mine.zip')
    expect(first.stderr).toContain('These stay in the archive as records: 1 research sessions')
    expect({ code: first.code, stdout: first.stdout }).toEqual({
      code: 0,
      stdout: '7 books imported, 0 already here, 0 left out; 2 shelves and 1 manuscript created\n',
    })
    const arrived = essence(await readExport(to, person))
    expect(arrived).toEqual(essence(origin))
    expect(arrived.books).toHaveLength(7)
    const second = await run(person, 'mine.zip', '--json')
    expect(second).toMatchObject({ code: 0, json: { added: 0, existing: 7, leftOut: [], shelves: { created: 0 } } })
    expect(essence(await readExport(to, person))).toEqual(essence(origin))
  })

  test('continues after an interruption at any point', async () => {
    const person = await to.createPerson()
    const real = globalThis.fetch
    let runs = 0
    for (let code: number | null = 1; code !== 0; runs++) {
      let left = 9 + runs
      vi.spyOn(globalThis, 'fetch').mockImplementation((...args) =>
        left-- > 0 || runs > 6 ? real(...args) : Promise.reject(new TypeError('fetch failed')),
      )
      code = (await run(person, 'mine.zip')).code
      expect(runs).toBeLessThan(9)
    }
    vi.restoreAllMocks()
    expect(runs).toBeGreaterThan(3)
    expect(essence(await readExport(to, person))).toEqual(essence(origin))
  })

  test('keeps a text that was changed on this server', async () => {
    const person = await to.createPerson()
    await run(person, 'mine.zip')
    const { items } = await call(to, person, 'list_items')
    const long = items.find(({ title }: any) => title === 'Long').id
    await call(to, person, 'append_item_pages', { id: long, content: '# Mine now\n' })
    const again = await run(person, 'mine.zip')
    expect(again.code).toBe(1)
    expect(again.stderr).toMatch(/^Long: a book with this title and another text exists here\./m)
    expect((await call(to, person, 'list_items')).items).toHaveLength(7)
  })

  test('can be imported by the command in a separate process', async () => {
    const person = await to.createPerson()
    const args = ['import-export', join(folder, 'mine.zip'), '--json']
    const { code, stdout } = await runLecternProcess(args, { LECTERN_URL: to.baseUrl, LECTERN_KEY: person.key })
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, added: 7, stopped: null })
  })
})

describe('a file that is not a complete export', () => {
  const entriesOf = ({ files }: ReadExport): RawEntry[] => [...files].map(([name, data]) => ({ name, data }))
  const withManifest = (change: (manifest: any) => void) => {
    const manifest = structuredClone(origin.manifest)
    change(manifest)
    const others = entriesOf(origin).filter(({ name }) => name !== 'manifest.json')
    return rawZip([...others, { name: 'manifest.json', data: Buffer.from(JSON.stringify(manifest)) }])
  }

  test.for<[what: string, bytes: () => Buffer, reason: RegExp]>([
    ['a text', () => Buffer.from('hello'), /it is not a ZIP archive/],
    ['a file that is cut off', () => origin.bytes.subarray(0, -1000), /it is not a ZIP archive, or its end is missing/],
    ['another archive', () => rawZip([{ name: 'a.txt', data: Buffer.from('a') }]), /it has no manifest\.json/],
    [
      'another manifest',
      () => rawZip([{ name: 'manifest.json', data: Buffer.from('{}') }]),
      /does not have the expected format/,
    ],
    ['one of a newer format', () => withManifest((manifest) => (manifest.formatVersion = 9)), /by a newer Lectern/],
    [
      'one with an additional file',
      () => withManifest((manifest) => manifest.files.pop()),
      /its files differ from its manifest/,
    ],
    [
      'one with another hash',
      () => withManifest(({ files }) => (files[0].sha256 = '0'.repeat(64))),
      /README\.txt was changed/,
    ],
    [
      'one with another size',
      () => withManifest(({ files }) => (files[0].bytes += 1)),
      /README\.txt is missing or was changed/,
    ],
    ['one with a path outside its folder', () => rawZip([{ name: '../evil', data: Buffer.from('a') }]), /./],
    ['one with an absolute path', () => rawZip([{ name: '/evil', data: Buffer.from('a') }]), /./],
  ])('is refused: %s', async ([, bytes, reason]) => {
    await writeFile(join(folder, 'wrong.zip'), bytes())
    const person = await to.createPerson()
    const { code, stdout, stderr } = await run(person, 'wrong.zip')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/wrong\.zip (?:is not a complete Lectern export: .* Nothing was imported\.|was written)/)
    expect(stderr).toMatch(reason)
    expect((await call(to, person, 'list_items')).items).toEqual([])
  })

  test.for(['Whales/original/w.pdf', 'Long/text.md', 'Long/book.json', 'manifest.json'])(
    'is refused: a changed byte in %s',
    async (name) => {
      const bytes = Buffer.from(origin.bytes)
      // A position in the content, after the name in the file's header.
      const at = bytes.indexOf(name) + name.length + 100
      bytes[at] = (bytes[at] as number) ^ 0xff
      await writeFile(join(folder, 'wrong.zip'), bytes)
      const { code, stderr } = await run(await to.createPerson(), 'wrong.zip')
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('is not a complete Lectern export') })
    },
  )

  test('is refused: entries that share bytes, which would make a small file unpack without end', async () => {
    const data = Buffer.alloc(100_000, 'a')
    const entries = Array.from({ length: 20 }, (_, at) => ({ name: `${at}`, data: at === 0 ? data : Buffer.alloc(0) }))
    const shared = entries.map((entry) => ({ ...entry, offset: 0, claims: { size: 100_000, compressedSize: 100_000 } }))
    await writeFile(join(folder, 'wrong.zip'), rawZip(shared))
    expect((await run(await to.createPerson(), 'wrong.zip')).stderr).toContain('its directory is wrong')
  })

  test('is refused: a missing file, and no file', async () => {
    const person = await to.createPerson()
    expect((await run(person, 'none.zip')).stderr).toContain('none.zip cannot be read (ENOENT)')
    expect(await run(person)).toMatchObject({ code: 2, stderr: expect.stringContaining('name one FILE') })
  })

  test('the archive used by the other tests is complete', async () => {
    expect((await readArchive(await readFile(join(folder, 'mine.zip')))).manifest.counts['books']).toBe(7)
  })
})
