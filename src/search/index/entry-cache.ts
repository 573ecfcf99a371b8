import { LRUCache } from 'lru-cache'
import { atMost } from '../../runtime/at-most.ts'

/** The state of a library. Its stamp changes after each change of an index entry of its books. */
export interface LibraryState {
  ownerId: string
  stamp: string
}

interface Entry {
  id: string
  ownerId: string
}

/** A cache of index entries, each with the stamp that its library had before the entry was read. */
export interface EntryCache<E extends Entry> {
  /** Returns the entries of these books, as they were at the given stamp or later. `load` reads the entries that are not cached. */
  read(library: LibraryState, ids: readonly string[], load: (missing: string[]) => Promise<E[]>): Promise<E[]>
  /** Caches what `load` returns, which is all entries of a library. Does nothing if any entries of it were read before. */
  readAhead(library: LibraryState, load: () => Promise<E[]>): Promise<void>
}

/** The maximum number of libraries that are remembered as read. */
const maxLibraries = 50_000

/** Creates a cache of at most `maxBytes`. `sizeOf` returns the size of an entry in bytes. */
export function createEntryCache<E extends Entry>(maxBytes: number, sizeOf: (entry: E) => number): EntryCache<E> {
  const cache = new LRUCache<string, { entry: E; stamp: string }>({
    maxSize: maxBytes,
    sizeCalculation: ({ entry }) => sizeOf(entry),
  })
  const knownOwners = new LRUCache<string, true>(atMost(maxLibraries))
  return {
    async readAhead({ ownerId, stamp }, load) {
      if (knownOwners.get(ownerId)) return
      knownOwners.set(ownerId, true)
      for (const entry of await load()) cache.set(entry.id, { entry, stamp })
    },
    async read({ ownerId, stamp }, ids, load) {
      knownOwners.set(ownerId, true)
      const found: E[] = []
      const missing: string[] = []
      for (const id of ids) {
        const known = cache.get(id)
        if (known?.stamp === stamp && known.entry.ownerId === ownerId) found.push(known.entry)
        else missing.push(id)
      }
      if (missing.length === 0) return found
      for (const entry of await load(missing)) {
        cache.set(entry.id, { entry, stamp })
        found.push(entry)
      }
      return found
    },
  }
}
