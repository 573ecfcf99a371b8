import { MongoServerError, type Collection, type Db } from 'mongodb'
import { StartError } from '../core/start-error.ts'

/** Versions of what is stored: names and meaning of collections and fields. */
export interface SchemaVersions {
  /** The highest that this Lectern reads; it refuses a library of a higher one. */
  known: number
  /**
   * What this Lectern writes. A library has the highest that was ever written to it. It grows when an older Lectern would misread or
   * damage that, a release after `known`: so the release before runs beside it.
   */
  written: number
}

/** The versions of this Lectern. */
export const schemaVersions: SchemaVersions = { known: 1, written: 1 }

/** The collection that is about this place and not about the library: it is in no backup and in no copy. */
export const installationCollection = 'installation'

/** How a place is filled that was empty before. */
export type Filling = 'restore' | 'copy'

interface InstallationRow {
  _id: 'library'
  /** See `SchemaVersions`. */
  schema: number
  /** What fills the database at the moment, or was interrupted; absent: it is whole. */
  filling?: Filling
}

/**
 * Records the schema version in a new database. Throws `StartError` for one that a newer Lectern has written, and for one
 * that a restore or a copy has not filled to its end.
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

/** The version of the schema of a library. */
export async function readSchema(db: Db): Promise<number> {
  return (await rows(db).findOne({ _id: 'library' }))?.schema ?? 1
}

/** Records that what is stored may have a newer shape from now on. */
export async function raiseSchema(db: Db, schema: number): Promise<void> {
  await rows(db).updateOne({ _id: 'library', schema: { $lt: schema } }, { $set: { schema } })
}

/** What fills the database, or was interrupted; null: nothing. */
export async function findFilling(db: Db): Promise<Filling | null> {
  return (await rows(db).findOne({ _id: 'library' }))?.filling ?? null
}

/**
 * Marks an empty database: no server and no other command uses it before `endFilling`. False when a server has begun a library
 * there.
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

/** Makes the database one that a server may use. */
export async function endFilling(db: Db): Promise<void> {
  await rows(db).updateOne({ _id: 'library' }, { $unset: { filling: '' } })
}

/** True if a server has begun a library in a database, or something fills it. */
export async function hasInstallation(db: Db): Promise<boolean> {
  return (await rows(db).findOne({ _id: 'library' })) !== null
}

function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 11_000
}

function rows(db: Db): Collection<InstallationRow> {
  return db.collection<InstallationRow>(installationCollection)
}
