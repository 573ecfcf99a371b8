import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { basename, join } from 'node:path'
import { createAccount } from '../../src/accounts/create-account.ts'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import type { HashCost } from '../../src/accounts/password-hasher.ts'
import { runChecks } from '../../src/admin/doctor/run-checks.ts'
import { readConfig } from '../../src/app/config.ts'
import { createLog } from '../../src/app/log.ts'
import type { Scope } from '../../src/core/scopes.ts'
import type { Tuning } from '../../src/app/services.ts'
import { givePreparedStore } from './prepared-store.ts'
import { readerCode } from './reader-code.ts'
import { shareExtractor } from './shared-extractor.ts'
import { undeclaredRefusals } from './undeclared-refusals.ts'
import { startServer, type ServerExtensions, type RunningServer } from '../../src/app/start.ts'

export interface TestServer {
  baseUrl: string
  running: RunningServer
  /** Creates an account with a key that has all scopes. */
  createPerson(options?: { plan?: string; scopes?: Scope[] }): Promise<Person>
  /** Checks the invariants of the stored data, then stops the server and removes its data. */
  close(): Promise<void>
}

export interface Person {
  id: string
  email: string
  key: string
}

/** Cheap, because tests check passwords often; `test/accounts/password.test.ts` covers the real cost. */
const passwordCost: HashCost = { memory: 64, passes: 1, parallelism: 1 }

let accountCount = 0

/** Starts a complete Lectern on a free port with its own data directory, by default on the embedded store. */
export async function startTestServer(
  environment: Record<string, string> = {},
  tuning: Partial<Tuning> & ServerExtensions = {},
): Promise<TestServer> {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-test-'))
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const config = readConfig({
    PORT: String(port),
    LECTERN_BASE_URL: baseUrl,
    LECTERN_DATA_DIR: directory,
    ...testDatabaseEnvironment(directory),
    // Off by default; tests of text recognition switch it on.
    LECTERN_OCR: 'off',
    LECTERN_LOG_LEVEL: process.env['LECTERN_TEST_LOG'] ?? 'silent',
    ...environment,
  })
  if (config.mongodbUrl === undefined && config.dataDir === directory) await givePreparedStore(directory)
  // A reading process that waits for a next book costs half a second of processor time; most tests import one.
  const readers = { codeCache: readerCode, spare: false, ...tuning.readers }
  const extractor = tuning.readers === undefined ? shareExtractor() : undefined
  const running = await startServer(config, createLog(config.logLevel), { passwordCost, extractor, ...tuning, readers })
  const prepared = config.role === 'web' ? undefined : readers.codeCache?.prepare(new Date())
  const { services, database } = running.opened
  return {
    baseUrl,
    running,
    async createPerson({ plan, scopes } = {}) {
      const email = `reader${++accountCount}@lectern.example`
      const account = await createAccount(services, { email, plan }, { emailProven: true })
      const { key } = await createApiKey(services, account.id, { scopes })
      return { id: account.id, email, key }
    },
    async close() {
      const wrong = await findLastingFaults(() => runChecks({ db: database.db, services, deep: true }))
      if (process.env['LECTERN_TEST_MONGODB_URL']) await database.db.dropDatabase()
      const undeclared = await undeclaredRefusals(running.metrics)
      await running.stop()
      // It writes to the temporary folder, which may be removed next.
      await prepared
      await rm(directory, { recursive: true, force: true, maxRetries: 5 })
      if (wrong.length > 0)
        throw new Error(`Invariants broken: ${wrong.map(({ name, detail }) => `${name}: ${detail}`).join('\n')}`)
      if (undeclared.length > 0) throw new Error(`Refusals that no declaration names: ${undeclared.join(', ')}`)
    },
  }
}

/** Number of checks: a worker may still be removing what a cancelled import has stored. */
const looks = 3
const pauseMs = 4000

async function findLastingFaults(check: () => ReturnType<typeof runChecks>) {
  for (let look = 1; ; look++) {
    const { checks } = await check()
    const wrong = checks.filter(({ ok }) => !ok)
    if (wrong.length === 0 || look === looks) return wrong
    await delay(pauseMs)
  }
}

/** With `LECTERN_TEST_MONGODB_URL`, a new database there instead of the embedded store. */
export function testDatabaseEnvironment(directory: string): Record<string, string> {
  const url = process.env['LECTERN_TEST_MONGODB_URL']
  if (!url) return {}
  const databaseUrl = new URL(url.replace(/^mongodb:/, 'http:'))
  databaseUrl.pathname = `/${basename(directory).replaceAll(/[^a-z0-9]/gi, '_')}`
  return { LECTERN_MONGODB_URL: databaseUrl.href.replace(/^http:/, 'mongodb:') }
}

/** A free port outside the ephemeral range (from 32,768), so that no outgoing connection takes it before it is used. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 32_000)
    if (await canListen(port)) return port
  }
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
    throw error
  }
  await once(server.close(), 'close')
  return true
}
