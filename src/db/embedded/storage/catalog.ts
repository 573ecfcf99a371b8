import { randomUUID } from 'node:crypto'
import { decode, encode } from '../bson/bytes.ts'
import type { Doc } from '../bson/values.ts'
import { CommandError } from '../errors/command-error.ts'
import { Changes } from './changes.ts'
import { indexFrom, idIndex } from './index-spec.ts'
import type { Index } from './index-spec.ts'
import type { Connection } from './sqlite.ts'

/** A collection. Its rows are in the table `c<id>`; ids are never reused. */
export type Collection = {
  readonly id: number
  readonly db: string
  readonly name: string
  readonly ns: string
  readonly uuid: Buffer
  /** The index on `_id` comes first. The list is replaced, never modified, when an index is added. */
  indexes: readonly Index[]
}

/** All collections and indexes, in memory and in the tables `collections` and `indexes`. */
export class Catalog {
  /** The change counters of its documents and collections. */
  readonly changes = new Changes()
  readonly #connection: Connection
  readonly #collections = new Map<string, Collection>()
  /** True if memory may differ from the committed state; then `rolledBack` reads the tables again. */
  #touched = false

  constructor(connection: Connection) {
    this.#connection = connection
    this.#load()
  }

  get(db: string, name: string): Collection | undefined {
    return this.#collections.get(`${db}.${name}`)
  }

  /** The collections of one database, or of all databases. */
  list(db?: string): Collection[] {
    const all = [...this.#collections.values()].filter((collection) => db === undefined || collection.db === db)
    return all.sort((a, b) => (a.ns < b.ns ? -1 : 1))
  }

  /** Creates a collection, which must not exist yet. */
  create(db: string, name: string): Collection {
    checkNamespace(db, name)
    this.#touched = true
    const uuid = Buffer.from(randomUUID().replaceAll('-', ''), 'hex')
    const insert = 'INSERT INTO collections (db, name, uuid) VALUES (?, ?, ?)'
    const { rowid: id } = this.#connection.run(insert, db, name, uuid)
    this.#connection.exec(`CREATE TABLE c${id} (rid INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, doc BLOB NOT NULL)`)
    const collection = { id, db, name, ns: `${db}.${name}`, uuid, indexes: [idIndex(id)] }
    this.#collections.set(collection.ns, collection)
    return collection
  }

  drop(collections: readonly Collection[]): void {
    this.#touched = true
    this.changes.noteAll()
    this.#connection.forgetStatements()
    for (const collection of collections) {
      this.#connection.run('DELETE FROM indexes WHERE collection = ?', collection.id)
      this.#connection.run('DELETE FROM collections WHERE id = ?', collection.id)
      for (const index of collection.indexes) if (!index.isId) this.#connection.exec(`DROP TABLE i${index.id}`)
      this.#connection.exec(`DROP TABLE c${collection.id}`)
      this.#collections.delete(collection.ns)
    }
  }

  /** Creates an empty index; the caller fills it. */
  addIndex(collection: Collection, spec: Doc): Index {
    this.#touched = true
    const insert = 'INSERT INTO indexes (collection, name, spec, multikey) VALUES (?, ?, ?, 0)'
    const { rowid: id } = this.#connection.run(insert, collection.id, String(spec['name']), encode(spec))
    this.#connection.exec(`CREATE TABLE i${id} (k BLOB PRIMARY KEY) WITHOUT ROWID`)
    const index = indexFrom({ id, spec, multikey: 0 })
    collection.indexes = [...collection.indexes, index]
    return index
  }

  /** Records which fields of the index go through arrays, before the first such key is stored. */
  markMultikey(index: Index, multikey: number): void {
    if ((index.multikey | multikey) === index.multikey) return
    this.#touched = true
    index.multikey |= multikey
    this.#connection.run('UPDATE indexes SET multikey = ? WHERE id = ?', index.multikey, index.id)
  }

  committed(): void {
    this.#touched = false
  }

  /** Reloads the tables after a rollback; older objects are no longer part of the catalog. */
  rolledBack(): void {
    if (!this.#touched) return
    this.#connection.forgetStatements()
    this.#load()
  }

  #load(): void {
    this.#collections.clear()
    const rows = this.#connection.all<[number, string, string, Uint8Array]>(
      'SELECT id, db, name, uuid FROM collections',
    )
    for (const [id, db, name, uuid] of rows) {
      const select = 'SELECT id, spec, multikey FROM indexes WHERE collection = ? ORDER BY id'
      const indexes = this.#connection
        .all<[number, Uint8Array, number]>(select, id)
        .map(([index, spec, multikey]) => indexFrom({ id: index, spec: decode(spec), multikey }))
      const all = [idIndex(id), ...indexes]
      const collection = { id, db, name, ns: `${db}.${name}`, uuid: Buffer.from(uuid), indexes: all }
      this.#collections.set(collection.ns, collection)
    }
  }
}

const maxNamespace = 255

function checkNamespace(db: string, name: string): void {
  const reason =
    db === '' || /[\0/\\. "$]/.test(db) || db.length > 63
      ? `Invalid database name: '${db}'`
      : name === '' || name.includes('\0') || name.includes('$') || name.startsWith('.')
        ? `Invalid collection name: ${name}`
        : name.startsWith('system.')
          ? `Invalid system namespace: ${db}.${name}`
          : Buffer.byteLength(`${db}.${name}`) > maxNamespace
            ? `Fully qualified namespace is too long. Namespace: ${db}.${name} Max: ${maxNamespace}`
            : undefined
  if (reason !== undefined) throw new CommandError('InvalidNamespace', reason)
}
