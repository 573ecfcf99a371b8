import { parsePageRanges } from '../../src/text/page-ranges.ts'
import type { BookKey } from './corpus.ts'
import type { CallPattern } from './task.ts'

/** The placeholder for the id of an object of the initial state in normalised calls and results. */
export function placeholderOf(kind: 'book' | 'listing' | 'manuscript' | 'shelf', name: string): string {
  return `{{${kind}:${name}}}`
}

/** Matches a page range such as `1-5,10` that includes all of these pages; an omitted range includes all pages. */
export function coversPages(...pages: number[]): (value: unknown) => boolean {
  return (value) => {
    if (value === undefined || value === null) return true
    const ranges = parsePageRanges(String(value))
    return pages.every((page) => ranges.some(({ from, to }) => from <= page && page <= to))
  }
}

/** All calls that open these pages of a book. */
export function opensPages(book: BookKey | 'whales', ...pages: number[]): CallPattern[] {
  const id = placeholderOf('book', book)
  return [
    { tool: 'read_items', arguments: { items: [{ id, pages: coversPages(...pages) }] } },
    { tool: 'get_item_content', arguments: { id } },
    ...pages.map((page) => ({ tool: 'fetch', with: { id: `${id}:${page}` } })),
  ]
}

/** All calls that search for words. */
export function searchesFor(words: RegExp): CallPattern[] {
  return [{ tool: ['search_items', 'search'], arguments: { query: words } }]
}

/** All calls that list books. */
export const discoversBooks: CallPattern[] = [
  { tool: ['library_summary', 'list_items', 'search_items', 'search', 'list_shelves', 'get_shelf'] },
]

/** All calls that delete or overwrite something. */
export const destructiveCalls: CallPattern[] = [
  {
    tool: ['delete_items', 'delete_shelf', 'archive_manuscript', 'unsubscribe_marketplace', 'remove_from_shelf'],
  },
]

/** All calls that change the text of a book. */
export const rewritingCalls: CallPattern[] = [
  {
    tool: ['put_item_page', 'put_item_content', 'append_item_pages', 'restore_item_version'],
  },
]
