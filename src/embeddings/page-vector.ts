import type { EmbeddingStores } from './embedding-store.ts'
import { vectorAt, type Vector } from './vector.ts'

interface PlaceOfPage {
  bookId: string
  ownerId: string
  version: number
  page: number
}

/** The stored vector of a page for a model; null if it has none. Never rejects. */
export async function findPageVector(
  { embeddings }: EmbeddingStores,
  model: string,
  { bookId, ownerId, version, page }: PlaceOfPage,
): Promise<Vector | null> {
  try {
    const book = (await embeddings.listOwned(ownerId)).find(({ id }) => id === bookId)
    if (!book || book.model !== model || book.version !== version) return null
    const part = book.parts.find(({ pages }) => pages.includes(page))
    const block = part && (await embeddings.readParts([part.id])).get(part.id)
    if (!part || !block) return null
    const vector = vectorAt(block, part.pages.indexOf(page))
    return vector.scale === 0 ? null : vector
  } catch {
    return null
  }
}
