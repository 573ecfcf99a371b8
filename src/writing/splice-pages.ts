import { maxPages } from '../books/schema.ts'
import { AppError } from '../core/errors.ts'
import { countText } from '../text/page-counts.ts'
import { markdownToc } from '../text/markdown/markdown-toc.ts'
import type { Manifest, Outline } from '../reading/manifest.ts'

/** A version that is about to be written: pages to store, and how they and stored ones make up the book. */
export interface Draft extends Pick<Manifest, 'pageCount' | 'bytes' | 'words' | 'toc'> {
  pages: string[]
  /** Runs of pages in order; without a revision those of `pages`. */
  segments: { revision: string | null; start: number; count: number }[]
}

/** Pages that take the place of others. */
interface Splice {
  /** How many pages stand before. */
  from: number
  /** The text of the pages that go. */
  old: readonly string[]
  pages: readonly string[]
}

const maxBookBytes = 20_000_000
/** What one row of the store holds (16 MiB), with room for the rest of the row. */
const maxPageBytes = 15_000_000

/**
 * Replaces pages of a version by others. What is equal is not stored again; bytes, words and outline are carried over from
 * the version, so that the cost is that of the pages named here. Refuses to let a book grow beyond 1,000 pages or 20 MB.
 */
export function splice(base: Manifest, change: Splice): Draft {
  const { from, old, pages } = change
  const places = placesOf(base)
  const fresh: string[] = []
  const inserted = pages.map((text, index): Place => {
    const same = equalPage(change, index)
    if (same !== null) return places[from + same] as Place
    return { revision: null, index: fresh.push(text) - 1 }
  })
  places.splice(from, old.length, ...inserted)
  const draft = {
    pages: fresh,
    segments: runsOf(places),
    pageCount: places.length,
    bytes: base.bytes + sum(pages, Buffer.byteLength) - sum(old, Buffer.byteLength),
    words: Math.max(0, base.words + sum(pages, wordsOf) - sum(old, wordsOf)),
    toc: spliceToc(base.toc, change),
  }
  checkSize(base, draft)
  fresh.forEach(checkPage)
  return draft
}

interface Place {
  revision: string | null
  index: number
}

function placesOf({ segments }: Manifest): Place[] {
  return segments.flatMap(({ revision, start, count }) =>
    Array.from({ length: count }, (_, offset) => ({ revision, index: start + offset })),
  )
}

function runsOf(places: readonly Place[]): Draft['segments'] {
  const runs: Draft['segments'] = []
  for (const { revision, index } of places) {
    const last = runs.at(-1)
    if (last && last.revision === revision && last.start + last.count === index) last.count++
    else runs.push({ revision, start: index, count: 1 })
  }
  return runs
}

/** Which of the old pages has the text of a new one: the one at its place, counted from the beginning or from the end. */
function equalPage({ old, pages }: Splice, index: number): number | null {
  const fromEnd = index + old.length - pages.length
  return [index, fromEnd].find((at) => old[at] === pages[index]) ?? null
}

function spliceToc(toc: readonly Outline[], { from, old, pages }: Splice): Outline[] {
  // Where the book does not begin an empty page goes ahead: front matter stands at the beginning only.
  const found = from === 0 ? markdownToc(pages) : markdownToc(['', ...pages])
  const shift = from === 0 ? 0 : from - 1
  return [
    ...toc.filter(({ page }) => page <= from),
    ...found.map((entry) => ({ ...entry, page: entry.page + shift })),
    ...toc
      .filter(({ page }) => page > from + old.length)
      .map((entry) => ({ ...entry, page: entry.page + pages.length - old.length })),
  ]
}

function checkSize(base: Manifest, { pageCount, bytes }: Draft): void {
  if (pageCount > maxPages && pageCount > base.pageCount) {
    throw tooMuch(`The book would have ${pageCount} pages; a book may have ${maxPages}. Go on in a new one.`)
  }
  if (bytes > maxBookBytes && bytes > base.bytes) {
    throw tooMuch(`The book would have ${bytes} bytes; a book may have ${maxBookBytes}. Go on in a new one.`)
  }
}

function checkPage(text: string): void {
  if (text.length * 3 <= maxPageBytes || Buffer.byteLength(text) <= maxPageBytes) return
  const message = `A page would have ${Buffer.byteLength(text)} bytes; a page may have ${maxPageBytes}.`
  throw tooMuch(`${message} Begin a new one with a top-level "# " heading.`)
}

function tooMuch(message: string): AppError {
  return new AppError('INVALID_INPUT', message, { details: { field: 'content' } })
}

function wordsOf(text: string): number {
  return countText(text).words
}

function sum(texts: readonly string[], measure: (text: string) => number): number {
  return texts.reduce((total, text) => total + measure(text), 0)
}
