import type { Writable } from 'node:stream'
import { version } from '../core/version.ts'
import { openSnapshot, type Snapshot } from '../db/snapshot.ts'
import { writeArchive, type ArchiveWriter } from './archive-writer.ts'
import type { Show, StoredLibrary } from './library.ts'
import { readLive } from './live-parts.ts'
import { archiveFormat, fingerprintOfSecret, type Head, type Manifest } from './manifest.ts'

interface BackupOptions {
  /** True to include the secret in the archive. */
  withSecret: boolean
  at: Date
  show: Show
}

/**
 * Writes a whole library to a stream while others use it: a snapshot of the store, then the files of its books.
 * Resolves with its contents when the stream has ended.
 */
export async function writeBackup(
  library: StoredLibrary,
  output: Writable,
  { withSecret, at, show }: BackupOptions,
): Promise<Manifest> {
  const { database, secret } = library
  const snapshot = await openSnapshot({ ...library, ...database, url: library.url })
  try {
    const head: Head = {
      format: archiveFormat,
      lectern: version,
      schema: snapshot.schema,
      at: at.toISOString(),
    }
    const archive = await writeArchive(output, head)
    try {
      if (withSecret) await archive.addSecret(secret)
      const lost = await addLibrary(archive, { ...library, snapshot }, show)
      const { isOneMoment } = snapshot
      const manifest = { ...head, isOneMoment, ...archive.totals(), ...lost, secretMark: fingerprintOfSecret(secret) }
      await archive.end(manifest)
      return manifest
    } catch (error) {
      await archive.abort(error instanceof Error ? error : new Error(String(error)))
      throw error
    }
  } finally {
    await snapshot.close()
  }
}

async function addLibrary(archive: ArchiveWriter, library: StoredLibrary & { snapshot: Snapshot }, show: Show) {
  const { snapshot, files, database } = library
  const live = readLive({ snapshot, files, db: database.db }, (percent) => show('Files', percent))
  for await (const part of live.documents()) {
    show('Store', null)
    await archive.addDocuments(part)
  }
  // The write-ahead log is no longer needed while files are read.
  await snapshot.close()
  show('Files', 0)
  for await (const part of live.files()) await archive.addFile(part)
  return live.lost()
}
