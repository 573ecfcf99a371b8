import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createPrivate } from './sqlite.ts'

/**
 * Locks the directory for this process and returns a function that releases it; throws if another process has the lock.
 * It is an SQLite file lock, which the operating system releases whenever the process ends.
 */
export function lockDirectory(directory: string): () => void {
  const path = join(directory, 'store.lock')
  createPrivate(path)
  const lock = new DatabaseSync(path, { timeout: 0 })
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (cause) {
    lock.close()
    if (!isBusy(cause)) throw cause
    throw new Error(`The data directory is in use by another process: ${directory}`, { cause })
  }
  return () => lock.close()
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5 // SQLITE_BUSY
}
