import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { childEnvironment } from '../support/child-environment.ts'
import { lecternCommand, runLectern } from '../support/run-lectern.ts'
import { startTestServer, testDatabaseEnvironment, type TestServer } from '../support/server.ts'
import { writePdf } from '../support/pdf.ts'
import { smallBooks } from '../support/small-books.ts'

const timeout = 120_000
let server: TestServer
let directory: string
let files: string
let environment: Record<string, string>

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lectern-add-'))
  files = await mkdtemp(join(tmpdir(), 'lectern-files-'))
  const store = { LECTERN_DATA_DIR: directory, ...testDatabaseEnvironment(directory) }
  server = await startTestServer({ LECTERN_ROLE: 'web', ...store })
  environment = { ...store, LECTERN_BASE_URL: server.baseUrl, LECTERN_LOG_LEVEL: 'silent' }
  await writeFile(join(files, 'whales.pdf'), await smallBooks.pdf())
  await writeFile(join(files, 'scan.pdf'), writePdf({ pages: [{ content: 'q 500 0 0 700 0 0 cm Q' }] }))
  await writeFile(join(files, 'broken.pdf'), '%PDF-1.7\n')
  await writeFile(join(files, 'song.mp3'), 'PK')
  await writeFile(join(files, 'text.pdf'), 'only text')
  await writeFile(join(files, 'empty.md'), '')
  await writeFile(join(files, 'large.pdf'), randomBytes(16))
  await truncate(join(files, 'large.pdf'), 26 * 1024 * 1024)
})
afterAll(async () => {
  await server.close()
  await rm(directory, { recursive: true, force: true })
  await rm(files, { recursive: true, force: true })
})

async function createUser(plan = 'SELF_HOSTED'): Promise<string> {
  const email = `${randomBytes(6).toString('hex')}@lectern.example`
  await runLectern(['user', 'create', '--email', email, '--plan', plan, '--json'], environment)
  return email
}

const add = (email: string, file: string, ...options: string[]) =>
  runLectern(['book', 'add', '--email', email, '--file', join(files, file), ...options], environment)

async function listBooks(email: string): Promise<{ id: string; status: string; title: string }[]> {
  const { json } = await runLectern(['book', 'list', '--email', email, '--json'], environment)
  return json.books
}

test('Ctrl-C while waiting for an import says what happens to it', { timeout }, async () => {
  const email = await createUser()
  const child = spawn(
    process.execPath,
    [...lecternCommand, 'book', 'add', '--email', email, '--file', join(files, 'whales.pdf'), '--wait'],
    { env: { ...childEnvironment, ...environment } },
  )
  let remarks = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (remarks === '') child.kill('SIGINT')
    remarks += text
  })
  expect(await once(child, 'close')).toEqual([130, null])
  expect(remarks).toBe(
    `Waiting for the import to start …\nThe import continues in a running server, or when one starts. lectern job list --email ${email} shows it.\n`,
  )
  expect(await listBooks(email)).toMatchObject([{ status: 'PROCESSING' }])
})

test('only the id of the book is on stdout; progress and remarks are on stderr', { timeout }, async () => {
  const email = await createUser()
  const added = await add(email, 'whales.pdf', '--wait')
  expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[a-z0-9]{26}\n$/) })
  expect(added.stderr).toMatch(/^Waiting for the import to start …\n(.*…\n)*.*, 2 pages\n$/)
  const scan = await add(email, 'scan.pdf', '--wait')
  expect(scan).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[a-z0-9]{26}\n$/) })
  expect(scan.stderr).toMatch(/\nscan, 1 page\n.*(upload the result|upload it again)\.\n$/)
})

test('adding a file again prints the id of its book, also while its import is pending', { timeout }, async () => {
  const email = await createUser()
  const first = await add(email, 'whales.pdf')
  expect(first.stderr).toMatch(/^The import is queued \(job [a-z0-9]{26}\)\.\n$/)
  const waiting = await add(email, 'whales.pdf', '--json')
  expect(waiting.json).toMatchObject({ itemId: first.stdout.trim(), job: { status: 'PENDING' }, existing: true })
  const waited = await add(email, 'whales.pdf', '--wait')
  const later = await add(email, 'whales.pdf')
  expect([waited.stdout, later.stdout, later.code]).toEqual([first.stdout, first.stdout, 0])
  expect(later.stderr).toMatch(/^The library already has this file, as ".*" \(2 pages\)\.\n$/)
  const other = await add(email, 'whales.pdf', '--title', 'Other', '--json')
  const otherAgain = await add(email, 'whales.pdf', '--title', 'Other', '--json')
  expect(otherAgain.json).toMatchObject({ itemId: other.json.itemId, existing: true })
  expect((await listBooks(email)).map(({ id }) => id)).toEqual([other.json.itemId, first.stdout.trim()])
  const account = await server.running.opened.services.accounts.byEmail(email)
  expect(account).toMatchObject({ slots: 2, pending: [] })
})

test('the same file of another account becomes a separate book', { timeout }, async () => {
  const [mine, theirs] = [await createUser(), await createUser()]
  const first = await add(mine, 'whales.pdf', '--json')
  const second = await add(theirs, 'whales.pdf', '--json')
  expect(second.json.itemId).not.toBe(first.json.itemId)
  expect(second.json).not.toHaveProperty('existing')
})

test('a file whose import has failed is imported again in the same book', { timeout }, async () => {
  const email = await createUser()
  const first = await add(email, 'broken.pdf', '--wait')
  expect(first).toMatchObject({ code: 1, stdout: expect.stringMatching(/^[a-z0-9]{26}\n$/) })
  expect(first.stderr).toMatch(/\nThe import failed: /)
  const second = await add(email, 'broken.pdf', '--wait', '--json')
  expect(second).toMatchObject({ code: 1, json: { itemId: first.stdout.trim(), job: { type: 'reprocess' } } })
  expect(await listBooks(email)).toMatchObject([{ id: first.stdout.trim(), status: 'FAILED' }])
})

test('a refused file leaves no book, no file and no used slot behind', { timeout }, async () => {
  const email = await createUser('FREE')
  const incoming = join(directory, 'files', 'incoming')
  await rm(incoming, { recursive: true, force: true })
  for (const [file, says, code] of [
    ['song.mp3', /Only PDF, EPUB, Markdown, .* files \(.*\) are supported/, 'INVALID_INPUT'],
    ['text.pdf', /The file is not in PDF format/, 'INVALID_INPUT'],
    ['empty.md', /size must be a positive number/, 'INVALID_INPUT'],
    ['large.pdf', /larger than 25 MB, the limit of the Personal plan/, 'INVALID_INPUT'],
    ['none.pdf', /File not found: .*none\.pdf/, 'NOT_FOUND'],
  ] as const) {
    const refused = await add(email, file, '--wait', '--json')
    expect([file, refused.code, refused.json.code, refused.json.error]).toEqual([
      file,
      1,
      code,
      expect.stringMatching(says),
    ])
  }
  // A file replaces the folder, so the upload itself fails.
  await rm(incoming, { recursive: true, force: true })
  await writeFile(incoming, '')
  const failed = await add(email, 'whales.pdf', '--json')
  expect(failed).toMatchObject({ code: 1, json: { code: 'UNAVAILABLE' } })
  await rename(incoming, `${incoming}.gone`)
  await rm(`${incoming}.gone`)
  expect(await listBooks(email)).toEqual([])
  const account = await server.running.opened.services.accounts.byEmail(email)
  expect(account).toMatchObject({ slots: 0, pending: [] })
  await mkdir(incoming, { recursive: true })
  expect((await readdir(incoming, { recursive: true })).filter((name) => name.endsWith('.pdf'))).toEqual([])
})

test(
  '--file is resolved against the folder where npm was called, not the installation folder',
  { timeout },
  async () => {
    const email = await createUser()
    const typed = ['book', 'add', '--email', email, '--file', 'whales.pdf', '--json']
    const viaNpm = { ...environment, npm_lifecycle_event: 'lectern', INIT_CWD: files }
    expect((await runLectern(typed, viaNpm)).code).toBe(0)
    // In another npm script, paths are relative to the working directory of the process.
    const inOtherScript = await runLectern(typed, { ...viaNpm, npm_lifecycle_event: 'nightly' })
    expect(inOtherScript.json).toEqual({
      error: expect.stringMatching(/^File not found: whales\.pdf \(\//),
      code: 'NOT_FOUND',
    })
  },
)
