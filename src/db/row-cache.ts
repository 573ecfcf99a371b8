import { LRUCache } from 'lru-cache'
import { BSON, type Document } from 'mongodb'

/** Maximum size of one cache in bytes, including rows and objects. */
const maxCacheBytes = 16 * 1024 * 1024

/**
 * Decodes rows that were read with `raw`, cached by their bytes: an unchanged row yields the same frozen object, which
 * callers share and can use as a cache key.
 */
export function decodeCached<Row extends Document, Value extends object>(
  decode: (row: Row) => Value,
): (row: Uint8Array) => Value {
  // An object takes about twice the memory of its row.
  const sizeCalculation = (_: Value, bytes: string) => 3 * bytes.length + 100
  const cache = new LRUCache<string, Value>({ maxSize: maxCacheBytes, sizeCalculation })
  return (row) => {
    const bytes = Buffer.from(row.buffer, row.byteOffset, row.byteLength).toString('latin1')
    const cached = cache.get(bytes)
    if (cached) return cached
    const value = Object.freeze(decode(BSON.deserialize(row) as Row))
    cache.set(bytes, value)
    return value
  }
}
