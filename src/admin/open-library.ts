import { fileURLToPath } from 'node:url'
import type { Config } from '../app/config.ts'
import { createLog } from '../app/log.ts'
import type { OpenedServices } from '../app/services.ts'
import { hasStore, noStoreError } from '../db/require-store.ts'

const packageRoot = fileURLToPath(new URL('../..', import.meta.url))

export interface LibraryUse {
  /** True for a command that may create a library. */
  makesStore: boolean
  /** True to use the library before the migrations that this version needs have finished. */
  skipsMigration?: boolean
  /** True to create no indexes either. */
  isReadOnly?: boolean
}

interface OpenOptions extends LibraryUse {
  /** The data directory from the environment; undefined: the default, below the current folder. */
  namedDirectory: string | undefined
  /** Receives a message for people. */
  remark(text: string): void
}

/**
 * Opens the services on the stored library. If there is none, creates one, provided that the command may do so and the
 * place was chosen: by a variable, or because the command runs in the installation folder. Otherwise throws
 * `StartError` and creates nothing.
 */
export async function openLibrary(
  config: Config,
  { makesStore, skipsMigration = false, isReadOnly = false, namedDirectory, remark }: OpenOptions,
): Promise<OpenedServices> {
  const { mongodbUrl: url, dataDir: directory } = config
  const isNew = !(await hasStore({ url, directory }))
  const isPlaceGiven = url !== undefined || Boolean(namedDirectory) || `${process.cwd()}/` === packageRoot
  if (isNew && !(makesStore && isPlaceGiven)) throw await noStoreError({ url, directory })
  // Loaded only now, because that takes most of the time of a short command, and of all of one that is refused.
  const [{ openServices }, { raiseLibrary }] = await Promise.all([
    import('../app/services.ts'),
    import('../app/migrate.ts'),
  ])
  const opened = await openServices(config, { isReadOnly })
  try {
    if (!skipsMigration) await raiseLibrary(opened, createLog(config.logLevel))
  } catch (error) {
    await opened.close()
    throw error
  }
  if (isNew) remark(`Created a new library in ${url === undefined ? directory : 'the empty database'}.`)
  return opened
}
