import type { AccountStores } from '../accounts/store.ts'
import type { TurnStores } from '../accounts/turn-store.ts'
import type { BookKey } from '../books/events.ts'
import type { BookStores } from '../books/store.ts'
import type { Clock } from '../core/context.ts'
import type { ContentStores } from '../reading/store.ts'
import type { Embedder } from './embedder.ts'
import type { EmbeddingStores } from './embedding-store.ts'
import { allowsEmbedding } from './own-switch.ts'
import { planPages } from './plan-pages.ts'

/** Null: no service is configured. */
export interface EmbedderServices {
  embedder: Embedder | null
}

export type MarkServices = Clock &
  AccountStores &
  TurnStores &
  BookStores &
  ContentStores &
  EmbeddingStores &
  EmbedderServices

/**
 * Marks a book for embedding after its text has changed, if its owner allows it. Call it while the book is still marked
 * for the search index, so that a crash loses neither mark.
 */
export async function markForEmbedding(services: MarkServices, { id, ownerId }: BookKey): Promise<void> {
  const { embeddings, embedder, books, contents, turns, now } = services
  if (embedder === null || !(await allowsEmbedding(services, ownerId))) return
  const [book] = await books.findOwned(ownerId, [id])
  if (!book || book.version < 1) return
  const known = (await embeddings.listOwned(ownerId)).find((each) => each.id === id)
  // Only metadata such as the title or author has changed.
  if (known?.version === book.version && known.model === embedder.model) return
  const manifest = await contents.getManifest(id, book.version)
  if (!manifest) return
  const ids = known?.model === embedder.model ? known.parts.map((part) => part.id) : []
  const { missing } = planPages(manifest, await embeddings.readNames(ids))
  await embeddings.mark({ id, ownerId }, missing.length, now())
  await turns.join(ownerId, 'embedding')
}

/**
 * Marks every book without vectors for its version and the configured model; with `ownerFilter`, those of one owner. Used
 * when a worker starts, and after an owner has allowed embeddings.
 */
export async function markOutdated(services: MarkServices, ownerFilter: string | null = null): Promise<void> {
  const { embeddings, embedder, books, turns, now } = services
  if (embedder === null) return
  const known = new Map<string, { model: string; version: number; isMarked: boolean }>()
  for await (const { id, ...state } of embeddings.states()) known.set(id, state)
  const allowed = new Map<string, boolean>()
  const owners = new Set<string>()
  for await (const book of ownerFilter === null ? books.all() : books.allOwned(ownerFilter)) {
    const { id, ownerId, version, pageCount } = book
    const state = known.get(id)
    if (version < 1 || state?.isMarked) continue
    if (state?.version === version && state.model === embedder.model) continue
    if (!allowed.has(ownerId)) allowed.set(ownerId, await allowsEmbedding(services, ownerId))
    if (!allowed.get(ownerId)) continue
    await embeddings.mark({ id, ownerId }, pageCount, now())
    owners.add(ownerId)
  }
  for (const ownerId of owners) await turns.join(ownerId, 'embedding')
}
