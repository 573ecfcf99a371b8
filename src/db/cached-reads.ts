import { LRUCache } from 'lru-cache'
import { BSON, type Db, type MongoClient } from 'mongodb'

/**
 * Returns the number of changes of a collection (`database.collection`) or of one of its documents, made by any process. It includes
 * every change whose writer has been answered.
 */
export type ChangeCounter = (ns: string, id?: string) => number

const counters = new WeakMap<MongoClient, ChangeCounter>()

/** Sets the change counter of a client's store. Only the embedded store that runs in this process has one. */
export function setChangeCounter(client: MongoClient, countChanges: ChangeCounter): void {
  counters.set(client, countChanges)
}

/** Returns the change counter of a collection; its result is null for a store without one. */
export function changeCounterOf(db: Db, collection: string): (id?: string) => number | null {
  const ns = `${db.databaseName}.${collection}`
  return (id) => counters.get(db.client)?.(ns, id) ?? null
}

/** The maximum size of the cache of one reader, and of one for documents, in bytes. */
const maxBytes = 4 * 1024 * 1024
const maxRowBytes = 16 * 1024 * 1024

interface CachedValue<Value> {
  value: Value
  /** The change counter before the value was read. */
  count: number
}

function createCache<Value>(maxSize: number): LRUCache<string, CachedValue<Value>> {
  // An object takes about three times as much memory as its BSON.
  const sizeCalculation = ({ value }: CachedValue<Value>, key: string) =>
    3 * BSON.calculateObjectSize({ value }) + 2 * key.length + 500
  return new LRUCache({ maxSize, sizeCalculation })
}

/**
 * Caches the results of `load`, which depend on `collections` only, until one of these changes. A call never misses a change whose writer
 * was answered before it. Without a change counter, every call loads. Callers share the frozen value; null is not cached.
 */
export function cachedRead<Value extends object | null>(
  db: Db,
  collections: readonly string[],
  load: (key: string) => Promise<Value>,
): (key: string) => Promise<Value> {
  const counts = collections.map((name) => changeCounterOf(db, name))
  const cache = createCache<Value>(maxBytes)
  const countAll = () => {
    let sum = 0
    for (const count of counts) {
      const changes = count()
      if (changes === null) return null
      // 32 bits, like the counters.
      sum = (sum + changes) | 0
    }
    return sum
  }
  return async (key) => {
    const count = countAll()
    if (count === null) return load(key)
    const known = cache.get(key)
    if (known?.count === count) return known.value
    const value = await load(key)
    if (value !== null) cache.set(key, { value: freezeAll(value), count })
    return value
  }
}

/** Like `cachedRead`, for documents of one collection by id. Leaves out ids that do not exist, and caches that too. */
export function cachedRows<Row extends { _id: string }>(
  db: Db,
  collection: string,
  load: (ids: readonly string[]) => Promise<Row[]>,
): (ids: readonly string[]) => Promise<Row[]> {
  const countChanges = changeCounterOf(db, collection)
  const cache = createCache<Row | null>(maxRowBytes)
  return async (ids) => {
    if (countChanges() === null) return load(ids)
    const found: Row[] = []
    const missing = new Map<string, number>()
    for (const id of new Set(ids)) {
      const count = countChanges(id) as number
      const known = cache.get(id)
      if (known?.count !== count) missing.set(id, count)
      else if (known.value !== null) found.push(known.value)
    }
    if (missing.size === 0) return found
    const loaded = new Map((await load([...missing.keys()])).map((row) => [row._id, freezeAll(row)]))
    for (const [id, count] of missing) cache.set(id, { value: loaded.get(id) ?? null, count })
    return [...found, ...loaded.values()]
  }
}

/** Freezes objects and arrays recursively. Dates and bytes cannot be frozen. */
function freezeAll<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
  if (!isPlain) return value
  for (const each of Object.values(value)) freezeAll(each)
  return Object.freeze(value)
}
