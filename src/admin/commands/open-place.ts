import type { Config } from '../../app/config.ts'
import { prepareDataDirectory } from '../../app/data-directory.ts'
import { openConfiguredFileStore } from '../../app/file-store.ts'
import type { Place } from '../../backup/fill-place.ts'
import { databaseNameOf, openDatabase } from '../../db/connect.ts'
import { hostsOf } from '../../db/database-failure.ts'
import { openFileStore } from '../../files/open-file-store.ts'
import type { FileStore } from '../../files/store.ts'

export interface OpenedPlace extends Place {
  close(): Promise<void>
}

type PlaceConfig = Pick<Config, 'mongodbUrl' | 'dataDir' | 'baseUrl'> & {
  /** Null: files are not copied. A string: a folder on disk. */
  files: Config['files'] | string | null
  /** What names the place, for messages; default: the settings. */
  source?: string
}

/** Opens a place that is to be filled with a library, whatever it contains. */
export async function openPlace(config: PlaceConfig): Promise<OpenedPlace> {
  const { mongodbUrl: url, dataDir: directory, source } = config
  if (url === undefined) await prepareDataDirectory(directory)
  const files = await openFiles(config)
  try {
    const database = await openDatabase({ url, directory, hasNoTimeout: true, source })
    return {
      db: database.db,
      files,
      name: url === undefined ? directory : `the database ${databaseNameOf(url)} at ${hostsOf(url)}`,
      async close() {
        await files?.close()
        await database.close()
      },
    }
  } catch (error) {
    await files?.close()
    throw error
  }
}

async function openFiles({ files, ...config }: PlaceConfig): Promise<FileStore | null> {
  if (files === null) return null
  // Unused: nothing is signed here.
  const secret = ''
  const store =
    typeof files === 'string'
      ? await openDiskFolder(files, config.baseUrl)
      : await openConfiguredFileStore({ ...config, files }, secret)
  try {
    await store.assertReady()
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

function openDiskFolder(directory: string, baseUrl: string): Promise<FileStore> {
  return openFileStore({ driver: 'disk', directory, baseUrl, secret: '' })
}
