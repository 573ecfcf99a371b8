import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runLectern } from '../support/run-lectern.ts'
import { makeBook } from '../support/make-book.ts'
import { addFile } from '../support/uploads.ts'
import { startTestServer, testDatabaseEnvironment, type TestServer } from '../support/server.ts'
import { smallBooks } from '../support/small-books.ts'

const timeout = 120_000
let server: TestServer
let directory: string
let environment: Record<string, string>

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lectern-lists-'))
  const store = { LECTERN_DATA_DIR: directory, ...testDatabaseEnvironment(directory) }
  server = await startTestServer({ LECTERN_ROLE: 'web', ...store })
  environment = { ...store, LECTERN_BASE_URL: server.baseUrl, LECTERN_LOG_LEVEL: 'silent' }
})
afterAll(async () => {
  await server.close()
  await rm(directory, { recursive: true, force: true })
})

const run = (...args: string[]) => runLectern(args, environment)

test('user list shows every account with its plan and state', { timeout }, async () => {
  await run('user', 'create', '--email', 'ann@lectern.example', '--name', 'Ann Lee', '--admin', '--json')
  await run('user', 'create', '--email', 'bob@lectern.example', '--plan', 'FREE', '--json')
  await run('user', 'suspend', '--email', 'bob@lectern.example')
  const { stdout, stderr } = await run('user', 'list')
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^[a-z0-9]{26} {2}SELF_HOSTED {2}admin {6}ann@lectern\.example {2}Ann Lee$/m)
  expect(stdout).toMatch(/^[a-z0-9]{26} {2}FREE {9}suspended {2}bob@lectern\.example {2}bob$/m)
  const { json } = await run('user', 'list', '--json')
  const users = json.users.filter(({ email }: { email: string }) => /^(ann|bob)@/.test(email))
  expect(users).toMatchObject([
    { email: 'ann@lectern.example', name: 'Ann Lee', plan: 'SELF_HOSTED', admin: true, suspendedAt: null, books: 0 },
    { email: 'bob@lectern.example', plan: 'FREE', admin: false, suspendedAt: expect.any(String), deletedAt: null },
  ])
})

test('book list shows every book of the account, newest first, in a library of any size', { timeout }, async () => {
  const person = await server.createPerson()
  const { email } = (await server.running.opened.services.accounts.byId(person.id))!
  const none = await run('book', 'list', '--email', email)
  expect(none).toMatchObject({ code: 0, stdout: '', stderr: 'No books\n' })
  expect((await run('book', 'list', '--email', email, '--json')).json).toEqual({ books: [] })
  for (let i = 1; i <= 205; i++) await makeBook(server, person, { title: `Volume ${i}`, content: '# One\n\n# Two\n' })
  await makeBook(server, await server.createPerson(), { title: 'Of somebody else' })
  const lines = (await run('book', 'list', '--email', email)).stdout.trimEnd().split('\n')
  expect(lines).toHaveLength(205)
  expect(lines[0]).toMatch(/^[a-z0-9]{26} {2}READY {12}2 {2}Volume 205$/)
  const { json } = await run('book', 'list', '--email', email, '--json')
  expect(json.books.map(({ title }: { title: string }) => title)).toEqual(
    Array.from({ length: 205 }, (_, i) => `Volume ${205 - i}`),
  )
  expect(json.books[0]).toEqual({
    id: lines[0]?.slice(0, 26),
    title: 'Volume 205',
    author: null,
    sourceType: 'markdown',
    status: 'READY',
    health: 'ok',
    healthReason: null,
    pageCount: 2,
    createdAt: expect.any(String),
  })
})

test('job list shows the last imports of the account', { timeout }, async () => {
  const person = await server.createPerson()
  const { email } = (await server.running.opened.services.accounts.byId(person.id))!
  expect(await run('job', 'list', '--email', email)).toMatchObject({ code: 0, stdout: '', stderr: 'No imports\n' })
  const file = { filename: 'whales.pdf', bytes: await smallBooks.pdf() }
  const [first, second] = [await addFile(server, person, file), await addFile(server, person, file)]
  const { stdout } = await run('job', 'list', '--email', email)
  expect(stdout).toMatch(
    new RegExp(
      `^${second.jobId}  PENDING        ${second.itemId}  .*Z\n${first.jobId}  PENDING        ${first.itemId}  .*Z\n$`,
    ),
  )
  const { json } = await run('job', 'list', '--email', email, '--limit', '1', '--json')
  expect(json).toEqual({ jobs: [expect.objectContaining({ id: second.jobId, status: 'PENDING', stage: 'waiting' })] })
  const unknown = await run('job', 'list', '--email', 'nobody@lectern.example', '--json')
  expect(unknown).toMatchObject({ code: 1, json: { code: 'NOT_FOUND' } })
})

test(
  'names and titles print as one line, without the control characters that steer a terminal',
  { timeout },
  async () => {
    const email = 'esc@lectern.example'
    const { json } = await run('user', 'create', '--email', email, '--json')
    await makeBook(server, { id: json.id }, { title: 'Blue\n\u001B[31mred\u0007' })
    await run('key', 'create', '--email', email, '--name', 'a\tb\u001B[31mred')
    const books = await run('book', 'list', '--email', email)
    expect(books.stdout).toMatch(/^\S+ {2}READY .* {2}Blue \[31mred {2}\(empty\)\n$/)
    const keys = await run('key', 'list', '--email', email)
    expect(keys.stdout).toMatch(/^\S+ {2}active {2}a b\[31mred {2}library:read/)
  },
)
