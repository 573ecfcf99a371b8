import type { Collection } from 'mongodb'
import { LRUCache } from 'lru-cache'
import { packVectors, unpackVectors, type Vector, type VectorBlock } from './vector.ts'

export interface NewPart {
  id: string
  bookId: string
  ownerId: string
  /** For each vector, the revision and index under which its page is stored. */
  names: readonly string[]
  vectors: readonly Vector[]
}

export interface PartRow {
  _id: string
  bookId: string
  ownerId: string
  names: string[]
  d: Uint8Array
}

/** Enough for 80,000 pages with 768 dimensions. */
const maxCachedBytes = 64 * 1024 * 1024

/** The methods of the embedding store for parts, on collection `embeddingParts`. */
export function partMethods(parts: Collection<PartRow>) {
  const cache = new LRUCache<string, VectorBlock>({
    maxSize: maxCachedBytes,
    sizeCalculation: ({ values, scales }) => values.byteLength + scales.byteLength + 300,
  })
  return {
    async writePart({ id, names, vectors, ...fields }: NewPart) {
      await parts.insertOne({ _id: id, ...fields, names: [...names], d: packVectors(vectors) })
    },
    async removeParts(ids: readonly string[]) {
      if (ids.length > 0) await parts.deleteMany({ _id: { $in: [...ids] } })
    },
    async readNames(ids: readonly string[]) {
      const rows =
        ids.length === 0 ? [] : await parts.find({ _id: { $in: [...ids] } }, { projection: { names: 1 } }).toArray()
      return new Map(rows.map(({ _id, names }) => [_id, names]))
    },
    async readParts(ids: readonly string[]) {
      const found = new Map<string, VectorBlock>()
      const missing: string[] = []
      for (const id of ids) {
        const block = cache.get(id)
        if (block) found.set(id, block)
        else missing.push(id)
      }
      if (missing.length === 0) return found
      for await (const { _id, d, names } of parts.find({ _id: { $in: missing } })) {
        const block = unpackVectors(d, names.length)
        cache.set(_id, block)
        found.set(_id, block)
      }
      return found
    },
  }
}
