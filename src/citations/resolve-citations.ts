import type { AccessibleBook } from '../books/access.ts'
import { unfinishedFields } from '../books/unfinished.ts'
import type { OpenedBooks } from '../reading/open-books.ts'
import { previewMessage } from '../reading/preview-only-error.ts'
import {
  lastReadablePageOf,
  findReadableVersion,
  versionNotFoundMessage,
  versionRemovedMessage,
} from '../reading/find-readable-version.ts'
import { pageRefs, type PageRef } from '../reading/store.ts'
import { type Manifest } from '../reading/manifest.ts'
import { prepareQuote, type PreparedQuote } from './find-quote.ts'
import type { Citation, Problem } from './schema.ts'
import type { ContentStores } from '../reading/store.ts'
import type { PublicAddress } from '../core/context.ts'
import { counted } from '../text/counted.ts'

/** A citation with the page that it cites. */
export interface ResolvedCitation {
  citation: Citation
  quote: PreparedQuote
  book: AccessibleBook
  /** Manifest of the cited version. */
  manifest: Manifest
  ref: PageRef
  /** The same page number in the current version, whose text may differ; null if that version has fewer pages. */
  currentRef: PageRef | null
  /** The last page of the version that the caller may read. */
  lastPage: number
}

/** A citation that cannot be checked. */
export interface UnresolvedCitation {
  citation: Citation
  book: AccessibleBook | null
  problem: Problem
}

/** Finds the cited pages, in the order of the citations. It reads no text and looks up each book version once. */
export async function resolveCitations(
  ctx: ContentStores & PublicAddress,
  { open, locked }: OpenedBooks,
  citations: readonly Citation[],
): Promise<(ResolvedCitation | UnresolvedCitation)[]> {
  const books = new Map(open.map((book) => [book.id, book]))
  const manifests = new Map<string, ReturnType<typeof findReadableVersion>>()
  const loadVersion = (book: AccessibleBook, version: number) => {
    const key = `${book.id}:${version}`
    const manifest = manifests.get(key) ?? findReadableVersion(ctx, book, version)
    manifests.set(key, manifest)
    return manifest
  }
  const resolve = async (citation: Citation): Promise<ResolvedCitation | UnresolvedCitation> => {
    const book = books.get(citation.itemId)
    if (!book) return { citation, book: null, problem: bookProblem(citation.itemId, locked) }
    const version = citation.version ?? book.version
    const [manifest, current] = await Promise.all([loadVersion(book, version), loadVersion(book, book.version)])
    if (manifest === 'removed') return { citation, book, problem: versionRemoved }
    if (!manifest) return { citation, book, problem: await versionProblem(ctx, book) }
    const problem = pageProblem(ctx, book, { citation, manifest })
    if (problem) return { citation, book, problem }
    const lastPage = lastReadablePageOf(book, manifest)
    const currentRef = current && current !== 'removed' ? findPageRef(current, citation.page) : null
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
  return { code: 'BOOK_NOT_FOUND', message: 'Book not found: no book in your library has this id.' }
}

const versionRemoved: Problem = { code: 'VERSION_REMOVED', message: versionRemovedMessage }

async function versionProblem(ctx: ContentStores & PublicAddress, book: AccessibleBook): Promise<Problem> {
  if (book.version < 1)
    return { code: 'VERSION_NOT_FOUND', message: unfinishedFields(book).unfinished ?? 'This book has no text yet.' }
  if (book.access.previewPages !== null) return { code: 'PREVIEW_ONLY', message: previewMessage(ctx, book) }
  return { code: 'VERSION_NOT_FOUND', message: await versionNotFoundMessage(ctx, book) }
}

interface CitedVersion {
  citation: Citation
  manifest: Manifest
}

function pageProblem(ctx: PublicAddress, book: AccessibleBook, { citation, manifest }: CitedVersion): Problem | null {
  const { pageCount, version } = manifest
  if (citation.page > pageCount) {
    const has =
      unfinishedFields(book).unfinished ?? `Version ${version} of this book has ${counted(pageCount, 'page')}.`
    return { code: 'PAGE_NOT_FOUND', message: `Page not found. ${has}` }
  }
  if (citation.page <= lastReadablePageOf(book, manifest)) return null
  return { code: 'PREVIEW_ONLY', message: previewMessage(ctx, book) }
}
