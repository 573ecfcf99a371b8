import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '../core/start-error.ts'
import { isNotFound } from '../files/disk-errors.ts'

/** The secret of a data directory; null if it has none. */
export async function readSecretFile(directory: string): Promise<string | null> {
  try {
    return (await readFile(join(directory, 'secret'), 'utf8')).trim()
  } catch (error) {
    if (isNotFound(error)) return null
    throw error
  }
}

/** Keeps a secret in a data directory, for its owner only. Throws `StartError` if another one is there. */
export async function writeSecretFile(directory: string, secret: string): Promise<void> {
  const path = join(directory, 'secret')
  const known = await readSecretFile(directory)
  if (known === secret) return
  if (known !== null) {
    throw new StartError(`${path} holds another secret. Move it away if nothing needs it, or name an empty place.`)
  }
  await writeFile(path, secret, { mode: 0o600, flush: true })
}
