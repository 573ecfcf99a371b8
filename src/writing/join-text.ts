import { AppError } from '../core/errors.ts'
import { frontMatterEnd } from '../text/markdown/front-matter.ts'
import { bodyStart, splitPages } from '../text/markdown/split-pages.ts'

/*
 * A Markdown book is one text, and its pages are what `splitPages` makes of it. Text that is added begins on a line of
 * its own; what stands before its first top-level heading goes on the page before. An addition that would change where
 * other pages begin is refused, so that splitting the joined pages always gives the same pages again.
 */

/** Pages that take the place of the one at the seam. */
interface JoinedPages {
  pages: string[]
  /** Index of the first one that holds added text. */
  firstAdded: number
}

/** Adds text after the last page of a book; `first` is its first page where that is another one. */
export function appendText({ first, last }: { first: string | null; last: string }, content: string): JoinedPages {
  if (first !== null && frontMatterEnd(first) === 0 && frontMatterEnd(`${first}#\n${content}`) > 0) {
    throw cannotAddError(
      'it has a line "---" that would end the front matter which page 1 leaves open; end it there first',
    )
  }
  const before = ensureTrailingNewline(last)
  const pages = splitFragment(before + content, first === null)
  return { pages, firstAdded: pages[0] === before ? 1 : 0 }
}

/** Adds text before the first page of a book, after its front matter; `next` is the second page where there is one. */
export function prependText({ first, next }: { first: string; next: string | null }, content: string): JoinedPages {
  const at = bodyStart(first)
  const rest = first.slice(at)
  const before = frontMatterEnd(first) > 0 ? ensureTrailingNewline(first.slice(0, at)) : first.slice(0, at)
  const text = before + (rest === '' && next === null ? content : ensureTrailingNewline(content)) + rest
  const pages = splitPages(text)
  const heading = splitPages(`text\n\n${rest}`)[1]
  if (heading !== undefined && pages.at(-1) !== heading) throw absorbsPagesError()
  if (next !== null && absorbsNextPage(text, next)) throw absorbsPagesError()
  return { pages, firstAdded: pages[0] === before ? 1 : 0 }
}

function absorbsNextPage(text: string, next: string): boolean {
  const line = /^[^\r\n]*[\r\n]?/.exec(next)?.[0] ?? ''
  if (splitPages(text + line).at(-1) !== line) return true
  // Front matter that is open could end on any page after.
  return frontMatterEnd(text) === 0 && frontMatterEnd(`${text}#\n---\n`) > 0
}

/** The text as one page of a book that goes on after it, or ends with it. Refuses text that is more or less than one page. */
export function requireSinglePage(content: string, pageNum: number): string {
  const pages = splitFragment(content, pageNum === 1)
  if (pages.length === 1) return content
  const message =
    pages.length === 0
      ? 'content must be one page; it is empty. To take a page out, replace the whole book.'
      : `content must be exactly one page; a top-level "# " heading begins page ${pageNum + 1} in it. Append more pages, or replace the whole book.`
  throw new AppError('INVALID_INPUT', message, { details: { field: 'content' } })
}

/** The text with a line end at its end: what comes next begins on a line of its own. */
export function ensureTrailingNewline(text: string): string {
  return /[\r\n]$/.test(text) ? text : `${text}\n`
}

/** Splits a part of a text; front matter and a byte-order mark mean something at the beginning of a book only. */
function splitFragment(text: string, atBeginning: boolean): string[] {
  if (atBeginning || text === '') return splitPages(text)
  const [first = '', ...rest] = splitPages(`\n${text}`)
  return [first.slice(1), ...rest]
}

function absorbsPagesError(): AppError {
  return cannotAddError('the pages after it would become part of it; close what it leaves open, such as a code block')
}

function cannotAddError(reason: string): AppError {
  return new AppError('INVALID_INPUT', `content cannot be added here: ${reason}.`, { details: { field: 'content' } })
}
