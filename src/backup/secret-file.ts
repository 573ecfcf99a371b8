import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isNotFound } from '../files/disk-errors.ts'
import { fingerprintOfSecret } from './manifest.ts'

/** The secret of a data directory; null if it has none. */
export async function readSecretFile(directory: string): Promise<string | null> {
  try {
    return (await readFile(join(directory, 'secret'), 'utf8')).trim()
  } catch (error) {
    if (isNotFound(error)) return null
    throw error
  }
}

/**
 * Stores a secret in a data directory, for its owner only. If the directory has another secret (a server that was
 * started on an unfinished place creates one), that is kept as `secret.` with a part of its fingerprint.
 */
export async function writeSecretFile(directory: string, secret: string): Promise<void> {
  const path = join(directory, 'secret')
  const known = await readSecretFile(directory)
  if (known === secret) return
  if (known !== null) await rename(path, `${path}.${fingerprintOfSecret(known).slice(0, 8)}`)
  await writeFile(`${path}.part`, secret, { mode: 0o600, flush: true })
  await rename(`${path}.part`, path)
}
