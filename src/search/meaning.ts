import type { Clock } from '../core/context.ts'
import type { EmbedderServices } from '../embeddings/mark-book.ts'
import type { EmbeddingStores } from '../embeddings/embedding-store.ts'
import { findNearestPages, type NearPage, type VectorSource } from '../embeddings/nearest-pages.ts'
import { findPageVector } from '../embeddings/page-vector.ts'
import type { Vector } from '../embeddings/vector.ts'
import type { Pacer } from '../runtime/turns.ts'
import type { LikedPage } from './like-page.ts'
import { readSyntax } from './query-syntax.ts'

export type MeaningServices = Clock & EmbeddingStores & EmbedderServices

/** What a search looks for beside its words. */
export interface Meaning {
  /** Null when it is not known in time: then words alone count. */
  vector: Promise<Vector | null>
  model: string
}

/**
 * Begins to find out what a query means; null where no service is configured, and for a query that says exactly which words pages have:
 * with phrases, words left out, or beginnings of words. A page that others are to be like has its vector already.
 */
export function beginMeaning(
  ctx: MeaningServices,
  { text, liked }: { text: string; liked: LikedPage | null },
): Meaning | null {
  const { embedder } = ctx
  if (embedder === null) return null
  const { plain, phrases, excluded, prefixEnds } = readSyntax(text)
  if (phrases.length > 0 || excluded.length > 0 || prefixEnds.size > 0) return null
  const words = plain.replaceAll(/\s+/g, ' ').trim()
  const { model } = embedder
  if (/[\p{L}\p{N}]/u.test(words)) return liked ? null : { model, vector: embedder.embedQuery(words) }
  return liked && { model, vector: findPageVector(ctx, model, liked) }
}

interface NearestRequest {
  sources: readonly VectorSource[]
  /** Books that words have found. */
  first: ReadonlySet<string>
  pacer: Pacer
}

/** The pages nearest to what a query means, nearest first; none without a vector. */
export async function findByMeaning(
  ctx: MeaningServices,
  { vector: asked, model }: Meaning,
  request: NearestRequest,
): Promise<NearPage[]> {
  const vector = await asked
  return vector === null ? [] : findNearestPages(ctx, { ...request, vector, model })
}
