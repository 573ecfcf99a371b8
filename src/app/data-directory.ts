import { constants, statSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Log } from '../core/context.ts'
import { StartError } from '../core/start-error.ts'
import { createDirectory } from '../files/create-directory.ts'

/** Who may write a directory besides its owner. */
export type OtherWriters = 'none' | 'group' | 'everybody'

/**
 * Creates a data directory for its owner only, and returns who else may write it: other writers could replace the
 * secret, the store and cached code. `none` on Windows, which has no such permissions.
 */
export function openDataDirectory(directory: string): OtherWriters {
  createDirectory(directory)
  if (process.platform === 'win32') return 'none'
  const { mode } = statSync(resolve(directory))
  if (mode & 0o002) return 'everybody'
  return mode & 0o020 ? 'group' : 'none'
}

/** The command that makes a directory writable by its owner only. */
function closeDirectoryCommand(directory: string): string {
  return `chmod go-w '${directory}'`
}

/**
 * Creates a missing data directory and returns whether its group may write it. Rejects with the system's error if it
 * cannot be written, and with StartError if every user of the machine may write it.
 */
export async function prepareDataDirectory(directory: string): Promise<OtherWriters> {
  const writers = openDataDirectory(directory)
  await access(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  if (writers !== 'everybody') return writers
  throw new StartError(
    `every user of this machine may write ${directory}, the data directory, and so replace the secret and the store. Run: ${closeDirectoryCommand(directory)}`,
  )
}

/**
 * Creates the data directory like `prepareDataDirectory`, and warns if its group may write it, which is common for
 * container volumes (`fsGroup`).
 */
export async function openOwnDirectory(directory: string, log: Log): Promise<void> {
  if ((await prepareDataDirectory(directory)) !== 'group') return
  log.warn({ directory, remedy: closeDirectoryCommand(directory) }, 'the group of the data directory may write it')
}
