import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Book } from '../../src/books/book.ts'
import { childEnvironment } from '../support/child-environment.ts'
import { collect } from '../support/collect.ts'
import { runInTerminal, scriptNeed } from '../support/pseudo-terminal.ts'
import { lecternCommand, runLectern } from '../support/run-lectern.ts'
import { startTestServer, testDatabaseEnvironment, type Person, type TestServer } from '../support/server.ts'
import { smallBooks } from '../support/small-books.ts'
import { describeWith } from '../support/system-needs.ts'
import { rest } from '../support/transports.ts'
import { importFile } from '../support/uploads.ts'

const timeout = 240_000

let from: TestServer
let to: TestServer
let directory: string
let environment: Record<string, string>
let owner: Person
let email: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lectern-import-catalogue-'))
  const store = { LECTERN_DATA_DIR: directory, ...testDatabaseEnvironment(directory) }
  ;[from, to] = await Promise.all([startTestServer(), startTestServer(store)])
  environment = { ...store, LECTERN_BASE_URL: to.baseUrl, LECTERN_LOG_LEVEL: 'silent' }
  owner = await from.createPerson({ plan: 'PRO' })
  email = `${randomBytes(6).toString('hex')}@lectern.example`
  await runLectern(['user', 'create', '--email', email, '--plan', 'SELF_HOSTED', '--json'], environment)
}, timeout)
afterAll(async () => {
  await Promise.all([from.close(), to.close()])
  await rm(directory, { recursive: true, force: true })
})

const call = async (tool: string, input: Record<string, unknown>): Promise<any> => {
  const answer = await rest.call(from, owner, tool, input)
  if (!answer.ok) throw new Error(answer.text)
  return answer.body
}

const importFrom = (path: string, ...options: string[]) =>
  runLectern(['import', '--from', `${from.baseUrl}${path}`, '--email', email, '--json', ...options], {
    ...environment,
    LECTERN_CATALOGUE_PASSWORD: owner.key,
  })

async function library(server: TestServer, accountEmail: string) {
  const { accounts, books, shelves, placements } = server.running.opened.services
  const account = await accounts.byEmail(accountEmail)
  const id = account?.id ?? ''
  const owned: Book[] = await collect(books.allOwned(id))
  const titles = new Map(owned.map((book) => [book.id, book.title]))
  const placed = await placements.list(id)
  const named = (await shelves.list(id)).map(({ id: shelfId, name }) => [
    name,
    placed.flatMap((place) => (place.shelfId === shelfId ? [titles.get(place.itemId) ?? ''] : [])).sort(),
  ])
  const fields = owned.map(({ title, author, description, language, publisher, isbn, original }) => {
    return { title, author, description, language, publisher, isbn, sha256: original?.sha256 }
  })
  return { books: fields.sort((a, b) => (a.title < b.title ? -1 : 1)), shelves: Object.fromEntries(named) }
}

test.for(['/opds', '/opds/v2'])(
  'the library of one server is imported into another over %s, once, with its metadata',
  { timeout },
  async (path) => {
    if (path === '/opds') {
      const file = Buffer.from(await smallBooks.epub())
      const { itemId } = await importFile(from, owner, { filename: 'tales.epub', bytes: file })
      const { itemId: plain } = await importFile(from, owner, {
        filename: 'waves.md',
        bytes: Buffer.from('# Waves\n\nThey roll.\n'),
      })
      const description =
        'A <b>tale</b> & more.\n\nSecond paragraph.\n\nSeries: Sea, stories, 2.5\nTags: Fiction, Größe & Co\nPublished: 1999-05-01'
      await call('enrich_item', { itemId, title: 'Tales & <more>', author: 'Ada, Bob', description })
      await call('enrich_item', { itemId: plain, title: 'Waves', author: 'Cy' })
      for (const [name, items] of [
        ['Sea, stories', [itemId]],
        ['Fiction', [itemId, plain]],
        ['Größe & Co', [itemId]],
      ] as const) {
        const { id: shelf } = await call('create_shelf', { name })
        await call('add_to_shelf', { shelf, itemIds: [...items] })
      }
    }
    const dry = await importFrom(path, '--dry-run')
    const known = path === '/opds' ? 0 : 2
    expect(dry).toMatchObject({ code: 0, json: { found: 2, added: 2 - known, existing: known, failed: [] } })
    const first = await importFrom(path, '--wait')
    expect(first).toMatchObject({ code: 0, json: { added: 2 - known, existing: known, failed: [], stopped: null } })
    const { books, shelves } = await library(to, email)
    const expected = await library(from, owner.email)
    // The next library turns an entry that is only a shelf into a tag.
    const tagged = expected.books.map((book) =>
      book.title === 'Waves' ? { ...book, description: 'Tags: Fiction' } : book,
    )
    expect(books).toEqual(tagged)
    expect(shelves).toEqual(expected.shelves)
    const again = await importFrom(path, '--wait')
    expect(again).toMatchObject({ code: 0, json: { added: 0, existing: 2, copies: 0, shelves: { placed: 0 } } })
  },
)

test('a missing catalogue, and one that needs a key, are refused with the next step', { timeout }, async () => {
  const missing = await importFrom('/nothing')
  expect(missing).toMatchObject({ code: 1, json: { code: 'INVALID_INPUT', error: expect.stringContaining('404') } })
  const unsigned = await runLectern(
    ['import', '--from', `${from.baseUrl}/opds`, '--email', email, '--json'],
    environment,
  )
  expect(unsigned).toMatchObject({
    code: 1,
    json: { code: 'UNAUTHENTICATED', error: expect.stringContaining('LECTERN_CATALOGUE_PASSWORD') },
  })
})

const signedIn = { code: 0, shown: expect.stringMatching(/would be added .*, \d+ in the library already/) }
const dryRun = (...options: string[]) => {
  return ['import', '--from', `${from.baseUrl}/opds`, '--email', email, '--dry-run', ...options]
}

test('the password of a catalogue is read from stdin', { timeout }, async () => {
  const run = async (line: string) => {
    const child = spawn(process.execPath, [...lecternCommand, ...dryRun('--user', 'ada', '--password', '-')], {
      env: { ...childEnvironment, PATH: process.env['PATH'], ...environment },
    })
    let shown = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (shown += text))
    child.stdin.end(line)
    const [code] = (await once(child, 'close')) as [number | null]
    expect(shown).not.toContain(line.trim())
    return { code, shown }
  }
  expect(await run(`${owner.key}\n`)).toEqual(signedIn)
  const refused = { code: 1, shown: expect.stringContaining('refuses the user name and password') }
  expect(await run('wrong-password\n')).toEqual(refused)
})

test.for([
  [['--password', 'secret'], /--password: must be -, which asks for the password or reads it from stdin/],
  [['--user'], /--user needs a value/],
] as const)('refuses %j', async ([options, message]) => {
  const run = await runLectern([...dryRun(...options), '--json'], environment)
  expect(run).toMatchObject({ code: 2, json: { code: 'USAGE', error: expect.stringMatching(message) } })
})

test('--password is refused for a folder', async () => {
  const args = ['import', '--from', directory, '--email', email, '--user', 'ada', '--json']
  const run = await runLectern(args, environment)
  expect(run).toMatchObject({ code: 2, json: { error: expect.stringContaining('for the address of a catalogue') } })
})

describeWith(scriptNeed)('on a terminal', () => {
  test.for([
    [[], ['User name for the catalogue: ', 'ada\r']],
    [['--user', 'ada'], null],
  ] as const)('a catalogue that requires a sign-in prompts for it, with %j', { timeout }, async ([options, first]) => {
    const password = ['Password for the catalogue (not shown): ', `${owner.key}\r`] as const
    const { code, shown } = await runInTerminal([process.execPath, ...lecternCommand, ...dryRun(...options)], {
      environment,
      answers: [...(first ? [first] : []), password],
    })
    expect({ code, shown }).toEqual(signedIn)
    expect(shown).not.toContain(owner.key)
  })
})
