import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MongoClient, MongoServerError } from 'mongodb'
import type { Db } from 'mongodb'
import { startEmbeddedStore } from '../../src/db/embedded/start.ts'

/** A new, empty database; `close` drops it and stops everything that was started for it. */
export type OpenStore = { client: MongoClient; db: Db; url: string; close(): Promise<void> }

const externalUrl = process.env['LECTERN_TEST_MONGODB_URL']

/** The engines for the store contracts: always the embedded one, and the one at the URL if it is set. */
export const stores: [name: string, open: () => Promise<OpenStore>][] = [
  ['embedded', openEmbedded],
  ...(externalUrl === undefined
    ? []
    : [['external', () => openExternal(externalUrl)] as [string, () => Promise<OpenStore>]]),
]

/** Starts an embedded store on its own directory. */
export async function openEmbedded(): Promise<OpenStore> {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-test-'))
  const logMessages: string[] = []
  const store = await startEmbeddedStore({ directory, log: (message) => logMessages.push(message) })
  const opened = await openExternal(store.url)
  return {
    ...opened,
    async close() {
      await opened.close()
      await store.stop()
      await rm(directory, { recursive: true, force: true })
      if (logMessages.length > 0) throw new Error(`The embedded store complained: ${logMessages.join('\n')}`)
    },
  }
}

async function openExternal(url: string): Promise<OpenStore> {
  const client = await new MongoClient(url).connect()
  const db = client.db(`test_${randomBytes(6).toString('hex')}`)
  return {
    client,
    db,
    url,
    async close() {
      await db.dropDatabase()
      await client.close()
    },
  }
}

/** The error of a rejected promise; a fulfilled promise fails the test. */
export async function expectServerError(promise: Promise<unknown>): Promise<MongoServerError> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if ('error' in outcome && outcome.error instanceof MongoServerError) return outcome.error
  throw new Error('not refused by the server', { cause: 'error' in outcome ? outcome.error : outcome.value })
}
