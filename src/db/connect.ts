import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { MongoClient, MongoServerSelectionError, type Db } from 'mongodb'
import { ensureIndexes } from './indexes.ts'

export interface Database {
  db: Db
  /** Throws if the database is unreachable. */
  ping(): Promise<void>
  close(): Promise<void>
}

export interface ConnectOptions {
  /** A MongoDB URL; undefined starts the embedded store in `directory`, or connects to the one running there. */
  url: string | undefined
  directory: string
  /** True to emit command events, for counting. */
  monitorCommands?: boolean
}

/** The database name in a URL; `lectern` if it has none. */
function databaseNameOf(url: string): string {
  return /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(url)?.[1] ?? 'lectern'
}

/** Driver timeouts for every database, so that a missing reply is an error instead of a hang. */
const driverTimeouts = {
  serverSelectionTimeoutMS: 4000,
  connectTimeoutMS: 4000,
  socketTimeoutMS: 30_000,
  waitQueueTimeoutMS: 4000,
}

/**
 * Timeouts for a remote database, which can vanish silently: a heartbeat twice a second detects the loss within 3 s, and
 * waiting operations fail within 2 s more. The embedded store cannot vanish, and does not reply while it is busy.
 */
const remoteTimeouts = { heartbeatFrequencyMS: 500, connectTimeoutMS: 2000, serverSelectionTimeoutMS: 2000 }

/** The timeouts for a URL. Options in the URL take precedence, while the driver prefers options passed in code. */
function timeoutsFor(url: string): Record<string, number> {
  const explicitOptions = new Set([...new URLSearchParams(url.split('?')[1])].map(([name]) => name.toLowerCase()))
  const timeouts = Object.entries({ ...driverTimeouts, ...remoteTimeouts })
  return Object.fromEntries(timeouts.filter(([name]) => !explicitOptions.has(name.toLowerCase())))
}

/** Connects to the database and creates its indexes. Driver timeouts can be set in the URL. */
export async function connectDatabase({ url, directory, monitorCommands = false }: ConnectOptions): Promise<Database> {
  const store = url === undefined ? await openEmbedded(join(directory, 'store')) : { url, stop: async () => {} }
  const client = new MongoClient(store.url, {
    appName: 'lectern',
    ignoreUndefined: true,
    monitorCommands,
    maxPoolSize: 50,
    ...(url === undefined ? driverTimeouts : timeoutsFor(url)),
  })
  await connect(client)
  const db = client.db(databaseNameOf(store.url))
  await ensureIndexes(db)
  return {
    db,
    ping: async () => void (await db.command({ ping: 1 })),
    async close() {
      await client.close()
      await store.stop()
    },
  }
}

/** Time to wait at startup for a database that is also starting, ms. */
const startTimeoutMs = 10_000

async function connect(client: MongoClient): Promise<void> {
  const deadline = Date.now() + startTimeoutMs
  for (;;) {
    try {
      await client.connect()
      return
    } catch (error) {
      if (!(error instanceof MongoServerSelectionError) || Date.now() > deadline) throw error
    }
  }
}

/** Opens the embedded store of a data directory: the one running there, or a new one in this process. */
async function openEmbedded(directory: string): Promise<{ url: string; stop(): Promise<void> }> {
  // Imported lazily, so that a server on MongoDB does not load it.
  const { findEmbeddedStore, startEmbeddedStore } = await import('./embedded/start.ts')
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const running = await findEmbeddedStore(directory)
  if (running !== null) return { url: running, stop: async () => {} }
  return startEmbeddedStore({ directory })
}
