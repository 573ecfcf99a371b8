import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { MongoClient, type Db } from 'mongodb'
import { expect, onTestFinished, test } from 'vitest'
import { databaseNameOf } from '../../src/db/connect.ts'
import { startEmbeddedStore } from '../../src/db/embedded/start.ts'
import { readSchema } from '../../src/db/installation.ts'
import { migrate } from '../../src/db/migrate.ts'
import { markingMigration } from '../support/marking-migration.ts'
import { markdownPages } from '../support/make-book.ts'
import { runLectern } from '../support/run-lectern.ts'
import { freePort } from '../support/server.ts'
import { startProcess, type ServerProcess } from '../support/server-process.ts'
import { password, signIn } from '../support/signed-in-person.ts'
import { webClient } from '../support/web-client.ts'

const email = 'ada@lectern.example'
/** The release before a schema change reads the new shape and writes the old one. */
const versions = { ancient: ['1', '1'], before: ['2', '1'], after: ['2', '2'] } as const
type Version = keyof typeof versions

/** Opens a database that keeps running when the processes that use it end. */
async function openStore(): Promise<string> {
  const external = process.env['LECTERN_TEST_MONGODB_URL']
  if (external !== undefined) {
    const url = new URL(external.replace(/^mongodb:/, 'http:'))
    url.pathname = `/rolling_${randomBytes(6).toString('hex')}`
    const href = url.href.replace(/^http:/, 'mongodb:')
    onTestFinished(() => withDb(href, async (db) => void (await db.dropDatabase())))
    return href
  }
  const directory = await mkdtemp(join(tmpdir(), 'lectern-rolling-store-'))
  const store = await startEmbeddedStore({ directory })
  onTestFinished(async () => {
    await store.stop()
    await rm(directory, { recursive: true, force: true })
  })
  return store.url
}

async function withDb<T>(url: string, use: (db: Db) => Promise<T>): Promise<T> {
  const client = await new MongoClient(url).connect()
  try {
    return await use(client.db(databaseNameOf(url)))
  } finally {
    await client.close()
  }
}

interface Client {
  call(method: string, path: string, body?: unknown): Promise<any>
  /** Why calls were repeated. */
  retries: string[]
}

/** Calls the replicas in turn. Tries the next one if a connection fails or the answer says to retry. */
function createClient(addresses: readonly string[], key: string): Client {
  let turn = 0
  const retries: string[] = []
  return {
    retries,
    async call(method, path, body) {
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
      const repeatable = { ...headers, 'Idempotency-Key': randomBytes(12).toString('hex') }
      for (let attempt = 0; attempt < 20; attempt++) {
        const address = addresses[turn++ % addresses.length]
        const sent = fetch(`${address}/api/v1${path}`, {
          method,
          headers: repeatable,
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
        const answer = await sent.then(
          async (response) => ({ status: response.status, text: await response.text() }),
          (error: unknown) => ({ status: 0, text: String((error as Error).cause) }),
        )
        if (answer.status >= 200 && answer.status < 300) return JSON.parse(answer.text)
        if (answer.status !== 0 && answer.status !== 503)
          throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
        retries.push(answer.text)
        await delay(50)
      }
      throw new Error(`${method} ${path} failed 20 times: ${retries.at(-1)}`)
    },
  }
}

test('two replicas are replaced one after the other without failures for users', { timeout: 240_000 }, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-rolling-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const url = await openStore()
  const ports = [await freePort(), await freePort()]
  const addresses = ports.map((port) => `http://127.0.0.1:${port}`)
  const shared = { LECTERN_MONGODB_URL: url, LECTERN_DATA_DIR: directory, LECTERN_OCR: 'off' }
  const admin = { LECTERN_ADMIN_EMAIL: email, LECTERN_ADMIN_PASSWORD: password }
  const start = (replica: 0 | 1, version: Version): Promise<ServerProcess> => {
    const [TEST_KNOWN_SCHEMA, TEST_WRITTEN_SCHEMA] = versions[version]
    const environment = { ...shared, ...admin, TEST_KNOWN_SCHEMA, TEST_WRITTEN_SCHEMA, PORT: String(ports[replica]) }
    return startProcess(directory, { program: 'versioned-server.ts', ...environment })
  }
  const replace = async (old: ServerProcess, replica: 0 | 1, version: Version) => {
    old.child.kill('SIGTERM')
    expect(await old.exited, old.output()).toBe(0)
    return start(replica, version)
  }
  const schema = () => withDb(url, (db) => readSchema(db))

  let first = await start(0, 'before')
  let second = await start(1, 'before')
  const { json: made } = await runLectern(['key', 'create', '--email', email, '--json'], {
    ...shared,
    LECTERN_LOG_LEVEL: 'silent',
  })
  const client = createClient(addresses, made.key)
  const browsers = addresses.map((baseUrl) => webClient({ baseUrl }))
  expect((await signIn(browsers[0]!, email)).status).toBe(303)
  for (const [name, value] of browsers[0]!.cookies) browsers[1]!.cookies.set(name, value)

  const written = new Map<string, string>()
  const over = new AbortController()
  let reads = 0
  const work = async (worker: number) => {
    for (let n = 0; !over.signal.aborted; n++) {
      const text = `Text ${n} of ${worker}`
      const { id } = await client.call('POST', '/items/markdown', { title: text, content: `# A\n\n${text}` })
      written.set(id, text)
      const { content } = await client.call('GET', `/items/${id}/content`)
      expect(content).toContain(text)
      reads += 1
      await delay(100)
    }
  }
  const working = Promise.all([work(1), work(2)])
  working.catch(() => over.abort())
  const bigger = markdownPages(5000)
  const upload = await fetch(`${addresses[0]}/api/v1/upload/long.md`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${made.key}`, 'Content-Type': 'text/markdown' },
    body: bigger,
  })
  const { item } = (await upload.json()) as { item: { id: string } }

  first = await replace(first, 0, 'after')
  expect(await schema()).toBe(2)
  const before = written.size
  while (written.size < before + 6 && !over.signal.aborted) await delay(50)
  // Operators can go back to the previous release, and upgrade again.
  second = await replace(second, 1, 'before')
  second = await replace(second, 1, 'after')
  over.abort()
  await working

  expect(client.retries.filter((why) => !/ECONNREFUSED|ECONNRESET|other side closed|UNAVAILABLE/.test(why))).toEqual([])
  expect(client.retries.length).toBeGreaterThan(0)
  expect(reads).toBeGreaterThan(10)
  for (const [id, text] of written) {
    const { content } = await client.call('GET', `/items/${id}/content`)
    expect(content).toContain(text)
  }
  for (const browser of browsers) expect((await browser.get('/library')).status).toBe(200)
  await withDb(url, async (db) => {
    const imported = () => db.collection<{ _id: string; status: string }>('books').findOne({ _id: item.id })
    while ((await imported())?.status === 'PROCESSING') await delay(100)
    expect(await imported()).toMatchObject({ status: 'READY', version: 1, healthReason: null })
    const accounts = markingMigration(db, 'accounts', { neededBy: 2 })
    expect(await accounts.count({})).toBe(0)
    const books = markingMigration(db, 'books', {})
    const options = { db, services: {}, migrations: [books], schema: { known: 2, written: 2 }, leaseMs: 10_000 }
    while (!(await migrate(options))) await delay(100)
    expect(await books.count({})).toBe(0)
  })

  // A release that is too old for the stored data.
  await expect(replace(second, 1, 'ancient')).rejects.toThrow(
    /ended with 1: Lectern cannot start: A newer version of Lectern has written this library: its schema is 2, and this version knows 1\. Install the newer version again.*\n$/,
  )
  first.child.kill('SIGTERM')
  expect(await first.exited).toBe(0)
})
