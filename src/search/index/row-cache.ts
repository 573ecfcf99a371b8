import { LRUCache } from 'lru-cache'

/** The overhead of a cached row in bytes: its id and the cache entry. */
const rowOverhead = 250

export interface RowCache {
  /**
   * Returns the existing rows with these ids. `load` reads the rows that are not cached. Requires that rows never change under their id.
   */
  read(ids: readonly string[], load: LoadRows): Promise<Map<string, Uint8Array>>
  /** Like `read`, but does not cache the rows. For rows that are read once and would evict others. */
  pass(ids: readonly string[], load: LoadRows): Promise<Map<string, Uint8Array>>
}

type LoadRows = (missing: string[]) => AsyncIterable<StoredRow>

interface StoredRow {
  _id: string
  d: Uint8Array
}

/** Creates a cache of at most `maxBytes` for rows of an index. */
export function createRowCache(maxBytes: number): RowCache {
  const cache = new LRUCache<string, Uint8Array>({
    maxSize: maxBytes,
    sizeCalculation: (row, id) => row.length + id.length + rowOverhead,
  })
  const find = (ids: readonly string[]) => {
    const found = new Map<string, Uint8Array>()
    const missing: string[] = []
    for (const id of new Set(ids)) {
      const row = cache.get(id)
      if (row) found.set(id, row)
      else missing.push(id)
    }
    return { found, missing }
  }
  return {
    async read(ids, load) {
      const { found, missing } = find(ids)
      if (missing.length === 0) return found
      for await (const { _id, d } of load(missing)) {
        // Copied, because the buffer is a part of the whole reply, which would stay in memory too.
        const row = new Uint8Array(d)
        cache.set(_id, row)
        found.set(_id, row)
      }
      return found
    },
    async pass(ids, load) {
      const { found, missing } = find(ids)
      if (missing.length > 0) for await (const { _id, d } of load(missing)) found.set(_id, d)
      return found
    },
  }
}
