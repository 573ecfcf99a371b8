import { MongoServerError, type Collection, type Db } from 'mongodb'
import { StartError } from '../core/start-error.ts'

/** Versions of the schema: the names and meaning of stored collections and fields. */
export interface SchemaVersions {
  /** The highest version that this Lectern reads; it refuses a library with a higher one. */
  known: number
  /**
   * The version that this Lectern writes. A library keeps the highest version ever written to it. It is raised, one
   * release after `known`, when an older Lectern would misread or damage the new shape, so that the previous release
   * can run beside this one.
   */
  written: number
}

/** The schema versions of this Lectern. */
export const schemaVersions: SchemaVersions = { known: 1, written: 1 }

/** The collection that describes this place instead of the library. Backups and copies leave it out. */
export const installationCollection = 'installation'

/** How an empty place is being filled. */
export type Filling = 'restore' | 'copy'

interface InstallationRow {
  _id: 'library'
  /** See `SchemaVersions`. */
  schema: number
  /** What fills the database now, or was interrupted while doing so; absent: the database is complete. */
  filling?: Filling
  /** The fingerprint of the secret with which a server last started; absent: no server has recorded it yet. */
  secretMark?: string
}

/**
 * Records the schema version in a new database. Throws `StartError` for a database that a newer Lectern has written,
 * and for one whose restore or copy is unfinished.
 */
export async function checkInstallation(db: Db, { known, written }: SchemaVersions): Promise<void> {
  const row = (await rows(db).findOne({ _id: 'library' })) ?? (await begin(db, written))
  if (row.filling !== undefined) throw unfinishedError(row.filling)
  if (row.schema <= known) return
  throw new StartError(
    `A newer version of Lectern has written this library: its schema is ${row.schema}, and this version knows ${known}. Install the newer version again, or restore a backup from before the upgrade into an empty place.`,
  )
}

async function begin(db: Db, schema: number): Promise<InstallationRow> {
  const row: InstallationRow = { _id: 'library', schema }
  try {
    await rows(db).insertOne(row)
  } catch (error) {
    // Another process was faster.
    if (!isDuplicateKey(error)) throw error
  }
  return row
}

function unfinishedError(filling: Filling): StartError {
  return new StartError(
    `A ${filling} into this place was interrupted, so the library is not complete. Run lectern ${filling} again with the same options: it removes what it has written and starts again.`,
  )
}

/** The schema version of a library. */
export async function readSchema(db: Db): Promise<number> {
  return (await rows(db).findOne({ _id: 'library' }))?.schema ?? 1
}

/** Records that stored data may have a newer shape from now on. */
export async function raiseSchema(db: Db, schema: number): Promise<void> {
  await rows(db).updateOne({ _id: 'library', schema: { $lt: schema } }, { $set: { schema } })
}

/** Records the fingerprint of a server's secret; returns the one recorded before it, or null if there was none. */
export async function recordSecretMark(db: Db, secretMark: string): Promise<string | null> {
  const before = (await rows(db).findOne({ _id: 'library' }))?.secretMark ?? null
  if (before !== secretMark) await rows(db).updateOne({ _id: 'library' }, { $set: { secretMark } })
  return before
}

/** What fills the database or was interrupted while doing so; null if it is complete. */
export async function findFilling(db: Db): Promise<Filling | null> {
  return (await rows(db).findOne({ _id: 'library' }))?.filling ?? null
}

/**
 * Marks an empty database as being filled: servers and other commands refuse to use it until `endFilling`. Returns
 * false if a server has already created a library in it.
 */
export async function beginFilling(db: Db, mark: { filling: Filling; schema: number }): Promise<boolean> {
  try {
    await rows(db).insertOne({ _id: 'library', ...mark })
    return true
  } catch (error) {
    if (isDuplicateKey(error)) return false
    throw error
  }
}

/** Removes the mark of `beginFilling`, so that servers may use the database. */
export async function endFilling(db: Db): Promise<void> {
  await rows(db).updateOne({ _id: 'library' }, { $unset: { filling: '' } })
}

/** True if a server has created a library in the database, or it is being filled. */
export async function hasInstallation(db: Db): Promise<boolean> {
  return (await rows(db).findOne({ _id: 'library' })) !== null
}

function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 11_000
}

function rows(db: Db): Collection<InstallationRow> {
  return db.collection<InstallationRow>(installationCollection)
}
