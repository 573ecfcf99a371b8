import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { addAbortSignal } from 'node:stream'
import { StartError } from '../core/start-error.ts'
import { isNotFound } from '../files/disk-errors.ts'
import { explainArchiveFile } from './archive-file-error.ts'
import type { Show, StoredLibrary } from './library.ts'
import type { Manifest } from './manifest.ts'
import { writeBackup } from './write-backup.ts'

interface BackupFileOptions {
  withSecret: boolean
  at: Date
  show: Show
  /** Aborts the backup and leaves no file. */
  signal?: AbortSignal
}

/**
 * Writes a backup to a new file with access for its owner only. Until it is complete and on disk, its name is `path`
 * with `.part`, so that a killed backup leaves nothing that looks complete. Throws `StartError` if `path` exists.
 */
export async function backUpToFile(
  library: StoredLibrary,
  path: string,
  options: BackupFileOptions,
): Promise<Manifest & { bytes: number }> {
  if (await exists(path)) {
    throw new StartError(`${path} exists already. Name another file, or remove that one first.`)
  }
  const part = `${path}.part`
  await rm(part, { force: true })
  const output = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true })
  // The writer reports the error.
  output.on('error', () => {})
  if (options.signal) addAbortSignal(options.signal, output)
  try {
    await once(output, 'ready')
    const { ino } = await stat(part)
    const manifest = await writeBackup(library, output, options)
    if (!output.closed) await once(output, 'close')
    const { size: bytes, ino: found } = await stat(part)
    if (ino !== found) throw new StartError(`Another backup to ${path} has begun. Name another file.`)
    await publish(part, path)
    return { ...manifest, bytes }
  } catch (error) {
    output.destroy()
    if (!output.closed) await once(output, 'close').catch(() => {})
    await rm(part, { force: true }).catch(() => {})
    throw explainArchiveFile(error, path)
  }
}

async function publish(part: string, path: string): Promise<void> {
  await rename(part, path)
  const folder = await open(dirname(path), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}
