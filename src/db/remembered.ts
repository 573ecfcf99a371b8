import { LRUCache } from 'lru-cache'
import { BSON, type Db, type MongoClient } from 'mongodb'

/**
 * Tells how often a collection (`database.collection`) or a document of it has changed, whichever process changed it: never less than
 * what a writer has been told of.
 */
export type CountChanges = (ns: string, id?: string) => number

const counters = new WeakMap<MongoClient, CountChanges>()

/** Names what counts the changes of a client's store. The embedded store of this process does; others need not. */
export function tellChanges(client: MongoClient, countChanges: CountChanges): void {
  counters.set(client, countChanges)
}

/** Tells how often a collection, or a document of it, has changed; null where nobody tells. */
export function changesOf(db: Db, collection: string): (id?: string) => number | null {
  const ns = `${db.databaseName}.${collection}`
  return (id) => counters.get(db.client)?.(ns, id) ?? null
}

/** The maximum size of what one reader remembers, in bytes. */
const maxBytes = 4 * 1024 * 1024
const maxRowBytes = 16 * 1024 * 1024

interface Remembered<Value> {
  value: Value
  /** How often that which it was read from had changed before it was read. */
  count: number
}

function createMemory<Value>(maxSize: number): LRUCache<string, Remembered<Value>> {
  // An object takes about three times the memory of its row.
  const sizeCalculation = ({ value }: Remembered<Value>, key: string) =>
    3 * BSON.calculateObjectSize({ value }) + 2 * key.length + 500
  return new LRUCache({ maxSize, sizeCalculation })
}

/**
 * Reads what `load` reads of some collections, from memory while none of them has changed since: a change that was answered before a
 * call is never missed. Where nobody tells of changes it is read each time. Callers share the frozen value; null is not remembered.
 */
export function remembered<Value extends object | null>(
  db: Db,
  collections: readonly string[],
  load: (key: string) => Promise<Value>,
): (key: string) => Promise<Value> {
  const counts = collections.map((name) => changesOf(db, name))
  const memory = createMemory<Value>(maxBytes)
  const countAll = () => {
    let sum = 0
    for (const count of counts) {
      const changes = count()
      if (changes === null) return null
      // In 32 bits, as the counts are.
      sum = (sum + changes) | 0
    }
    return sum
  }
  return async (key) => {
    const count = countAll()
    if (count === null) return load(key)
    const known = memory.get(key)
    if (known?.count === count) return known.value
    const value = await load(key)
    if (value !== null) memory.set(key, { value: freezeAll(value), count })
    return value
  }
}

/** The same for documents of one collection by their ids; those that do not exist are left out, and that is remembered too. */
export function rememberedRows<Row extends { _id: string }>(
  db: Db,
  collection: string,
  load: (ids: readonly string[]) => Promise<Row[]>,
): (ids: readonly string[]) => Promise<Row[]> {
  const countChanges = changesOf(db, collection)
  const memory = createMemory<Row | null>(maxRowBytes)
  return async (ids) => {
    if (countChanges() === null) return load(ids)
    const found: Row[] = []
    const missing = new Map<string, number>()
    for (const id of new Set(ids)) {
      const count = countChanges(id) as number
      const known = memory.get(id)
      if (known?.count !== count) missing.set(id, count)
      else if (known.value !== null) found.push(known.value)
    }
    if (missing.size === 0) return found
    const loaded = new Map((await load([...missing.keys()])).map((row) => [row._id, freezeAll(row)]))
    for (const [id, count] of missing) memory.set(id, { value: loaded.get(id) ?? null, count })
    return [...found, ...loaded.values()]
  }
}

/** Freezes objects and lists, with all in them. Dates and bytes cannot be frozen; nobody changes these. */
function freezeAll<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
  if (!isPlain) return value
  for (const each of Object.values(value)) freezeAll(each)
  return Object.freeze(value)
}
