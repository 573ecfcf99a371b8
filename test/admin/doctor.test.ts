import { appendFile, mkdir, mkdtemp, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { repairData, runChecks } from '../../src/admin/doctor/run-checks.ts'
import { readConfig } from '../../src/app/config.ts'
import { runImport } from '../../src/imports/run-import.ts'
import { refreshStaleIndex } from '../../src/search/index/refresh-stale-index.ts'
import { newId } from '../../src/core/ids.ts'
import { createLog } from '../../src/app/log.ts'
import { startServer, type RunningServer } from '../../src/app/start.ts'
import { createAccount } from '../../src/accounts/create-account.ts'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { runLectern } from '../support/run-lectern.ts'
import { freePort } from '../support/server.ts'
import { shareExtractor } from '../support/shared-extractor.ts'
import { addFile, readPageTexts, reserveUpload } from '../support/uploads.ts'

/** A library to damage: one imported book that was read, and one reserved book. */
interface Patient {
  accountId: string
  bookId: string
  jobId: string
  draftId: string
  file: string
}

let directory: string
let server: RunningServer
const extractor = shareExtractor()
let baseUrl: string
let people = 0

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lectern-doctor-'))
  baseUrl = `http://127.0.0.1:${await freePort()}`
  const environment = { PORT: new URL(baseUrl).port, LECTERN_BASE_URL: baseUrl, LECTERN_LOG_LEVEL: 'silent' }
  const config = readConfig({ ...environment, LECTERN_DATA_DIR: directory, LECTERN_ROLE: 'web' })
  server = await startServer(config, createLog('silent'))
})
afterAll(async () => {
  await extractor.close()
  await server.stop()
  await rm(directory, { recursive: true, force: true })
})

const rows = (name: string) => server.opened.database.db.collection<{ _id: string }>(name)
const filePath = (key: string) => join(directory, 'files', key)
const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60_000)

async function patient(): Promise<Patient> {
  const { services } = server.opened
  const email = `patient${(people += 1)}@lectern.example`
  const { id: accountId } = await createAccount(services, { email })
  const { key } = await createApiKey(services, accountId, {})
  const bytes = Buffer.from(`# One\n\nwhales ${people}\n# Two\n\nships\n`)
  const book = await addFile({ baseUrl }, { key }, { filename: `Whales ${people}.md`, bytes })
  await runImport({ ...services, extractor, log: createLog('silent'), leaseDurationMs: 30_000 }, book.jobId)
  await readPageTexts({ baseUrl }, { key }, book.itemId)
  // Otherwise the server would store its reads later, perhaps after this account is gone.
  await Promise.all([services.readMeter.flush(), services.readLog.flush()])
  const draft = await reserveUpload({ baseUrl }, { key }, { filename: 'later.md', bytes })
  const file = filePath(book.storageKey.replace('incoming', 'originals'))
  return { accountId, bookId: book.itemId, jobId: book.jobId, draftId: draft.itemId, file }
}

const refreshIndex = () => refreshStaleIndex({ ...server.opened.services, log: createLog('silent') })
const context = (deep = false) => ({ db: server.opened.database.db, services: server.opened.services, deep })

async function findings(deep = false): Promise<Record<string, string>> {
  const { checks } = await runChecks(context(deep))
  return Object.fromEntries(checks.filter(({ ok }) => !ok).map(({ name, detail }) => [name, detail]))
}

type Damage = (patient: Patient) => Promise<unknown>
const set = (name: string, _id: string, change: object) => rows(name).updateOne({ _id }, { $set: change })

const damages: [what: string, check: string, says: RegExp, damage: Damage][] = [
  [
    'a book without an owner',
    'owners',
    /books: account nobody does not exist/,
    ({ bookId }) => set('books', bookId, { ownerId: 'nobody' }),
  ],
  [
    'a job without an owner',
    'owners',
    /jobs: account nobody/,
    ({ jobId }) => set('jobs', jobId, { accountId: 'nobody' }),
  ],
  [
    'an upload without an owner',
    'owners',
    /uploads: account nobody/,
    ({ draftId }) => set('uploads', draftId, { accountId: 'nobody' }),
  ],
  [
    'an account that does not exist',
    'owners',
    /keys: account \w+ does not exist/,
    ({ accountId }) => rows('accounts').deleteOne({ _id: accountId }),
  ],
  [
    'a book in processing without a job',
    'books',
    /being processed without a live job/,
    ({ bookId }) => set('books', bookId, { status: 'PROCESSING' }),
  ],
  [
    'a failed book without a reason',
    'books',
    /failed without a reason/,
    ({ bookId }) => set('books', bookId, { status: 'FAILED', healthReason: null }),
  ],
  [
    'a book that is ready without text',
    'books',
    /ready without content/,
    ({ draftId }) => set('books', draftId, { status: 'READY' }),
  ],
  [
    'a reservation without an upload',
    'books',
    /reserved without an upload/,
    ({ draftId }) => rows('uploads').deleteOne({ _id: draftId }),
  ],
  [
    'a missing version',
    'versions',
    /version 1, stored versions $/,
    ({ bookId }) => rows('contents').deleteOne({ _id: `${bookId}:1` }),
  ],
  [
    'a gap in the version numbers',
    'versions',
    /version 3, stored versions 1/,
    ({ bookId }) => set('books', bookId, { version: 3 }),
  ],
  [
    'a missing page',
    'versions',
    /1 pages of \w+-1 are missing/,
    ({ bookId, jobId }) => rows('pages').deleteOne({ _id: `${bookId}:${jobId}-1:000001` }),
  ],
  [
    'a version with a wrong number of pages',
    'versions',
    /5 pages, 2 listed/,
    ({ bookId }) => set('contents', `${bookId}:1`, { pageCount: 5 }),
  ],
  [
    'pages that belong to no version',
    'pages',
    /1 pages of \w+:stray belong to no version/,
    ({ bookId }) => rows('pages').insertOne({ _id: `${bookId}:stray:000000` }),
  ],
  [
    'text that belongs to no book',
    'contents',
    /book \w+ has stored text but does not exist/,
    ({ bookId }) => rows('books').deleteOne({ _id: bookId }),
  ],
  ['a missing file', 'originals', /its file originals\/\S+ is missing/, ({ file }) => rm(file)],
  ['a truncated file', 'originals', /its file has 5 of \d+ bytes/, ({ file }) => truncate(file, 5)],
  ['a file with additional bytes', 'originals', /its file has \d+ of \d+ bytes/, ({ file }) => appendFile(file, 'x')],
  [
    'one slot too many',
    'slots',
    /3 slots in use, 2 books/,
    ({ accountId }) => set('accounts', accountId, { slots: 3 }),
  ],
  ['one slot too few', 'slots', /1 slots in use, 2 books/, ({ accountId }) => set('accounts', accountId, { slots: 1 })],
  [
    'wrong sums of a library',
    'derived-counts',
    /the derived counts of the library of account \w+ are wrong/,
    async ({ accountId }) => {
      await server.opened.services.books.libraryCounts(accountId)
      await set('bookTallies', accountId, { 'sums.ready': 7 })
    },
  ],
  [
    'a book that was changed without its sums',
    'derived-counts',
    /the derived counts of the library of account \w+ are wrong/,
    async ({ accountId, bookId }) => {
      await server.opened.services.books.libraryCounts(accountId)
      await set('books', bookId, { pageCount: 99 })
    },
  ],
  [
    'wrong counts of shelves',
    'derived-counts',
    /the derived counts of the shelves of account \w+ are wrong/,
    async ({ accountId }) => {
      await server.opened.services.placements.countByShelf(accountId)
      await set('placementTallies', accountId, { 'sums.nowhere': 1 })
    },
  ],
  [
    'wrong bytes of a book',
    'stored-bytes',
    /1 bytes are counted, \d+ stored/,
    ({ bookId }) => set('books', bookId, { storedBytes: 1 }),
  ],
  [
    'a book whose current version is not indexed',
    'search',
    /version 0 is indexed, 1 is current/,
    async ({ bookId }) => {
      await refreshIndex()
      await set('search_books', bookId, { version: 0 })
    },
  ],
  [
    'a read that was not charged',
    'reads',
    /2 reads used, 1 charged/,
    async ({ accountId }) => {
      await server.opened.services.readMeter.flush()
      await rows('reads').updateOne({ accountId }, { $set: { used: 2 } })
    },
  ],
]

/** The checks whose violations other stored data can correct. */
const repairable = new Set(['slots', 'derived-counts', 'stored-bytes', 'search'])

afterEach(async () => {
  for (const { collectionName } of await server.opened.database.db.collections())
    await rows(collectionName).deleteMany({})
  for await (const { key } of server.opened.services.files.list('')) await server.opened.services.files.delete(key)
})

describe('the doctor', () => {
  test('the doctor reports no findings for a consistent library', async () => {
    await patient()
    expect(await findings(true)).toEqual({})
  })

  test.for(damages)('the doctor finds %s', async ([, check, says, damage]) => {
    const sick = await patient()
    await damage(sick)
    expect(await findings()).toMatchObject({ [check]: expect.stringMatching(says) })
  })

  test.for(damages.filter(([, check]) => repairable.has(check)))(
    'a repair corrects %s',
    async ([, check, says, damage]) => {
      const sick = await patient()
      await damage(sick)
      const { checks } = await repairData(context())
      expect(checks.find(({ name }) => name === check)).toMatchObject({
        ok: true,
        repaired: expect.stringMatching(says),
      })
      await refreshIndex()
      expect(await findings()).not.toHaveProperty(check)
    },
  )

  test('a repair leaves data that cannot be derived unchanged, and reports it', async () => {
    const { bookId, jobId } = await patient()
    await rows('pages').deleteOne({ _id: `${bookId}:${jobId}-1:000001` })
    const { ok, checks } = await repairData(context())
    expect(ok).toBe(false)
    expect(checks.find(({ name }) => name === 'versions')).toEqual({
      name: 'versions',
      ok: false,
      detail: expect.stringMatching(/1 pages of \w+-1 are missing/),
    })
  })

  test('the doctor finds a file without a book if it is older than a day', async () => {
    await patient()
    const key = `originals/${newId()}/${newId()}.pdf`
    await mkdir(dirname(filePath(key)), { recursive: true })
    await writeFile(filePath(key), 'stray')
    expect(await findings()).toEqual({})
    await utimes(filePath(key), daysAgo(2), daysAgo(2))
    expect(await findings()).toEqual({ files: `file ${key} belongs to no book` })
  })

  test('the doctor finds a changed byte only with --deep', async () => {
    const { file, bookId } = await patient()
    const bytes = await readFile(file)
    bytes[3] = (bytes[3] ?? 0) ^ 1
    await writeFile(file, bytes)
    expect(await findings()).toEqual({})
    expect(await findings(true)).toEqual({ originals: `book ${bookId}: the content of its file has changed` })
  })

  test('the doctor shows five findings per check and counts the rest', async () => {
    for (let n = 0; n < 7; n += 1) {
      const { accountId } = await patient()
      await set('accounts', accountId, { slots: 9 })
    }
    const { slots = '' } = await findings()
    expect(slots.match(/9 slots in use, 2 books/g)).toHaveLength(5)
    expect(slots).toMatch(/; and 2 more$/)
  })

  test('lectern doctor exits with 1 and names the findings', async () => {
    const { accountId } = await patient()
    await set('accounts', accountId, { slots: 9 })
    const environment = { LECTERN_DATA_DIR: directory, LECTERN_LOG_LEVEL: 'silent' }
    const { code, json } = await runLectern(['doctor', '--json'], environment)
    expect(code).toBe(1)
    expect(json.ok).toBe(false)
    expect(json.checks.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([
      { name: 'slots', ok: false, detail: `account ${accountId}: 9 slots in use, 2 books`, repairable: true },
    ])
    const text = await runLectern(['doctor'], environment)
    expect(text.code).toBe(1)
    expect(text.stdout).toMatch(/^BAD {2}slots: account .*\n {5}→ lectern doctor --repair corrects this$/m)
    expect(text.stdout).toMatch(/^ok {3}database: /m)
    const repaired = await runLectern(['doctor', '--repair'], environment)
    expect(repaired.code).toBe(0)
    expect(repaired.stdout).toMatch(/^ok {3}slots: .*\n {5}→ repaired: account \w+: 9 slots in use, 2 books$/m)
  })
})
