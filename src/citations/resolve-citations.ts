import type { AccessibleBook } from '../books/access.ts'
import type { OpenedBooks } from '../reading/open-books.ts'
import { previewMessage } from '../reading/preview-only-error.ts'
import { lastReadablePageOf, findReadableVersion } from '../reading/find-readable-version.ts'
import { pageRefs, type PageRef } from '../reading/store.ts'
import { type Manifest } from '../reading/manifest.ts'
import { prepareQuote, type PreparedQuote } from './find-quote.ts'
import type { Citation, Problem } from './schema.ts'
import type { ContentStores } from '../reading/store.ts'
import type { PublicAddress } from '../core/context.ts'

/** A citation with the page that it names. */
export interface ResolvedCitation {
  citation: Citation
  quote: PreparedQuote
  book: AccessibleBook
  /** Of the version that is looked at. */
  manifest: Manifest
  ref: PageRef
  /** The same page number in the current version, where something else may stand now; null: nothing does. */
  currentRef: PageRef | null
  /** The last page of the version that the caller may read. */
  lastPage: number
}

/** A citation that names nothing that could be looked at. */
export interface UnresolvedCitation {
  citation: Citation
  book: AccessibleBook | null
  problem: Problem
}

/** Finds the pages that citations name, in their order; reads no text. Each version of a book is looked up once. */
export async function resolveCitations(
  ctx: ContentStores & PublicAddress,
  { open, locked }: OpenedBooks,
  citations: readonly Citation[],
): Promise<(ResolvedCitation | UnresolvedCitation)[]> {
  const books = new Map(open.map((book) => [book.id, book]))
  const manifests = new Map<string, Promise<Manifest | null>>()
  const loadVersion = (book: AccessibleBook, version: number) => {
    const key = `${book.id}:${version}`
    const known = manifests.get(key) ?? findReadableVersion(ctx, book, version)
    manifests.set(key, known)
    return known
  }
  const resolve = async (citation: Citation): Promise<ResolvedCitation | UnresolvedCitation> => {
    const book = books.get(citation.itemId)
    if (!book) return { citation, book: null, problem: bookProblem(citation.itemId, locked) }
    const version = citation.version ?? book.version
    const [manifest, current] = await Promise.all([loadVersion(book, version), loadVersion(book, book.version)])
    if (!manifest) return { citation, book, problem: versionProblem(ctx, book) }
    const problem = pageProblem(ctx, book, { citation, manifest })
    if (problem) return { citation, book, problem }
    const lastPage = lastReadablePageOf(book, manifest)
    const currentRef = current && findPageRef(current, citation.page)
    const ref = findPageRef(manifest, citation.page) as PageRef
    return { citation, quote: prepareQuote(citation.quote), book, manifest, ref, currentRef, lastPage }
  }
  return Promise.all(citations.map(resolve))
}

function findPageRef(manifest: Manifest, pageNum: number): PageRef | null {
  const [ref] = pageRefs(manifest, pageNum, pageNum)
  return ref ?? null
}

function bookProblem(id: string, locked: OpenedBooks['locked']): Problem {
  const entry = locked.find((book) => book.id === id)
  if (entry) return { code: 'BOOK_LOCKED', message: entry.error }
  return { code: 'BOOK_NOT_FOUND', message: 'There is no book with this id in your library.' }
}

function versionProblem(ctx: PublicAddress, book: AccessibleBook): Problem {
  if (book.version < 1) return { code: 'VERSION_NOT_FOUND', message: 'This book has no text yet.' }
  if (book.access.previewPages !== null) return { code: 'PREVIEW_ONLY', message: previewMessage(ctx, book) }
  return { code: 'VERSION_NOT_FOUND', message: `The versions of this book are 1 to ${book.version}.` }
}

interface CitedVersion {
  citation: Citation
  manifest: Manifest
}

function pageProblem(ctx: PublicAddress, book: AccessibleBook, { citation, manifest }: CitedVersion): Problem | null {
  const { pageCount, version } = manifest
  if (citation.page > pageCount) {
    return { code: 'PAGE_NOT_FOUND', message: `Version ${version} of this book has ${pageCount} pages.` }
  }
  if (citation.page <= lastReadablePageOf(book, manifest)) return null
  return { code: 'PREVIEW_ONLY', message: previewMessage(ctx, book) }
}
