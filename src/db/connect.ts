import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { MongoClient, MongoServerSelectionError, type Db, type MongoClientOptions } from 'mongodb'
import { StartError } from '../core/start-error.ts'
import { databaseFailure, hostsOf, wrongUrlError } from './database-failure.ts'
import { ensureIndexes } from './indexes.ts'
import { checkInstallation, schemaVersions, type SchemaVersions } from './installation.ts'
import { setChangeCounter, type ChangeCounter } from './cached-reads.ts'

export interface Database {
  db: Db
  client: MongoClient
  /** Throws if the database is unreachable. */
  ping(): Promise<void>
  close(): Promise<void>
}

export interface ConnectOptions {
  /** A MongoDB URL; undefined starts the embedded store in `directory`, or connects to the one running there. */
  url: string | undefined
  directory: string
  /** True to emit command events, for counting commands. */
  monitorCommands?: boolean
  /**
   * True for commands that take long, such as building indexes over existing data. It disables the timeout for replies.
   */
  hasNoTimeout?: boolean
  /** Receives the hosts of a database that has not answered for a second. */
  onWaiting?: (hosts: string) => void
  /** What the URL was given with, for messages; default: the environment variable. */
  source?: string | undefined
}

interface LibraryOptions {
  schema?: SchemaVersions
  /** True to leave an existing library unchanged: no indexes are created. */
  isReadOnly?: boolean
}

/** The database name in a URL; `lectern` if it has none. */
export function databaseNameOf(url: string): string {
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
export function timeoutsFor(url: string): Record<string, number> {
  const explicitOptions = new Set([...new URLSearchParams(url.split('?')[1])].map(([name]) => name.toLowerCase()))
  const timeouts = Object.entries({ ...driverTimeouts, ...remoteTimeouts })
  return Object.fromEntries(timeouts.filter(([name]) => !explicitOptions.has(name.toLowerCase())))
}

/**
 * Connects to the database of a library and creates its indexes. Throws `StartError` like `openDatabase`, and for a
 * library that this version may not use.
 */
export async function connectDatabase({
  schema = schemaVersions,
  isReadOnly = false,
  ...options
}: ConnectOptions & LibraryOptions): Promise<Database> {
  const database = await openDatabase(options)
  try {
    await checkInstallation(database.db, schema)
    if (!isReadOnly) await ensureIndexes(database.db)
    return database
  } catch (error) {
    await database.close()
    throw error instanceof StartError ? error : databaseFailure(error, database.url)
  }
}

/**
 * Connects to a database, whatever it contains. Driver timeouts can be set in the URL. Throws `StartError` if the
 * database does not answer, refuses the account in the URL, or cannot be opened.
 */
export async function openDatabase({
  url,
  directory,
  onWaiting,
  ...rest
}: ConnectOptions): Promise<Database & { url: string }> {
  const store: OpenedStore =
    url === undefined ? await openEmbedded(join(directory, 'store')) : { url, stop: async () => {} }
  const { monitorCommands = false, hasNoTimeout = false, source } = rest
  const client = await connectClient(store.url, {
    monitorCommands,
    maxPoolSize: 50,
    ...(url === undefined ? driverTimeouts : timeoutsFor(url)),
    ...(hasNoTimeout && { socketTimeoutMS: 0 }),
    onWaiting,
    source,
  })
  if (store.countChanges) setChangeCounter(client, store.countChanges)
  const db = client.db(databaseNameOf(store.url))
  const close = async () => {
    await client.close()
    await store.stop()
  }
  return { db, client, url: store.url, ping: async () => void (await db.command({ ping: 1 })), close }
}

/** How long to wait at startup for a database that is also starting, ms. */
const startTimeoutMs = 4000
/** Time without an answer after which `onWaiting` is called, ms. */
const quietTimeMs = 1000

interface ClientOptions extends MongoClientOptions {
  onWaiting?: ((hosts: string) => void) | undefined
  /** What the URL was given with, for messages; default: the environment variable. */
  source?: string | undefined
}

/** Connects a client to a URL, within four seconds unless the URL has longer timeouts. Throws `StartError`. */
export async function connectClient(
  url: string,
  { onWaiting, source, ...options }: ClientOptions,
): Promise<MongoClient> {
  const client = createClient(url, source, { appName: 'lectern', ignoreUndefined: true, ...options })
  const notice = setTimeout(() => onWaiting?.(hostsOf(url)), quietTimeMs)
  try {
    await connectBefore(client, Date.now() + startTimeoutMs)
    return client
  } catch (error) {
    await client.close()
    throw databaseFailure(error, url, source)
  } finally {
    clearTimeout(notice)
  }
}

function createClient(url: string, source: string | undefined, options: MongoClientOptions): MongoClient {
  try {
    return new MongoClient(url, options)
  } catch {
    throw wrongUrlError(source)
  }
}

async function connectBefore(client: MongoClient, deadline: number): Promise<void> {
  for (;;) {
    try {
      await client.connect()
      return
    } catch (error) {
      if (!(error instanceof MongoServerSelectionError) || Date.now() >= deadline) throw error
    }
  }
}

/** Delay between attempts to reach a store that another process is starting, ms. */
const retryDelayMs = 200

/** Loads the embedded store on demand, because a server on MongoDB does not need it. */
export function loadEmbedded() {
  return import('./embedded/start.ts')
}

interface OpenedStore {
  url: string
  stop(): Promise<void>
  /** Absent for a store that does not run in this process. */
  countChanges?: ChangeCounter
}

/** Opens the embedded store of a data directory: the one running there, or a new one in this process. */
async function openEmbedded(directory: string): Promise<OpenedStore> {
  const { findEmbeddedStore, isDirectoryInUse, isDiskFull, startEmbeddedStore } = await loadEmbedded()
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const deadline = Date.now() + startTimeoutMs
  for (;;) {
    const running = await findEmbeddedStore(directory)
    if (running !== null) return { url: running, stop: async () => {} }
    try {
      return await startEmbeddedStore({ directory })
    } catch (error) {
      if (isDiskFull(error)) throw fullDiskError(error, directory)
      const isInUse = isDirectoryInUse(error)
      if (!isInUse || Date.now() >= deadline) throw storeFailure(error, directory, isInUse ? '' : remedyOf(error))
      await sleep(retryDelayMs)
    }
  }
}

function storeFailure(cause: unknown, directory: string, remedy: string): StartError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new StartError(`The store in ${directory} cannot be opened: ${reason}.${remedy}`, { cause })
}

function remedyOf(error: unknown): string {
  if (error instanceof Error && error.message.startsWith('EACCES'))
    return ' Everything in this folder must belong to the user that runs the server.'
  return ' If the store is damaged, restore the latest backup into another folder: lectern restore --from FILE'
}

function fullDiskError(cause: unknown, directory: string): StartError {
  return new StartError(`The disk with ${directory} is full. Free some space on it, then try again.`, { cause })
}
