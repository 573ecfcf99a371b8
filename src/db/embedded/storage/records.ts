import { asBuffer, decode, decodeFields } from '../bson/bytes.ts'
import type { Doc, Value } from '../bson/values.ts'
import type { Catalog, Collection } from './catalog.ts'
import { DuplicateKeyError } from './duplicate-key.ts'
import { indexKeys, storedKey } from './index-keys.ts'
import type { Index } from './index-spec.ts'
import { successor } from './key-parts.ts'
import { encodeKey } from './keys.ts'
import type { Connection } from './sqlite.ts'

/** Where documents are written: the writing connection and the catalog of indexes. */
export type Store = { readonly catalog: Catalog; readonly connection: Connection }

/** A stored document. */
export type Row = { rowid: number; bytes: Uint8Array }

type Entries = { index: Index; keys: Buffer[]; multikey: number }

/** Stores a new document with its index entries; throws DuplicateKeyError without changing anything. */
export function insertRow(store: Store, collection: Collection, document: { id: Value; bytes: Uint8Array }): void {
  const { id, bytes } = document
  const key = encodeKey(id)
  const entries = entriesOf(bytes, secondaryIndexes(collection))
  if (rowidByKey(store.connection, collection, key) !== undefined) throw duplicate(collection, bytes)
  for (const entry of entries) checkUnique(store, collection, { entry, bytes, own: 0 })
  const insert = `INSERT INTO c${collection.id} (key, doc) VALUES (?, ?)`
  const { rowid } = store.connection.run(insert, key, bytes)
  for (const entry of entries) addEntries(store, entry, rowid)
  store.catalog.changes.note(collection, id)
}

/** Replaces a document, keeping its `_id`, and updates its index entries; throws DuplicateKeyError like `insertRow`. */
export function replaceRow(store: Store, collection: Collection, change: Row & { next: Uint8Array }): void {
  const { rowid, bytes, next } = change
  const secondary = secondaryIndexes(collection)
  const before = entriesOf(bytes, secondary)
  const after = entriesOf(next, secondary)
  const added = after.map((entry, i) => without(entry, before[i]))
  const removed = before.map((entry, i) => without(entry, after[i]))
  for (const entry of added) checkUnique(store, collection, { entry, bytes: next, own: rowid })
  store.connection.run(`UPDATE c${collection.id} SET doc = ? WHERE rid = ?`, next, rowid)
  for (const entry of removed) removeEntries(store, entry, rowid)
  for (const entry of added) addEntries(store, entry, rowid)
  store.catalog.changes.note(collection, idOf(bytes))
}

/** Deletes a document and its index entries. */
export function deleteRow(store: Store, collection: Collection, { rowid, bytes }: Row): void {
  for (const entry of entriesOf(bytes, secondaryIndexes(collection))) removeEntries(store, entry, rowid)
  store.connection.run(`DELETE FROM c${collection.id} WHERE rid = ?`, rowid)
  store.catalog.changes.note(collection, idOf(bytes))
}

const idField = new Set(['_id'])

function idOf(bytes: Uint8Array): Value | undefined {
  return decodeFields(bytes, idField)['_id']
}

/**
 * Fills a new index from the existing documents; throws DuplicateKeyError if it is unique and two documents have the
 * same key.
 */
export function buildIndex(store: Store, collection: Collection, index: Index): void {
  const select = `SELECT rid, doc FROM c${collection.id} WHERE rid > ? ORDER BY rid LIMIT 64`
  let rows = store.connection.all<[number, Uint8Array]>(select, 0)
  while (rows.length > 0) {
    for (const [rowid, bytes] of rows) {
      for (const entry of entriesOf(bytes, indexSet([index]))) {
        checkUnique(store, collection, { entry, bytes, own: rowid })
        addEntries(store, entry, rowid)
      }
    }
    rows = store.connection.all(select, rows.at(-1)?.[0] ?? 0)
  }
}

/** The row id of the document with this `_id` key. */
function rowidByKey(connection: Connection, collection: Collection, key: Uint8Array): number | undefined {
  return connection.get<[number]>(`SELECT rid FROM c${collection.id} WHERE key = ?`, key)?.[0]
}

/** The document with this `_id` key. */
export function rowByKey(connection: Connection, collection: Collection, key: Uint8Array): Row | undefined {
  const sql = `SELECT rid, doc FROM c${collection.id} WHERE key = ?`
  const row = connection.get<[number, Uint8Array]>(sql, key)
  return row && { rowid: row[0], bytes: row[1] }
}

/** The document of a row, or undefined if it has been deleted. */
export function rowById(connection: Connection, collection: Collection, rowid: number): Uint8Array | undefined {
  return connection.get<[Uint8Array]>(`SELECT doc FROM c${collection.id} WHERE rid = ?`, rowid)?.[0]
}

/** Indexes that are updated together, and the top-level fields that they use. */
type IndexSet = { indexes: readonly Index[]; roots: ReadonlySet<string> }

function indexSet(indexes: readonly Index[]): IndexSet {
  return { indexes, roots: new Set(indexes.flatMap((index) => [...index.roots])) }
}

const secondarySets = new WeakMap<readonly Index[], IndexSet>()

/**
 * All indexes except the one on `_id`, whose keys are in the rows. The list is replaced when indexes are added or
 * dropped.
 */
function secondaryIndexes({ indexes }: Collection): IndexSet {
  const known = secondarySets.get(indexes)
  if (known) return known
  const set = indexSet(indexes.filter((index) => !index.isId))
  secondarySets.set(indexes, set)
  return set
}

function entriesOf(bytes: Uint8Array, { indexes, roots }: IndexSet): Entries[] {
  if (indexes.length === 0) return []
  const doc = decodeFields(bytes, roots)
  return indexes.map((index) => ({ index, ...entryKeys(doc, index) }))
}

function entryKeys(doc: Doc, index: Index): { keys: Buffer[]; multikey: number } {
  const none = { keys: [], multikey: 0 }
  if (index.partial && !index.partial.test(doc)) return none
  const { keys, multikey, present } = indexKeys(doc, index.fields)
  return index.sparse && !present ? none : { keys, multikey }
}

/** The entries in `entry` that are not in `other`; both are in byte order. */
function without(entry: Entries, other: Entries | undefined): Entries {
  const keys = entry.keys.filter((key) => !other?.keys.some((same) => same.equals(key)))
  return { ...entry, keys }
}

function addEntries(store: Store, { index, keys, multikey }: Entries, rowid: number): void {
  if (keys.length === 0) return
  store.catalog.markMultikey(index, multikey)
  for (const key of keys) store.connection.run(`INSERT INTO i${index.id} (k) VALUES (?)`, storedKey(key, rowid))
}

function removeEntries(store: Store, { index, keys }: Entries, rowid: number): void {
  for (const key of keys) store.connection.run(`DELETE FROM i${index.id} WHERE k = ?`, storedKey(key, rowid))
}

type Check = { entry: Entries; bytes: Uint8Array; own: number }

function checkUnique(store: Store, collection: Collection, { entry, bytes, own }: Check): void {
  const { index, keys } = entry
  if (!index.unique) return
  const select = `SELECT k FROM i${index.id} WHERE k >= ? AND k < ? LIMIT 2`
  for (const key of keys) {
    const found = store.connection.all<[Uint8Array]>(select, key, successor(key))
    const mine = storedKey(key, own)
    if (found.some(([stored]) => !asBuffer(stored).equals(mine))) throw duplicate(collection, bytes, { index, key })
  }
}

function duplicate(
  collection: Collection,
  bytes: Uint8Array,
  violated?: { index: Index; key: Buffer },
): DuplicateKeyError {
  const { index = collection.indexes[0], key } = violated ?? {}
  return new DuplicateKeyError({ ns: collection.ns, index, doc: decode(bytes), key })
}
