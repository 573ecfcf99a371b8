import { join } from 'node:path'
import { MongoServerError, type ClientSession, type Db, type MongoClient } from 'mongodb'
import { StartError } from '../core/start-error.ts'
import { loadEmbedded } from './connect.ts'
import { installationCollection, readSchema } from './installation.ts'
import { readDocuments, untouched } from './raw-documents.ts'

/** A consistent view of a database at one moment, while others continue to write. */
export interface Snapshot {
  /** False if the server does not support snapshots: then each document is as it was when it was read. */
  isOneMoment: boolean
  /** The schema version of its contents. */
  schema: number
  /** The names of the collections of the library. */
  collections: readonly string[]
  /** The documents of a collection as BSON, in no particular order. */
  read(collection: string): AsyncIterable<Uint8Array>
  close(): Promise<void>
}

interface Place {
  db: Db
  client: MongoClient
  /** Undefined: the embedded store of `directory`. */
  url: string | undefined
  directory: string
}

/** Takes a snapshot of the database that `db` is connected to. It contains every write that was acknowledged before. */
export async function openSnapshot(place: Place): Promise<Snapshot> {
  for (;;) {
    const schema = await readSchema(place.db)
    const snapshot = await openAnySchema(place)
    // If the versions differ, a newer Lectern began to write in between, so the snapshot is taken again.
    if ((await readSchema(place.db)) === schema) return { ...snapshot, schema }
    await snapshot.close()
  }
}

type AnySnapshot = Omit<Snapshot, 'schema'>

async function openAnySchema({ db, client, url, directory }: Place): Promise<AnySnapshot> {
  const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name)
  const collections = names.filter(isOfLibrary).sort()
  if (url !== undefined) return openSession(db, client, collections)
  const { openStoreSnapshot } = await loadEmbedded()
  const snapshot = await openStoreSnapshot(join(directory, 'store'), db.databaseName)
  return { isOneMoment: true, collections: snapshot.collections.filter(isOfLibrary), ...closing(snapshot) }
}

function isOfLibrary(name: string): boolean {
  return name !== installationCollection && !name.startsWith('system.')
}

function closing(snapshot: { read(collection: string): Iterable<Uint8Array>; close(): void }) {
  return {
    async *read(collection: string) {
      yield* snapshot.read(collection)
    },
    close: async () => snapshot.close(),
  }
}

async function openSession(db: Db, client: MongoClient, collections: readonly string[]): Promise<AnySnapshot> {
  const session = await startSnapshotSession(db, client)
  const options = session === null ? untouched : { ...untouched, session }
  return {
    isOneMoment: session !== null,
    collections,
    async *read(collection) {
      try {
        yield* readDocuments(db.collection(collection).find({}, options))
      } catch (error) {
        throw isTooOld(error) ? tooOldError(error) : error
      }
    },
    close: async () => session?.endSession(),
  }
}

/** A session with a snapshot read concern; null if the server does not support it. */
async function startSnapshotSession(db: Db, client: MongoClient): Promise<ClientSession | null> {
  const session = client.startSession({ snapshot: true })
  try {
    await db.collection(installationCollection).findOne({}, { session })
    // Servers that accept the read concern but ignore it return no snapshot time.
    if ((session as { snapshotTime?: unknown }).snapshotTime) return session
  } catch (error) {
    if (!(error instanceof MongoServerError)) throw error
  }
  await session.endSession()
  return null
}

function isTooOld(error: unknown): error is MongoServerError {
  return error instanceof MongoServerError && error.code === 239
}

function tooOldError(cause: MongoServerError): StartError {
  return new StartError(
    'MongoDB has discarded the data of the snapshot, because reading took longer than its history window (300 seconds by default). Raise minSnapshotHistoryWindowInSeconds with setParameter, or back up with the tools of MongoDB.',
    { cause },
  )
}
