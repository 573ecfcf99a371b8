import { maxPages } from '../books/schema.ts'
import { AppError } from '../core/errors.ts'
import { countText } from '../text/page-counts.ts'
import { markdownToc } from '../text/markdown/markdown-toc.ts'
import type { Manifest, OutlineEntry } from '../reading/manifest.ts'

/** A version to write: new pages to store, and the runs of new and stored pages that form the book. */
export interface VersionDraft extends Pick<Manifest, 'pageCount' | 'bytes' | 'words' | 'toc' | 'figures'> {
  pages: string[]
  /** Runs of pages in order; `revision: null` refers to `pages`. */
  runs: { revision: string | null; start: number; count: number }[]
}

/** Pages that replace others. */
interface PageSplice {
  /** Number of pages before the replaced ones. */
  from: number
  /** The text of the replaced pages. */
  old: readonly string[]
  pages: readonly string[]
}

const maxBookBytes = 20_000_000
/** Maximum size of a page: a row of the store (16 MiB) minus room for its other fields. */
const maxPageBytes = 15_000_000

/**
 * Replaces pages of a version. Equal pages are not stored again. Derives bytes, words and outline from the version, so
 * that the cost depends only on the given pages. Refuses growth beyond 1,000 pages or 20 MB, and a page over 15 MB,
 * with INVALID_INPUT.
 */
export function splicePages(base: Manifest, change: PageSplice): VersionDraft {
  const { from, old, pages } = change
  const positions = pagePositions(base)
  const newPages: string[] = []
  const inserted = pages.map((text, index): PagePosition => {
    const equalPage = findEqualPage(change, index)
    if (equalPage !== null) return positions[from + equalPage] as PagePosition
    return { revision: null, index: newPages.push(text) - 1 }
  })
  positions.splice(from, old.length, ...inserted)
  const draft = {
    ...(base.figures ? { figures: base.figures } : {}),
    pages: newPages,
    runs: toRuns(positions),
    pageCount: positions.length,
    bytes: base.bytes + sum(pages, Buffer.byteLength) - sum(old, Buffer.byteLength),
    words: Math.max(0, base.words + sum(pages, countWords) - sum(old, countWords)),
    toc: spliceToc(base.toc, change),
  }
  checkSize(base, draft)
  newPages.forEach(checkPageSize)
  return draft
}

interface PagePosition {
  revision: string | null
  index: number
}

function pagePositions({ runs }: Manifest): PagePosition[] {
  return runs.flatMap(({ revision, start, count }) =>
    Array.from({ length: count }, (_, offset) => ({ revision, index: start + offset })),
  )
}

function toRuns(positions: readonly PagePosition[]): VersionDraft['runs'] {
  const runs: VersionDraft['runs'] = []
  for (const { revision, index } of positions) {
    const last = runs.at(-1)
    if (last && last.revision === revision && last.start + last.count === index) last.count++
    else runs.push({ revision, start: index, count: 1 })
  }
  return runs
}

/**
 * Index of the old page with the same text as a new one, at the same position from the start or from the end; otherwise
 * null.
 */
function findEqualPage({ old, pages }: PageSplice, index: number): number | null {
  const fromEnd = index + old.length - pages.length
  return [index, fromEnd].find((at) => old[at] === pages[index]) ?? null
}

function spliceToc(toc: readonly OutlineEntry[], { from, old, pages }: PageSplice): OutlineEntry[] {
  // Elsewhere than at the start of the book, an empty page is prepended, because only the start may have front matter.
  const inserted = from === 0 ? markdownToc(pages) : markdownToc(['', ...pages])
  const shift = from === 0 ? 0 : from - 1
  return [
    ...toc.filter(({ page }) => page <= from),
    ...inserted.map((entry) => ({ ...entry, page: entry.page + shift })),
    ...toc
      .filter(({ page }) => page > from + old.length)
      .map((entry) => ({ ...entry, page: entry.page + pages.length - old.length })),
  ]
}

function checkSize(base: Manifest, { pageCount, bytes }: VersionDraft): void {
  if (pageCount > maxPages && pageCount > base.pageCount) {
    throw sizeLimitError(`The book would have ${pageCount} pages; a book may have ${maxPages}. Continue in a new book.`)
  }
  if (bytes > maxBookBytes && bytes > base.bytes) {
    throw sizeLimitError(`The book would have ${bytes} bytes; a book may have ${maxBookBytes}. Continue in a new book.`)
  }
}

function checkPageSize(text: string): void {
  if (text.length * 3 <= maxPageBytes || Buffer.byteLength(text) <= maxPageBytes) return
  const message = `A page would have ${Buffer.byteLength(text)} bytes; a page may have ${maxPageBytes}.`
  throw sizeLimitError(`${message} Start a new page with a top-level "# " heading.`)
}

function sizeLimitError(message: string): AppError {
  return new AppError('INVALID_INPUT', message, { details: { field: 'content' } })
}

function countWords(text: string): number {
  return countText(text).words
}

function sum(texts: readonly string[], measure: (text: string) => number): number {
  return texts.reduce((total, text) => total + measure(text), 0)
}
