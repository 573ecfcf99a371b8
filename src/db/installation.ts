import { MongoServerError, type Collection, type Db } from 'mongodb'
import { StartError } from '../core/start-error.ts'

/**
 * The version of what is stored: names and meaning of collections and fields. It grows when an older Lectern would misread or
 * damage what a newer one has written.
 */
export const schemaVersion = 1

/** The collection that is about this place and not about the library: it is in no backup and in no copy. */
export const installationCollection = 'installation'

/** How a place is filled that was empty before. */
export type Filling = 'restore' | 'copy'

interface InstallationRow {
  _id: 'library'
  /** See `schemaVersion`. */
  schema: number
  /** What fills the database at the moment, or was interrupted; absent: it is whole. */
  filling?: Filling
}

/**
 * Records the schema version in a new database. Throws `StartError` for one that a newer Lectern has written, and for one
 * that a restore or a copy has not filled to its end.
 */
export async function checkInstallation(db: Db): Promise<void> {
  const row = (await rows(db).findOne({ _id: 'library' })) ?? (await begin(db))
  if (row.filling !== undefined) throw unfinishedError(row.filling)
  if (row.schema <= schemaVersion) return
  throw new StartError(
    `A newer version of Lectern has written this library: its schema is ${row.schema}, and this version knows ${schemaVersion}. Install the newer version again, or restore a backup from before the upgrade into an empty place.`,
  )
}

async function begin(db: Db): Promise<InstallationRow> {
  const row: InstallationRow = { _id: 'library', schema: schemaVersion }
  try {
    await rows(db).insertOne(row)
  } catch (error) {
    // Another process was faster.
    if (!(error instanceof MongoServerError && error.code === 11_000)) throw error
  }
  return row
}

function unfinishedError(filling: Filling): StartError {
  return new StartError(
    `A ${filling} into this place was interrupted, so the library is not whole. Run lectern ${filling} again with the same options: it removes what is there and begins anew.`,
  )
}

/** What fills the database, or was interrupted; null: nothing. */
export async function findFilling(db: Db): Promise<Filling | null> {
  return (await rows(db).findOne({ _id: 'library' }))?.filling ?? null
}

/** Marks an empty database: no server and no other command uses it before `endFilling`. */
export async function beginFilling(db: Db, { filling, schema }: { filling: Filling; schema: number }): Promise<void> {
  await rows(db).insertOne({ _id: 'library', schema, filling })
}

/** Makes the database one that a server may use. */
export async function endFilling(db: Db): Promise<void> {
  await rows(db).updateOne({ _id: 'library' }, { $unset: { filling: '' } })
}

function rows(db: Db): Collection<InstallationRow> {
  return db.collection<InstallationRow>(installationCollection)
}
