import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Book } from '../../src/books/book.ts'
import { collect } from '../support/collect.ts'
import { makeCalibreLibrary } from '../support/calibre.ts'
import { childEnvironment } from '../support/child-environment.ts'
import { buildEpub } from '../support/epub.ts'
import { runLectern } from '../support/run-lectern.ts'
import { startTestServer, testDatabaseEnvironment, type TestServer } from '../support/server.ts'
import { smallBooks } from '../support/small-books.ts'

const timeout = 240_000
let server: TestServer
let directory: string
let folder: string
let environment: Record<string, string>
let email: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lectern-import-'))
  const store = { LECTERN_DATA_DIR: directory, ...testDatabaseEnvironment(directory) }
  server = await startTestServer(store)
  environment = { ...store, LECTERN_BASE_URL: server.baseUrl, LECTERN_LOG_LEVEL: 'silent' }
})
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lectern-import-files-'))
  email = await createUser()
  return () => rm(folder, { recursive: true, force: true })
})
afterAll(async () => {
  await server.close()
  await rm(directory, { recursive: true, force: true })
})

async function createUser(plan = 'SELF_HOSTED', into = environment): Promise<string> {
  const address = `${randomBytes(6).toString('hex')}@lectern.example`
  await runLectern(['user', 'create', '--email', address, '--plan', plan, '--json'], into)
  return address
}

const importFrom = (...options: string[]) =>
  runLectern(['import', '--from', folder, '--email', email, ...options], environment)

async function put(path: string, bytes: string | Uint8Array): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), bytes)
}

/** Small books with distinct texts. */
async function putMarkdown(count: number, prefix = ''): Promise<void> {
  for (let at = 1; at <= count; at++) await put(`${prefix}${at}.md`, `# Book ${prefix}${at}\n\nText ${at}.\n`)
}

async function library() {
  const { accounts, books, shelves, placements } = server.running.opened.services
  const account = await accounts.byEmail(email)
  if (!account) throw new Error(`no account ${email}`)
  const owned: Book[] = await collect(books.allOwned(account.id))
  const titles = new Map(owned.map(({ id, title }) => [id, title]))
  const named = await shelves.list(account.id)
  const placed = await placements.list(account.id)
  const titlesOn = (shelfId: string) =>
    placed.flatMap((place) => (place.shelfId === shelfId ? [titles.get(place.itemId) ?? ''] : [])).sort()
  return { account, owned, shelves: Object.fromEntries(named.map(({ id, name }) => [name, titlesOn(id)])), named }
}

test(
  'a folder becomes books and shelves; a second run adds new files and restores shelf places',
  { timeout },
  async () => {
    await put('whales.epub', await smallBooks.epub())
    await put('Science/Physics/waves.md', '# Waves\n\nThey roll.')
    await put('Science/light.txt', 'Light\n\nIt shines.')
    await put('Favourites/waves again.md', '# Waves\n\nThey roll.')
    await put('Science/film.mkv', 'x')
    const first = await importFrom('--wait')
    expect(first).toMatchObject({
      code: 0,
      stdout: '3 books added, 0 in the library already, 1 found twice, 1 left out, 0 failed.\n',
    })
    expect(first.stderr).toMatch(
      /^Reading the folder …\nImporting …\n\d+ pages were read\.\nShelves: 3 created, 3 books placed on shelves\.\nLeft out:\n {2}1 × \.mkv files, which Lectern does not read: Science\/film\.mkv\n$/,
    )
    const { owned, shelves, account, named } = await library()
    expect(owned.map(({ status }) => status)).toEqual(['READY', 'READY', 'READY'])
    const waves = owned.find(({ original }) => original?.filename.startsWith('waves'))
    expect(shelves).toEqual({ Favourites: [waves?.title], Science: ['light'], 'Science / Physics': [waves?.title] })

    const favourites = named.find(({ name }) => name === 'Favourites')
    await server.running.opened.services.placements.clear(account.id, favourites?.id ?? '')
    await put('Science/new.md', '# New\n\nNew.')
    const second = await importFrom('--wait', '--json')
    expect(second).toMatchObject({
      code: 0,
      json: {
        found: 5,
        added: 1,
        existing: 3,
        copies: 1,
        failed: [],
        stopped: null,
        shelves: { created: 0, placed: 2 },
      },
    })
    const { notifications } = server.running.opened.services
    const told = await notifications.list(account.id, { unread: true, limit: 10 })
    expect(told.map(({ title }) => title)).toEqual([
      `1 book was added from the folder ${basename(folder)}`,
      `3 books were added from the folder ${basename(folder)}`,
    ])
    expect((await library()).shelves).toMatchObject({ Favourites: [waves?.title], Science: ['New', 'light'] })
  },
)

test('the report of a folder with one page counts it as one', { timeout }, async () => {
  await put('one.md', '# One')
  expect((await importFrom('--wait')).stderr).toBe('Reading the folder …\nImporting …\n1 page was read.\n')
})

test('--dry-run reports what would happen and changes nothing', { timeout }, async () => {
  await putMarkdown(2, 'Notes/')
  await put('there.md', '# There')
  await runLectern(['book', 'add', '--email', email, '--file', join(folder, 'there.md')], environment)
  const planned = await importFrom('--dry-run')
  expect(planned).toMatchObject({
    code: 0,
    stdout: '2 books would be added (0 MB), 1 in the library already, 0 left out, 0 failed.\n',
  })
  expect(planned.stderr).toMatch(/\n1 new shelf: Notes\.\nNothing was changed\.\n$/)
  const { owned, shelves } = await library()
  expect([owned.length, shelves]).toEqual([1, {}])
})

test('an unreadable file fails with its reason, and the others are added', { timeout }, async () => {
  await put('broken.pdf', '%PDF-1.7\n')
  await put('text.pdf', 'only text')
  await put('good.md', '# Good')
  await put('large.pdf', randomBytes(16))
  await truncate(join(folder, 'large.pdf'), 501 * 1024 * 1024)
  const report = await importFrom('--wait', '--json')
  expect(report).toMatchObject({ code: 1, json: { added: 2, stopped: null } })
  expect(report.json.leftOut).toEqual([
    { reason: 'larger than 500 MB, the limit of the Self-hosted plan', count: 1, names: ['large.pdf'] },
  ])
  expect(report.json.failed).toEqual(
    expect.arrayContaining([
      { reason: 'content does not match the file extension', count: 1, names: ['text.pdf'] },
      { reason: expect.stringMatching(/damaged|broken|cannot be/), count: 1, names: ['broken.pdf'] },
    ]),
  )
  const { account } = await library()
  const { notifications } = server.running.opened.services
  const told = await notifications.list(account.id, { unread: true, limit: 10 })
  // There is no separate notification for the book that was imported.
  expect(told.map(({ type, title }) => [type, title]).toSorted()).toEqual([
    ['folder_imported', `2 books were added from the folder ${basename(folder)}`],
    ['import_failed', '"broken" could not be imported'],
  ])
  expect(told.find(({ type }) => type === 'folder_imported')).toMatchObject({
    body: '1 file was refused: content does not match the file extension (text.pdf).',
    metadata: { added: 2, refused: 1 },
  })
})

test('at the limit of the plan, it reports what was added and the next step', { timeout }, async () => {
  email = await createUser('FREE')
  await putMarkdown(22)
  const stopped = await importFrom()
  expect(stopped).toMatchObject({ code: 1, stdout: expect.stringMatching(/^20 books added, 0 in the library/) })
  expect(stopped.stderr).toMatch(
    /The import ended at a limit, after 20 books of 22 files\. Your library is full\. Upgrade to add more items\. http.*\n(.*\n)?Repeat the command to continue: nothing is added twice\.\n$/,
  )
  const again = await importFrom('--json')
  expect(again.json).toMatchObject({ added: 0, stopped: { code: 'PLAN_LIMIT_EXCEEDED' } })
  expect((await library()).account.slots).toBe(20)
})

test('a shelf beyond the plan is reported, and its books are added', { timeout }, async () => {
  email = await createUser('FREE')
  for (let at = 10; at < 30; at++) await put(`Empty ${at}/x.md`, '# The same')
  await put('Last/y.md', '# Other')
  const report = await importFrom('--json')
  expect(report).toMatchObject({ code: 1, json: { added: 2, copies: 19, shelves: { created: 20, placed: 20 } } })
  expect(report.json.shelves.notMade).toMatchObject([
    { reason: expect.stringMatching(/^Shelf limit reached/), count: 1, names: ['Last'] },
  ])
})

describe('without a running server', () => {
  let alone: Record<string, string>

  beforeEach(async () => {
    const data = await mkdtemp(join(tmpdir(), 'lectern-import-alone-'))
    alone = { LECTERN_DATA_DIR: data, ...testDatabaseEnvironment(data), LECTERN_LOG_LEVEL: 'silent' }
    email = await createUser('SELF_HOSTED', alone)
    return () => rm(data, { recursive: true, force: true })
  })

  const statuses = async () => {
    const { json } = await runLectern(['book', 'list', '--email', email, '--json'], alone)
    return Object.groupBy(json.books as Book[], ({ status }) => status)
  }

  test('it keeps the import queue filled, and imports what does not fit into it at once', { timeout }, async () => {
    await putMarkdown(230)
    const run = await runLectern(['import', '--from', folder, '--email', email, '--json'], alone)
    expect(run).toMatchObject({ code: 0, json: { found: 230, added: 230, failed: [], stopped: null } })
    expect(run.json.waiting).toBeLessThanOrEqual(100)
    const { READY = [], PROCESSING = [] } = await statuses()
    expect(READY.length + PROCESSING.length).toBe(230)
    expect(READY.length).toBeGreaterThanOrEqual(230 - run.json.waiting)
    const waited = await runLectern(['import', '--from', folder, '--email', email, '--wait', '--json'], alone)
    expect(waited).toMatchObject({ code: 0, json: { added: 0, existing: 230, waiting: 0 } })
    expect((await statuses()).READY).toHaveLength(230)
  })

  test('Ctrl-C says what continues; repeating the command continues', { timeout }, async () => {
    await putMarkdown(150)
    const child = spawn(process.execPath, ['bin/lectern.cjs', 'import', '--from', folder, '--email', email, '--wait'], {
      env: { ...childEnvironment, ...alone, PATH: process.env['PATH'] },
    })
    let [stdout, stderr] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      const before = stderr
      stderr += text
      if (!before.includes('Importing …') && stderr.includes('Importing …')) child.kill('SIGINT')
    })
    const [code] = (await once(child, 'close')) as [number | null]
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^\d+ books? added, 0 in the library already/)])
    expect(stderr).toMatch(/Interrupted after \d+ books? of 150 files\.\n/)
    expect(stderr).toMatch(
      /not imported yet\. A running server imports them in the background; .* lectern job list --email/,
    )
    expect(stderr).toMatch(/Repeat the command to continue: nothing is added twice\.\n$/)
    const rest = await runLectern(['import', '--from', folder, '--email', email, '--wait', '--json'], alone)
    expect(rest).toMatchObject({ code: 0, json: { found: 150, waiting: 0, failed: [] } })
    expect((await statuses()).READY).toHaveLength(150)
  })

  // The command makes about fifty changes before it begins with the first file.
  test(
    'after a kill at any change, repeating the command adds nothing twice and completes all places',
    { timeout },
    async () => {
      let killed = 0
      let begun = 0
      const owned = new Set<string>()
      for (let changes = 56; changes < 76; changes++) {
        await putMarkdown(2, `Notes ${changes}/`)
        const command = ['import', '--from', folder, '--email', email, '--json']
        const child = spawn(process.execPath, ['test/support/killable-command.ts', String(changes), ...command], {
          env: { ...childEnvironment, ...alone, PATH: process.env['PATH'] },
          stdio: 'ignore',
        })
        const [, signal] = (await once(child, 'close')) as [number | null, string | null]
        if (signal === 'SIGKILL') killed += 1
        const { json } = await runLectern(command, alone)
        if (json.added < 2) begun += 1
        expect(json).toMatchObject({ failed: [], copies: 0, stopped: null, shelves: { notMade: [] } })
        const { READY = [], PROCESSING = [] } = await statuses()
        for (const { id } of [...READY, ...PROCESSING]) owned.add(id)
        expect([changes, owned.size]).toEqual([changes, json.found])
      }
      const { json } = await runLectern(['import', '--from', folder, '--email', email, '--json'], alone)
      expect(json).toMatchObject({ added: 0, existing: owned.size, shelves: { created: 0, placed: 0 } })
      // Some of these kills came after a file had become a book.
      expect([killed > 14, begun > 3]).toEqual([true, true])
    },
  )
})

test('a Calibre library is imported with titles, authors, series, tags and covers', { timeout }, async () => {
  const picture = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const epub = await buildEpub({
    metadata: '<dc:title>Title of the file</dc:title><dc:language>fr</dc:language><meta name="cover" content="cover"/>',
    manifest: '<item id="cover" href="cover.png" media-type="image/png" properties="cover-image"/>',
    files: { 'OEBPS/cover.png': picture },
  })
  await makeCalibreLibrary(folder, [
    {
      title: 'Foundation',
      authors: ['Asimov, Isaac'],
      series: ['Foundation', 1],
      tags: ['Space opera', 'Classics'],
      languages: ['eng'],
      publisher: 'Gnome',
      comments: '<p>Of <i>psychohistory</i>.</p>',
      identifiers: { isbn: '9780553293357' },
      cover: picture,
      files: { EPUB: epub, MOBI: Buffer.from('x') },
    },
    {
      title: 'Second Foundation',
      authors: ['Asimov, Isaac'],
      series: ['Foundation', 3],
      tags: ['Space opera'],
      cover: Buffer.from('no picture'),
      files: { PDF: await smallBooks.pdf() },
    },
  ])
  const run = await importFrom('--wait')
  expect(run.stdout).toBe('2 books added, 0 in the library already, 0 left out, 0 failed.\n')
  expect(run.stderr).toMatch(
    /In the catalogue, but not imported:\n {2}1 × covers: The cover must be a PNG or JPEG of at most 20 MB\.: .*\n {2}1 × further files as MOBI: Foundation\n$/,
  )
  const { owned, shelves } = await library()
  expect(owned).toMatchObject([
    {
      title: 'Foundation',
      author: 'Asimov, Isaac',
      language: 'en',
      publisher: 'Gnome',
      isbn: '9780553293357',
      description: 'Of psychohistory.\n\nSeries: Foundation, 1\nTags: Classics, Space opera',
      cover: 'file',
      ownCover: { mediaType: 'image/png' },
      status: 'READY',
    },
    {
      title: 'Second Foundation',
      author: 'Asimov, Isaac',
      description: 'Series: Foundation, 3\nTags: Space opera',
      cover: 'file',
    },
  ])
  expect(shelves).toEqual({
    Foundation: ['Foundation', 'Second Foundation'],
    Classics: ['Foundation'],
    'Space opera': ['Foundation', 'Second Foundation'],
  })
  const again = await importFrom('--json')
  expect(again.json).toMatchObject({ added: 0, existing: 2, shelves: { created: 0, placed: 0 } })
})

test.for([
  [['--from', '/nowhere'], 1, 'NOT_FOUND', /Folder not found: \/nowhere/],
  [[], 2, 'USAGE', /--from is missing/],
] as const)('refuses %j', async ([options, code, name, message]) => {
  const run = await runLectern(['import', '--email', email, ...options, '--json'], environment)
  expect(run).toMatchObject({ code, json: { code: name, error: expect.stringMatching(message) } })
})
