import { quotedFromField, withOwnAccess } from './access.ts'
import { erasedAt } from './bin.ts'
import type { BinnedBook, BinPosition, BinStores } from './bin-store.ts'
import { cursorPattern } from './bin-schema.ts'
import type { DeletedItem, DeletedItemList, ListDeletedItems } from './bin-schema.ts'
import { AppError } from '../core/errors.ts'
import type { Call } from '../core/context.ts'

/** The books in the caller's bin, most recently deleted first, in pages of at most `limit`. */
export async function listDeletedItems(
  ctx: Call & BinStores,
  { cursor, limit }: ListDeletedItems,
): Promise<DeletedItemList> {
  const after = cursor === undefined ? null : decodeCursor(cursor)
  const found = await ctx.bin.list(ctx.actor.id, { after, limit: limit + 1 })
  const shown = found.slice(0, limit)
  const last = found.length > limit ? shown.at(-1) : undefined
  return {
    items: shown.map((entry) => presentDeleted(ctx, entry)),
    ...(last ? { nextCursor: encodeCursor({ at: last.deletedAt, id: last.id }) } : {}),
  }
}

/** The books among `ids` that are in the caller's bin, in the order of `ids`. */
export async function findDeletedItems(ctx: Call & BinStores, ids: readonly string[]): Promise<DeletedItem[]> {
  const found = await Promise.all(ids.map((id) => ctx.bin.find(ctx.actor.id, id)))
  return found.flatMap((entry) => (entry?.state === 'kept' ? [presentDeleted(ctx, entry)] : []))
}

function presentDeleted(ctx: Call, { book, deletedAt }: BinnedBook): DeletedItem {
  const { id, title, description, author, sourceType, status, health, healthReason, pageCount } = book
  return {
    id,
    title,
    description,
    author,
    sourceType,
    status,
    needsEnrichment: book.needsEnrichment,
    enrichmentConfidence: book.enrichmentConfidence,
    pageCount,
    health,
    healthReason,
    enrichedAt: book.enrichedAt?.toISOString() ?? null,
    metadataConfirmedAt: book.metadataConfirmedAt?.toISOString() ?? null,
    createdAt: book.createdAt.toISOString(),
    updatedAt: book.updatedAt.toISOString(),
    bytes: book.storedBytes ?? 0,
    deletedAt: deletedAt.toISOString(),
    erasedAt: erasedAt(deletedAt).toISOString(),
    ...quotedFromField(withOwnAccess(ctx, book)),
  }
}

function encodeCursor({ at, id }: BinPosition): string {
  return `${at.getTime().toString(36)}.${id}`
}

function decodeCursor(cursor: string): BinPosition {
  const [, at, id] = cursorPattern.exec(cursor) ?? []
  if (at !== undefined && id !== undefined) return { at: new Date(Number.parseInt(at, 36)), id }
  const message = 'cursor is not one of this list. List without it to start again.'
  throw new AppError('INVALID_INPUT', message, { details: { field: 'cursor' } })
}
