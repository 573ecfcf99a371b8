import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { checkReadable } from './storage/sqlite.ts'

export type FileSnapshot = {
  /** The names of the collections of one database. */
  collections: readonly string[]
  /** The documents of a collection as BSON, in insertion order. */
  read(collection: string): Iterable<Uint8Array>
  close(): void
}

/**
 * A snapshot of the store in a directory, read from its file by a read-only transaction while another process uses it.
 * Writers do not wait for it, and the write-ahead log grows until `close`. It contains every write acknowledged before,
 * because a commit is in the log before it is acknowledged.
 */
export function openFileSnapshot(directory: string, database: string): FileSnapshot {
  const db = new DatabaseSync(join(directory, 'store.db'), { readOnly: true, timeout: 5000 })
  try {
    db.exec('BEGIN')
    // The first read fixes the snapshot.
    checkReadable(db.prepare('PRAGMA user_version').get()?.['user_version'])
    const select = db.prepare('SELECT name, id FROM collections WHERE db = ? ORDER BY name')
    const tables = new Map(select.all(database).map(({ name, id }) => [String(name), Number(id)]))
    return {
      collections: [...tables.keys()],
      *read(collection) {
        const table = tables.get(collection)
        if (table === undefined) return
        for (const { doc } of db.prepare(`SELECT doc FROM c${table} ORDER BY rid`).iterate()) yield doc as Uint8Array
      },
      close() {
        if (db.isOpen) db.close()
      },
    }
  } catch (error) {
    db.close()
    throw error
  }
}
