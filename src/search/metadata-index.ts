import { createHash } from 'node:crypto'
import type { Book } from '../books/book.ts'
import type { Outline } from '../reading/manifest.ts'
import { addText, newPageIndex, sealedEntries } from './page-index.ts'
import { packIntegers } from './varint.ts'

/** The pseudo-pages of what is said about a book; the entries of its outline follow. */
export const aboutPages = { title: 0, author: 1, description: 2, outline: 3 } as const

const mostEntries = 10_000

export interface About {
  title: string
  author: string
  description: string
  outline: readonly Outline[]
}

/** What is said about a book, in NFC. */
export function aboutOf({ title, author, description }: Book, toc: readonly Outline[]): About {
  return {
    title: title.normalize('NFC'),
    author: (author ?? '').normalize('NFC'),
    description: (description ?? '').normalize('NFC'),
    outline: toc.slice(0, mostEntries),
  }
}

/** Equal for books about which the same is said. */
export function digestOf(about: About): string {
  return createHash('sha256').update(JSON.stringify(about)).digest('base64url').slice(0, 22)
}

/** The index of what is said about a book. */
export function indexAbout({ title, author, description, outline }: About) {
  const index = newPageIndex()
  for (const text of [title, author, description]) addText(index, text)
  for (const entry of outline) addText(index, entry.title.normalize('NFC'))
  return {
    entries: sealedEntries(index),
    lengths: packIntegers(index.lengths),
    targets: packIntegers(outline.map(({ page }) => page)),
  }
}
