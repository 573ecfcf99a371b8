import { constants } from 'node:fs'
import { access, mkdir } from 'node:fs/promises'

/** Makes the data directory if it is missing, for its owner only. Rejects with the system's error if it cannot be written. */
export async function prepareDataDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await access(directory, constants.R_OK | constants.W_OK | constants.X_OK)
}
