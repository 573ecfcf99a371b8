import { createHash } from 'node:crypto'
import type { Book } from '../../books/book.ts'
import type { Language } from '../../text/words/languages.ts'
import type { OutlineEntry } from '../../reading/manifest.ts'
import { listWords } from './book-words.ts'
import { addText, createPageIndex, finishIndex } from '../words/page-index.ts'
import { packIntegers } from '../words/varint.ts'

/** The pseudo-page numbers of a book's metadata. Outline entries follow from `outline` on. */
export const metadataPages = { title: 0, author: 1, description: 2, outline: 3 } as const

const maxOutlineEntries = 10_000

export interface BookMetadata {
  title: string
  author: string
  description: string
  outline: readonly OutlineEntry[]
  /** The language of the book's text. */
  language: Language
}

/** Returns the metadata of a book, in NFC. */
export function metadataOf(
  { title, author, description }: Book,
  toc: readonly OutlineEntry[],
  language: Language,
): BookMetadata {
  return {
    language,
    title: title.normalize('NFC'),
    author: (author ?? '').normalize('NFC'),
    description: (description ?? '').normalize('NFC'),
    outline: toc.slice(0, maxOutlineEntries),
  }
}

/** Returns a digest that is equal for books with equal metadata. */
export function metadataDigest(metadata: BookMetadata): string {
  return createHash('sha256').update(JSON.stringify(metadata)).digest('base64url').slice(0, 22)
}

/** Builds the metadata index of a book, in steps. */
export function* indexMetadata({ title, author, description, outline, language }: BookMetadata) {
  const index = createPageIndex()
  for (const text of [title, author, description]) yield* addText(index, { text, language })
  for (const entry of outline) {
    yield* addText(index, { text: entry.title.normalize('NFC'), language })
    yield
  }
  return {
    entries: yield* finishIndex(index),
    words: listWords(index.words),
    lengths: packIntegers(index.lengths),
    targets: packIntegers(outline.map(({ page }) => page)),
  }
}
