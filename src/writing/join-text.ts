import { AppError } from '../core/errors.ts'
import { frontMatterEnd } from '../text/markdown/front-matter.ts'
import { bodyStart, splitPages } from '../text/markdown/split-pages.ts'

/*
 * A Markdown book is one text, and `splitPages` defines its pages. Added text begins on a new line; text before its
 * first top-level heading joins the preceding page. Additions that would move the start of other pages are refused, so
 * that splitting the joined pages always yields the same pages.
 */

/** The pages that replace the page at the joint. */
interface JoinedPages {
  pages: string[]
  /** Index of the first page with added text. */
  firstAdded: number
}

/**
 * Adds text after the last page of a book; `first` is its first page if that is a different one. Refuses with
 * INVALID_INPUT a text that would close front matter that page 1 leaves open.
 */
export function appendText({ first, last }: { first: string | null; last: string }, content: string): JoinedPages {
  if (first !== null && frontMatterEnd(first) === 0 && frontMatterEnd(`${first}#\n${content}`) > 0) {
    throw cannotAddError(
      'its line "---" would close the front matter that page 1 leaves open. Close the front matter on page 1 first',
    )
  }
  const before = ensureTrailingNewline(last)
  const pages = splitFragment(before + content, first === null)
  return { pages, firstAdded: pages[0] === before ? 1 : 0 }
}

/**
 * Adds text before the first page of a book, after its front matter; `next` is the second page, if any. Refuses with
 * INVALID_INPUT if following pages would become part of the added text.
 */
export function prependText({ first, next }: { first: string; next: string | null }, content: string): JoinedPages {
  const at = bodyStart(first)
  const rest = first.slice(at)
  const before = frontMatterEnd(first) > 0 ? ensureTrailingNewline(first.slice(0, at)) : first.slice(0, at)
  const text = before + (rest === '' && next === null ? content : ensureTrailingNewline(content)) + rest
  const pages = splitPages(text)
  const heading = splitPages(`text\n\n${rest}`)[1]
  if (heading !== undefined && pages.at(-1) !== heading) throw absorbsPagesError()
  // A page that replaced another one may have no heading; then any heading shows whether the text leaves something open.
  const following = next !== null && absorbsNextPage(first, next) ? anyHeading : next
  if (following !== null && absorbsNextPage(text, following)) throw absorbsPagesError()
  return { pages, firstAdded: pages[0] === before ? 1 : 0 }
}

const anyHeading = '# A\n'

function absorbsNextPage(text: string, next: string): boolean {
  const line = /^[^\r\n]*[\r\n]?/.exec(next)?.[0] ?? ''
  if (splitPages(text + line).at(-1) !== line) return true
  // Any later page could close open front matter.
  return frontMatterEnd(text) === 0 && frontMatterEnd(`${text}#\n---\n`) > 0
}

/** Returns the content of one page. Refuses empty text and text of several pages with INVALID_INPUT. */
export function requireSinglePage(content: string, pageNum: number): string {
  const pages = splitFragment(content, pageNum === 1)
  if (pages.length === 1) return content
  const message =
    pages.length === 0
      ? 'content must be one page; it is empty. To remove a page, replace the whole book.'
      : `content must be exactly one page; a top-level "# " heading begins page ${pageNum + 1} in it. Append more pages, or replace the whole book.`
  throw new AppError('INVALID_INPUT', message, { details: { field: 'content' } })
}

/** Adds a missing line end, so that the next text begins on a new line. */
export function ensureTrailingNewline(text: string): string {
  return /[\r\n]$/.test(text) ? text : `${text}\n`
}

/** Splits a part of a text. Front matter and a byte-order mark are only recognised at the start of a book. */
function splitFragment(text: string, isAtStart: boolean): string[] {
  if (isAtStart || text === '') return splitPages(text)
  const [first = '', ...rest] = splitPages(`\n${text}`)
  return [first.slice(1), ...rest]
}

function absorbsPagesError(): AppError {
  return cannotAddError('the following pages would become part of it. Close what it leaves open, such as a code block')
}

function cannotAddError(reason: string): AppError {
  return new AppError('INVALID_INPUT', `content cannot be added here: ${reason}.`, { details: { field: 'content' } })
}
