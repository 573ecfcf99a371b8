import type { Clock } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import type { EmbeddedBook, EmbeddingStores, VectorPart } from './embedding-store.ts'
import { partPages } from './plan-pages.ts'
import { vectorAt, type Vector } from './vector.ts'

interface LivePage {
  page: number
  name: string
  vector: Vector
}

/** Stores the vectors of a book, fragmented by many edits, in as few parts as possible. The former parts stay. */
export async function joinParts(
  { embeddings, now }: Clock & EmbeddingStores,
  { id: bookId, ownerId }: Pick<EmbeddedBook, 'id' | 'ownerId'>,
  { parts, dimensions }: { parts: readonly VectorPart[]; dimensions: number },
): Promise<VectorPart[]> {
  const ids = parts.map(({ id }) => id)
  const [names, blocks] = [await embeddings.readNames(ids), await embeddings.readParts(ids)]
  const live = parts.flatMap(({ id, pages }) =>
    [...pages].flatMap((page, at): LivePage[] => {
      const [name, block] = [names.get(id)?.[at], blocks.get(id)]
      if (page === 0 || name === undefined || !block) return []
      const vector = block.dimensions === dimensions ? vectorAt(block, at) : null
      return [{ page, name, vector: vector ?? { values: new Int8Array(dimensions), scale: 0 } }]
    }),
  )
  live.sort((a, b) => a.page - b.page)
  const joined: VectorPart[] = []
  for (let from = 0; from < live.length; from += partPages) {
    const some = live.slice(from, from + partPages)
    const part = { id: newId(now()), names: some.map(({ name }) => name), vectors: some.map(({ vector }) => vector) }
    await embeddings.writePart({ ...part, bookId, ownerId })
    joined.push({ id: part.id, pages: Uint32Array.from(some, ({ page }) => page) })
  }
  return joined
}
