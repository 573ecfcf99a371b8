import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { MongoClient, MongoServerSelectionError, type Db } from 'mongodb'
import { ensureIndexes } from './indexes.ts'

export interface Database {
  db: Db
  /** The store cannot be used when this throws. */
  ping(): Promise<void>
  close(): Promise<void>
}

export interface ConnectOptions {
  /** A MongoDB address; undefined starts the embedded store in `directory`, or joins one that runs there. */
  url: string | undefined
  directory: string
  /** Tells what is sent to the store, for counting. */
  monitorCommands?: boolean
}

/** The database that an address names, `lectern` where it names none. */
function databaseNameOf(url: string): string {
  return /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(url)?.[1] ?? 'lectern'
}

/** For every store. An answer that does not come within seconds is an error, not a hang. */
const driverTimeouts = {
  serverSelectionTimeoutMS: 4000,
  connectTimeoutMS: 4000,
  socketTimeoutMS: 30_000,
  waitQueueTimeoutMS: 4000,
}

/**
 * A store elsewhere may be lost without a word: asked twice a second whether it is there, it is missed within three, and what
 * waits for it ends within two more. One of our own cannot be, and is silent while it works.
 */
const remoteTimeouts = { heartbeatFrequencyMS: 500, connectTimeoutMS: 2000, serverSelectionTimeoutMS: 2000 }

/** The times that hold for an address: those that it names itself go first, which the driver would do the other way round. */
function timeoutsFor(url: string): Record<string, number> {
  const explicitOptions = new Set([...new URLSearchParams(url.split('?')[1])].map(([name]) => name.toLowerCase()))
  const timeouts = Object.entries({ ...driverTimeouts, ...remoteTimeouts })
  return Object.fromEntries(timeouts.filter(([name]) => !explicitOptions.has(name.toLowerCase())))
}

/** Connects to the store and makes its indexes. The times of the driver may stand in the address. */
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

/** How long a start waits for a store that is starting too, ms. */
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

/** The embedded store of a data directory: the one that runs there, or a new one in this process. */
async function openEmbedded(directory: string): Promise<{ url: string; stop(): Promise<void> }> {
  // Loaded here, so that a server on MongoDB does not load it.
  const { findEmbeddedStore, startEmbeddedStore } = await import('./embedded/start.ts')
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const running = await findEmbeddedStore(directory)
  if (running !== null) return { url: running, stop: async () => {} }
  return startEmbeddedStore({ directory })
}
