import { randomBytes } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'

/** Reads the secret of a data directory. Creates it atomically at the first start, readable by its owner only. */
export async function loadOrCreateSecret(file: string): Promise<string> {
  const temporaryFile = `${file}.${process.pid}`
  await writeFile(temporaryFile, randomBytes(32).toString('base64url'), { mode: 0o600 })
  try {
    await link(temporaryFile, file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    await rm(temporaryFile)
  }
  return (await readFile(file, 'utf8')).trim()
}
