import { counted } from '../text/counted.ts'
import type { PlanServices } from '../accounts/plans.ts'
import type { AccountStores } from '../accounts/store.ts'
import { AppError } from '../core/errors.ts'
import type { EnrichedItem, EnrichItem } from './enrich-schema.ts'
import { findWritableBook } from './find-book.ts'
import { outlineBytes } from './outline-bytes.ts'
import { requireStorageOfOwner } from './storage-limit.ts'
import type { BookChange } from './store.ts'
import type { Book, Prompt } from './book.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import { quotedFromField, type AccessibleBook, type BookAccessStores } from './access.ts'
import type { PublicationStores } from './publication.ts'
import type { BookEventServices } from './events.ts'

/** The part of the content store that holds tables of contents. */
export interface OutlineStores {
  contents: {
    /** Stores a table of contents outside any version; returns its id. */
    saveOutline(itemId: string, toc: { title: string; page: number; level: number }[]): Promise<string>
    getOutline(id: string): Promise<{ title: string; page: number; level: number }[]>
    /** Removes a table of contents that no version refers to. */
    removeUnusedOutline(itemId: string, id: string): Promise<void>
  }
}

type EnrichStores = PublicAddress & OutlineStores & PublicationStores & AccountStores & PlanServices

const maxPrompts = 10

/**
 * Updates the given metadata fields of a book and clears its enrichment flag; confidence 1 marks the metadata as
 * confirmed. Refuses with FORBIDDEN a book that the caller may not write, or whose readers include strangers; with
 * ITEM_LOCKED a locked book; and with INVALID_INPUT an invalid `toc` or `addPrompt`.
 */
export async function enrichItem(
  ctx: Call & BookAccessStores & BookEventServices & EnrichStores,
  input: EnrichItem,
): Promise<EnrichedItem> {
  for (;;) {
    const book = await findWritableBook(ctx, input.itemId)
    const enriched = await tryEnrich(ctx, book, input)
    // Null: the book was published or deleted since it was looked up, which the next lookup refuses, or its table of
    // contents changed.
    if (enriched) return enriched
  }
}

async function tryEnrich(
  ctx: Call & BookAccessStores & BookEventServices & EnrichStores,
  book: AccessibleBook,
  input: EnrichItem,
): Promise<EnrichedItem | null> {
  const enrichedAt = ctx.now()
  const set: BookChange['set'] = {
    ...describedFields(input),
    ...(await outlineFields(ctx, book, input.toc)),
    ...(input.addPrompt ? { prompts: appendPrompt(book, input.addPrompt) } : {}),
    enrichmentConfidence: input.confidence ?? book.enrichmentConfidence,
    ...(input.confidence === 1 ? { metadataConfirmedAt: enrichedAt } : {}),
    ...(book.health === 'needs_confirmation' ? { health: 'ok', healthReason: null } : {}),
    needsEnrichment: false,
    enrichedAt,
    updatedAt: enrichedAt,
    ...(book.access.kind === 'own' ? {} : { teamWritten: true }),
  }
  const addStoredBytes = await outlineGrowth(ctx, book, input.toc)
  if (addStoredBytes !== undefined && addStoredBytes > 0) await requireStorageOfOwner(ctx, book.ownerId, addStoredBytes)
  // The growth is relative to the replaced table of contents, so that must still be the current one.
  const tocId = addStoredBytes === undefined ? undefined : book.tocId
  const unpublished = book.access.kind === 'own' ? {} : { publishedAt: book.publishedAt ?? null }
  if (!(await ctx.books.change(book.ownerId, book.id, { set, addStoredBytes, tocId, ...unpublished }))) return null
  if (book.tocId !== null && 'tocId' in set && set.tocId !== book.tocId)
    await ctx.contents.removeUnusedOutline(book.id, book.tocId)
  await ctx.bookEvents.changed(book)
  return { item: { ...presentEnriched({ ...book, ...set }, enrichedAt), ...quotedFromField(book) } }
}

function describedFields({ title, author, description, sampleQuestion, outcomes }: EnrichItem): BookChange['set'] {
  const fields = { title, author, description, sampleQuestion, outcomes }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** Which pages of a book an outline may name. */
function pageAdvice(count: number): string {
  if (count === 0) return 'Write its text first.'
  return count === 1 ? 'Use page 1.' : `Use pages 1 to ${count}.`
}

async function outlineFields(ctx: OutlineStores, book: Book, toc: EnrichItem['toc']): Promise<BookChange['set']> {
  if (toc === undefined) return {}
  if (toc.length === 0) return { tocId: null }
  const outOfRange = toc.find(({ page }) => page > book.pageCount)
  if (outOfRange) {
    const pages = counted(book.pageCount, 'page')
    const message = `toc: page ${outOfRange.page} is beyond the book, which has ${pages}. ${pageAdvice(book.pageCount)}`
    throw new AppError('INVALID_INPUT', message, { details: { field: 'toc' } })
  }
  return { tocId: await ctx.contents.saveOutline(book.id, toc) }
}

/**
 * The difference in bytes between a new and the current table of contents of the owner; undefined if it stays, or if
 * the book's bytes are not counted.
 */
async function outlineGrowth(ctx: OutlineStores, book: Book, toc: EnrichItem['toc']): Promise<number | undefined> {
  if (toc === undefined || book.storedBytes === undefined) return undefined
  const before = book.tocId === null ? [] : await ctx.contents.getOutline(book.tocId)
  return outlineBytes(toc) - outlineBytes(before)
}

function appendPrompt({ prompts }: Book, added: Prompt): Prompt[] {
  if (prompts.length < maxPrompts) return [...prompts, added]
  throw new AppError(
    'INVALID_INPUT',
    `addPrompt: a book keeps ${maxPrompts} prompts, and this book already has ${maxPrompts}`,
  )
}

function presentEnriched(book: Book, enrichedAt: Date): EnrichedItem['item'] {
  const { id, title, author, description, needsEnrichment, enrichmentConfidence } = book
  return { id, title, author, description, needsEnrichment, enrichmentConfidence, enrichedAt: enrichedAt.toISOString() }
}
