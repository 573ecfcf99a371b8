import { describeCaller } from '../accounts/describe-caller.ts'
import { AppError } from '../core/errors.ts'
import { splitPages } from '../text/markdown/split-pages.ts'
import { markdownToc } from '../text/markdown/markdown-toc.ts'
import { ownBytesOf } from '../reading/stored-bytes.ts'
import { requireStorage } from '../books/storage-limit.ts'
import { countText } from '../text/page-counts.ts'
import { addNewBook } from '../books/add-new-book.ts'
import { newBook } from '../books/new-book.ts'
import { maxPages, type CreatedItem, type CreateMarkdownItem } from '../books/schema.ts'
import type { Book } from '../books/book.ts'
import { withSlot } from '../books/with-slot.ts'
import { textHealth } from '../books/text-health.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { CreationStores } from '../books/with-slot.ts'
import type { ContentStores } from '../reading/store.ts'
import type { Manifest } from '../reading/manifest.ts'
import type { BookStores } from '../books/store.ts'
import type { BookEventServices } from '../books/events.ts'

/**
 * Creates a Markdown book, readable at once. Takes one library slot (PLAN_LIMIT_EXCEEDED if none is free). A refusal
 * stores nothing.
 */
export async function createMarkdownItem(
  ctx: Call & CreationStores & ContentStores & PublicAddress,
  input: CreateMarkdownItem,
): Promise<CreatedItem> {
  const content = input.content ?? ''
  const pages = splitPages(content)
  requireWithinPageLimit(pages)
  const id = ctx.newId()
  await requireStorage(ctx, Buffer.byteLength(content))
  const existing = ctx.idempotencyKey === null ? undefined : (await ctx.books.findOwned(ctx.actor.id, [id]))[0]
  const book = existing ?? (await withSlot(ctx, id, () => writeMarkdownBook(ctx, { id, pages, content, input })))
  return presentCreated(book)
}

/** Refuses a text with more pages than a book may have (INVALID_INPUT). */
export function requireWithinPageLimit(pages: readonly string[]): void {
  if (pages.length <= maxPages) return
  const message = `content has ${pages.length} pages; a book may have ${maxPages}. Use fewer top-level "# " headings, or create several books.`
  throw new AppError('INVALID_INPUT', message, { details: { field: 'content' } })
}

interface NewMarkdownBook {
  id: string
  pages: string[]
  content: string
  input: Pick<CreateMarkdownItem, 'title' | 'description'>
}

/** Stores a new Markdown book with its pages. The caller must have taken its slot. Idempotent per id. */
export async function writeMarkdownBook(
  ctx: Call & ContentStores & BookStores & BookEventServices,
  { id, pages, content, input }: NewMarkdownBook,
): Promise<Book> {
  const at = ctx.now()
  const toc = markdownToc(pages)
  const bytes = Buffer.byteLength(content)
  const ownBytes = ownBytesOf({ toc }, bytes, null)
  const words = pages.reduce((sum, text) => sum + countText(text).words, 0)
  const revision = 'create'
  await ctx.contents.writePages(id, revision, {
    first: 0,
    pages: pages.map((text) => ({ content: text, label: null })),
  })
  const manifest: Manifest = {
    itemId: id,
    version: 1,
    runs: pages.length > 0 ? [{ revision, start: 0, count: pages.length }] : [],
    pageCount: pages.length,
    bytes,
    ownBytes,
    words,
    toc,
    createdAt: at,
    createdBy: ctx.actor.id,
    client: describeCaller(ctx),
    by: ctx.actor.credential.name ?? null,
    reason: 'create',
    jobId: null,
  }
  const isSealed = await ctx.contents.seal(manifest)
  const book = newBook({
    id,
    ownerId: ctx.actor.id,
    title: input.title,
    description: input.description ?? null,
    sourceType: 'markdown',
    status: 'READY',
    ...textHealth(words),
    pageCount: pages.length,
    version: 1,
    storedBytes: ownBytes,
    createdAt: at,
  })
  await addNewBook(ctx.books, book)
  // Otherwise another attempt of this create has sealed the version, perhaps with another revision.
  if (isSealed) ctx.contents.remember(manifest)
  await ctx.bookEvents.added(book, { book, pages })
  return book
}

function presentCreated({ id, title, description, pageCount, createdAt, updatedAt }: Book): CreatedItem {
  return {
    id,
    title,
    description,
    sourceType: 'markdown',
    status: 'READY',
    pageCount,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
