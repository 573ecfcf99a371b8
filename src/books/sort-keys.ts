import { titleSortKey } from '../text/words/sort-key.ts'
import type { Book } from './book.ts'

/** The sort keys of a book, compared by their UTF-8 bytes. */
export type SortKeys = Required<Pick<Book, 'titleKey' | 'authorKey'>>

/** The key of a book without an author, which sorts after every name. */
const noAuthor = '\u{10ffff}'
const digits = 6

/** The sort keys of a book. Title keys are unique, because they end with the id. */
export function sortKeysOf({ id, title, author }: Pick<Book, 'id' | 'title' | 'author'>): SortKeys {
  return { titleKey: titleKeyOf(id, title), authorKey: authorKeyOf(author) }
}

/** The sort keys that change with a title or author. */
export function changedSortKeys(id: string, { title, author }: Partial<Pick<Book, 'title' | 'author'>>) {
  return {
    ...(title === undefined ? {} : { titleKey: titleKeyOf(id, title) }),
    ...(author === undefined ? {} : { authorKey: authorKeyOf(author) }),
  }
}

/** Normalizes a title or a name for comparison: no case, accents and punctuation. */
export function plainWords(text: string): string {
  return titleSortKey(text)
}

function titleKeyOf(id: string, title: string): string {
  // Normalized titles contain no tab, and a tab sorts before every other character in them.
  return `${numbered(plainWords(title))}\t${id}`
}

function authorKeyOf(author: string | null): string {
  return numbered(plainWords(author ?? '')) || noAuthor
}

/** Pads numbers, so that "Volume 2" sorts before "Volume 10". */
function numbered(words: string): string {
  return words.replaceAll(/\d{1,6}/g, (number) => number.padStart(digits, '0'))
}
