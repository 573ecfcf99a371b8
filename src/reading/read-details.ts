import type { AccessibleBook, BookAccessStores } from '../books/access.ts'
import { findWritableBook } from '../books/find-book.ts'
import type { PublicationStores } from '../books/publication.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import { loadToc } from './load-toc.ts'
import type { Manifest, OutlineEntry } from './manifest.ts'
import { pageRefs, type ContentStores } from './store.ts'
import { markdownToc } from '../text/markdown/markdown-toc.ts'
import type { Book } from '../books/book.ts'

/** The editable metadata of a book. */
export interface BookDetails {
  book: AccessibleBook
  toc: readonly OutlineEntry[]
  /** The heading of level 1 with which the text begins; null if there is none, or if somebody has confirmed the title. */
  openingHeading: string | null
}

/**
 * The metadata of a book that the caller may change. Refuses like `findWritableBook`. Charges nothing, because the only
 * text that it returns is a heading.
 */
export async function readDetails(
  ctx: Call & BookAccessStores & PublicationStores & PublicAddress & ContentStores,
  { id }: { id: string },
): Promise<BookDetails> {
  const book = await findWritableBook(ctx, id)
  const manifest = await ctx.contents.getManifest(id, book.version)
  if (!manifest) return { book, toc: [], openingHeading: null }
  const [toc, openingHeading] = await Promise.all([loadToc(ctx, book, manifest), findOpening(ctx, book, manifest)])
  return { book, toc, openingHeading }
}

async function findOpening(
  ctx: ContentStores,
  { metadataConfirmedAt, enrichedAt }: Book,
  manifest: Manifest,
): Promise<string | null> {
  if (metadataConfirmedAt !== null || enrichedAt !== null) return null
  const [page] = await ctx.contents.passPages([...pageRefs(manifest, 1, 1)])
  const [heading] = markdownToc([page?.content ?? ''])
  return heading?.level === 1 ? heading.title : null
}
