import { constants, mkdirSync, statSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Log } from '../core/context.ts'
import { StartError } from '../core/start-error.ts'

/** Who besides its owner may write a directory. */
export type OtherWriters = 'none' | 'group' | 'everybody'

/**
 * Creates a data directory for its owner only, and tells who else may write it: whoever may can replace the secret, the
 * store and cached code. Windows has no such permissions: `none`.
 */
export function openDataDirectory(directory: string): OtherWriters {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  if (process.platform === 'win32') return 'none'
  const { mode } = statSync(resolve(directory))
  if (mode & 0o002) return 'everybody'
  return mode & 0o020 ? 'group' : 'none'
}

/** The command that takes the right to write a directory from everybody but its owner. */
export function closeDirectoryCommand(directory: string): string {
  return `chmod go-w '${directory}'`
}

/**
 * Makes the data directory if it is missing, and tells whether its group may write it. Rejects with the system's error if
 * it cannot be written, and with StartError if every user of the machine may write it.
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
 * Makes the data directory as `prepareDataDirectory` does, and warns of one that its group may write: that is usual for
 * volumes of containers (`fsGroup`).
 */
export async function openOwnDirectory(directory: string, log: Log): Promise<void> {
  if ((await prepareDataDirectory(directory)) !== 'group') return
  log.warn({ directory, remedy: closeDirectoryCommand(directory) }, 'the group of the data directory may write it')
}
