import { titleSortKey } from '../text/words/sort-key.ts'
import type { Book } from './book.ts'

/** The sort keys of a book, as the store orders them: by bytes of UTF-8. */
export type SortKeys = Required<Pick<Book, 'titleKey' | 'authorKey'>>

/** Behind every name: the key of a book without an author. */
const noAuthor = '\u{10ffff}'
const digits = 6

/** The sort keys of a book. No two books have the same title key, because its id ends it. */
export function sortKeysOf({ id, title, author }: Pick<Book, 'id' | 'title' | 'author'>): SortKeys {
  return { titleKey: titleKeyOf(id, title), authorKey: authorKeyOf(author) }
}

/** The sort keys that a change of title or author changes. */
export function changedSortKeys(id: string, { title, author }: Partial<Pick<Book, 'title' | 'author'>>) {
  return {
    ...(title === undefined ? {} : { titleKey: titleKeyOf(id, title) }),
    ...(author === undefined ? {} : { authorKey: authorKeyOf(author) }),
  }
}

/** A title or a name without case, accents and punctuation, for comparing. */
export function plainWords(text: string): string {
  return titleSortKey(text)
}

function titleKeyOf(id: string, title: string): string {
  // A tab is in no folded title, and before every character that is.
  return `${numbered(plainWords(title))}\t${id}`
}

function authorKeyOf(author: string | null): string {
  return numbered(plainWords(author ?? '')) || noAuthor
}

/** "Volume 2" comes before "Volume 10". */
function numbered(words: string): string {
  return words.replaceAll(/\d{1,6}/g, (number) => number.padStart(digits, '0'))
}
