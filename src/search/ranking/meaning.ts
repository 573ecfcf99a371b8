import type { Clock } from '../../core/context.ts'
import type { EmbedderServices } from '../../embeddings/mark-book.ts'
import type { EmbeddingStores } from '../../embeddings/embedding-store.ts'
import { findNearestPages, type NearPage, type VectorSource } from '../../embeddings/nearest-pages.ts'
import { findPageVector } from '../../embeddings/page-vector.ts'
import type { Vector } from '../../embeddings/vector.ts'
import type { Pacer } from '../../runtime/turns.ts'
import type { LikedPage } from '../like-page.ts'
import { readSyntax } from '../query/query-syntax.ts'

export type MeaningServices = Clock & EmbeddingStores & EmbedderServices

/** What a search by meaning looks for. */
export interface Meaning {
  /** Null if the vector is not available in time. Then only words count. */
  vector: Promise<Vector | null>
  model: string
}

/**
 * Begins to compute the vector of a query. Returns null if no embedding service is configured, and for a query that specifies exactly which
 * words a page has: with phrases, exclusions or `word*`. The vector of a liked page exists already.
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
  /** The books that were found by words. */
  first: ReadonlySet<string>
  pacer: Pacer
}

/** Returns the pages nearest in meaning to the query, the nearest first; none without a vector. */
export async function findByMeaning(
  ctx: MeaningServices,
  { vector: pendingVector, model }: Meaning,
  request: NearestRequest,
): Promise<NearPage[]> {
  const vector = await pendingVector
  return vector === null ? [] : findNearestPages(ctx, { ...request, vector, model })
}
