import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '../core/start-error.ts'
import { connectClient, databaseNameOf, timeoutsFor, type ConnectOptions } from './connect.ts'
import { databaseFailure, hostsOf } from './database-failure.ts'

type StorePlace = Pick<ConnectOptions, 'url' | 'directory'>

/** True if the database has been used: the embedded store has its file, or the database at the URL has a collection. */
export async function hasStore({ url, directory }: StorePlace): Promise<boolean> {
  if (url === undefined) return existsSync(storeFile(directory))
  const client = await connectClient(url, timeoutsFor(url))
  try {
    return await client.db(databaseNameOf(url)).listCollections({}, { nameOnly: true }).hasNext()
  } catch (error) {
    throw databaseFailure(error, url)
  } finally {
    await client.close()
  }
}

/** The error for a command on a database that no server has used, or that this user may not read. */
export async function noStoreError({ url, directory }: StorePlace): Promise<StartError> {
  if (url === undefined && (await isLocked(directory))) {
    return new StartError(
      `This user may not read ${directory}. Run the command as the user that the server runs as, or name another folder with LECTERN_DATA_DIR.`,
    )
  }
  const [place, variable] =
    url === undefined
      ? [directory, 'LECTERN_DATA_DIR']
      : [`the database ${databaseNameOf(url)} at ${hostsOf(url)}`, 'LECTERN_MONGODB_URL']
  return new StartError(
    `There is no library in ${place}. Set ${variable} as the server has it, or run the command in the folder of the installation. A new library begins when a server starts, or with user create in a place that ${variable} names.`,
  )
}

/** True if this user may not see what is in a data directory. */
async function isLocked(directory: string): Promise<boolean> {
  try {
    await stat(storeFile(directory))
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EACCES'
  }
}

function storeFile(directory: string): string {
  return join(directory, 'store', 'store.db')
}
