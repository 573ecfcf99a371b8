import { readFileSync } from 'node:fs'
import { smallBookPages } from '../support/small-books.ts'
import { almanacText } from './almanac.ts'

interface CorpusBook {
  title: string
  author: string
  description: string
}

/** The books that tasks put into libraries, by their names in tasks. */
export const corpus = {
  keeper: {
    title: "The Keeper's Handbook",
    author: 'Isla Merrow',
    description: 'Standing a watch on the lighthouse of Skerry Vane.',
  },
  tarn: {
    title: 'Operating Tarn',
    author: 'Devon Achterberg',
    description: 'The manual of a small message broker, version 3.2.',
  },
  canal: {
    title: 'The Marrowby Canal',
    author: 'Ruth Penhallow',
    description: 'Who dug, who lent and who quarrelled, 1784 to 1931.',
  },
  bees: {
    title: 'Bees on the Terraces',
    author: 'Nadia Orlandi',
    description: 'Keeping from two to thirty colonies on steep ground.',
  },
  almanac: {
    title: 'Sund Islands Harbour Almanac',
    author: 'Hydrographic Office of Sund',
    description: 'Sixty harbours with pilot notes and tide tables.',
  },
  notebook: { title: 'Workshop Notebook', author: 'Ada Lovell', description: 'Notes from the pottery.' },
  recipes: {
    title: 'Neighbourhood Recipes',
    author: 'Linden Street',
    description: 'What forty households cook.',
  },
  soap: { title: 'A Short Course in Soap', author: 'Bea Ferrant', description: 'Cold process soap from the kitchen.' },
  knots: { title: 'Knots for Small Boats', author: 'Jon Haldor', description: 'Twelve knots and what they hold.' },
} satisfies Record<string, CorpusBook>

export type BookKey = keyof typeof corpus

/** A book that is imported from a file. */
export const pdfBook = { key: 'whales', title: 'Whales and Ships', pages: smallBookPages }

/** The whole text of a book in Markdown. */
export function textOf(key: BookKey): string {
  if (key === 'almanac') return almanacText()
  return readFileSync(new URL(`corpus/${key}.md`, import.meta.url), 'utf8')
}

/** Splits a book into pages like Lectern: one for each top-level heading. */
export function pagesOf(key: BookKey): string[] {
  return textOf(key).split(/^(?=# )/m)
}
