import { addedAt, type AccessibleBook } from '../books/access.ts'
import type { BookLocks } from '../books/book-locks.ts'
import { coverPath } from '../books/cover.ts'
import { readFacts } from '../books/facts.ts'
import { contentTypesOf, formatOfBook } from '../books/file-formats.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import { hasFileOfText } from '../reading/get-item-file.ts'
import type { ContentStores } from '../reading/store.ts'
import { loadShelfMemberships } from '../shelves/load-shelf-memberships.ts'
import { nameKey } from '../shelves/require-unique-name.ts'
import type { PlacementStores } from '../shelves/placement-store.ts'
import type { ShelfStores } from '../shelves/store.ts'
import { acquisitionRel, sampleRel, type Link, type Publication } from './feed.ts'

type Services = Call & ContentStores & ShelfStores & PlacementStores & PublicAddress

/**
 * Books as entries of a catalogue, each with what the caller may download: the original file and an EPUB of its text;
 * for a preview, its page. Leaves out books that cannot be opened, because they are not ready or locked.
 */
export async function loadPublications(
  ctx: Services,
  books: readonly AccessibleBook[],
  isLocked: BookLocks['isLocked'],
): Promise<Publication[]> {
  const shown = books.filter((book) => book.status === 'READY' && book.version > 0 && !isLocked(book))
  const shelvesOf = await loadShelfMemberships(
    ctx,
    shown.map(({ id }) => id),
  )
  return Promise.all(
    shown.map(async (book) => ({
      ...describe(
        book,
        shelvesOf(book.id).map(({ name }) => name),
      ),
      id: `urn:lectern:${book.id}`,
      title: book.title.trim() === '' ? 'Untitled' : book.title,
      author: filled(book.author),
      publisher: filled(book.publisher),
      isbn: filled(book.isbn),
      pages: book.pageCount,
      published: addedAt(book),
      updated: book.updatedAt,
      cover: coverPath(book) === null ? null : `${addressOf(ctx, book)}/cover`,
      links: await linksOf(ctx, book),
    })),
  )
}

/** Splits the facts at the end of a description into separate fields. */
function describe({ description, language }: AccessibleBook, shelves: readonly string[]) {
  const { text, facts } = readFacts(description ?? '')
  const { series, tags, languages, published, identifiers } = facts
  const known = series ? [...tags, series.name] : tags
  const others = shelves.filter((name) => !known.some((fact) => isShelfOf(fact, name)))
  return {
    summary: filled(text),
    categories: [...tags, ...others],
    series,
    languages: languages.length > 0 ? languages : [filled(language)].filter((tag) => tag !== null),
    issued: published,
    identifiers,
  }
}

/** True for a shelf that an import has created for a tag or series; long names are truncated. */
function isShelfOf(fact: string, shelf: string): boolean {
  const [factKey, shelfKey] = [fact, shelf].map((name) => nameKey(name.replaceAll(/,\s+/g, ','))) as [string, string]
  return shelfKey === factKey || (shelfKey.endsWith('…') && factKey.startsWith(shelfKey.slice(0, -1)))
}

const filled = (text: string | null) => (text === null || text.trim() === '' ? null : text)

const addressOf = ({ baseUrl }: PublicAddress, { id }: AccessibleBook) =>
  `${baseUrl}/opds/books/${encodeURIComponent(id)}`

const epubType = 'application/epub+zip'

async function linksOf(ctx: Services, book: AccessibleBook): Promise<Link[]> {
  const page: Link = {
    rel: 'alternate',
    href: `${ctx.baseUrl}/books/${encodeURIComponent(book.id)}`,
    type: 'text/html',
  }
  if (book.access.previewPages !== null) return [{ ...page, rel: sampleRel }, page]
  const address = addressOf(ctx, book)
  const type = contentTypesOf(formatOfBook(book))[0] as string
  const exported: Link = { rel: acquisitionRel, href: `${address}/epub`, type: epubType, title: 'EPUB' }
  if (!book.original || !(await hasFileOfText(ctx, book))) return [exported, page]
  const original: Link = {
    rel: acquisitionRel,
    href: `${address}/file`,
    type,
    title: 'Original',
    length: book.original.bytes,
  }
  return type === epubType ? [original, page] : [original, exported, page]
}
