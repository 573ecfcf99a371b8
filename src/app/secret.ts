import { randomBytes } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { errnoOf, isNotFound } from '../files/disk-errors.ts'

/** Reads the secret of a data directory. Creates it atomically at the first start, readable by its owner only. */
export async function loadOrCreateSecret(file: string): Promise<string> {
  return (await readSecret(file)) ?? (await createSecret(file))
}

async function createSecret(file: string): Promise<string> {
  const temporaryFile = `${file}.${process.pid}`
  try {
    await writeFile(temporaryFile, randomBytes(32).toString('base64url'), { mode: 0o600 })
    await link(temporaryFile, file)
  } catch (error) {
    // Another process has created it.
    if (errnoOf(error) !== 'EEXIST') throw error
  } finally {
    await rm(temporaryFile, { force: true })
  }
  return (await readFile(file, 'utf8')).trim()
}

/** The stored secret; null if there is none. */
async function readSecret(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    if (isNotFound(error)) return null
    throw error
  }
}
