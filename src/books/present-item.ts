import type { Item, ItemSummary } from './schema.ts'
import { quotedFromField, type AccessibleBook } from './access.ts'
import { pagesReadyOf } from './unfinished.ts'

/** A book as a list item. */
export function presentItem(
  book: AccessibleBook,
  { locked, shelves, isWeeklyFeatured }: Pick<Item, 'locked' | 'shelves' | 'isWeeklyFeatured'>,
): Item {
  return {
    id: book.id,
    title: book.title,
    description: book.description,
    author: book.author,
    sourceType: book.sourceType,
    ...(book.fileFormat === undefined ? {} : { fileFormat: book.fileFormat }),
    status: book.status,
    needsEnrichment: book.needsEnrichment,
    enrichmentConfidence: book.enrichmentConfidence,
    pageCount: book.pageCount,
    health: book.health,
    healthReason: book.healthReason,
    isSystem: book.access.kind === 'system',
    isSubscribed: book.access.subscribedAt !== null,
    proOnly: book.proOnly,
    locked,
    shelves,
    enrichedAt: book.enrichedAt?.toISOString() ?? null,
    metadataConfirmedAt: book.metadataConfirmedAt?.toISOString() ?? null,
    createdAt: book.createdAt.toISOString(),
    updatedAt: book.updatedAt.toISOString(),
    isWeeklyFeatured,
    ...quotedFromField(book),
    ...pagesReadyOf(book),
  }
}

/** A book as a concise list item. */
export function summariseItem(item: Item): ItemSummary {
  const {
    id,
    title,
    author,
    sourceType,
    fileFormat,
    status,
    pageCount,
    locked,
    quotedFrom,
    pagesReady,
    pagesExpected,
  } = item
  return {
    id,
    title,
    sourceType,
    ...(fileFormat === undefined ? {} : { fileFormat }),
    status,
    pageCount,
    ...(author ? { author } : {}),
    ...(locked ? { locked } : {}),
    ...(quotedFrom === undefined ? {} : { quotedFrom }),
    ...(pagesReady === undefined ? {} : { pagesReady }),
    ...(pagesExpected === undefined ? {} : { pagesExpected }),
  }
}
