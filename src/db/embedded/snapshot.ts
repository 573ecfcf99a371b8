import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { checkReadable } from './storage/sqlite.ts'

export type FileSnapshot = {
  /** The names of the collections of one database. */
  collections: readonly string[]
  /** The documents of a collection as BSON, in the order in which they were added. */
  read(collection: string): Iterable<Uint8Array>
  close(): void
}

/**
 * What the store in a directory holds at this moment, read from its file beside the process that has it: a transaction that
 * only reads. Writers do not wait for it; the write-ahead log grows until `close`. A commit is in the log before it is
 * acknowledged, so every write acknowledged before is there.
 */
export function openFileSnapshot(directory: string, database: string): FileSnapshot {
  const db = new DatabaseSync(join(directory, 'store.db'), { readOnly: true, timeout: 5000 })
  try {
    db.exec('BEGIN')
    // The first read takes the moment.
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
