import type { RealBook } from './search-ranking.ts'

export interface JudgedQuery {
  query: string
  kind: string
  /** The relevant books, with their relevant pages. */
  relevant: Map<string, number[]>
}

const queriesPerKind = 90
const functionWords = new Set(
  'a an and are as at be by for from how in is it of on or that the this to was what with'.split(' '),
)

/**
 * Generates queries whose answers are known without a search engine: chapter titles, unchanged, shortened and reordered
 * (answers: books with that chapter, on its page), and words of a sentence (answers: books with that sentence, on its
 * pages).
 */
export function makeQueries(books: readonly RealBook[]): JudgedQuery[] {
  const random = randomFrom(20_261_120)
  const chapters = sampleEvenly(chapterQueries(books), queriesPerKind, random)
  return [
    ...chapters,
    ...chapters.map((judged) => ({ ...judged, kind: 'words left out', query: dropWords(judged.query, random) })),
    ...chapters.map((judged) => ({
      ...judged,
      kind: 'turned round',
      query: contentWords(judged.query).reverse().join(' '),
    })),
    ...sampleEvenly(sentenceQueries(books, random), queriesPerKind, random),
  ]
}

function chapterQueries(books: readonly RealBook[]): JudgedQuery[] {
  const pagesByTitle = new Map<string, Map<string, number[]>>()
  const titleByKey = new Map<string, string>()
  for (const { id, toc } of books) {
    for (const { title, page } of toc) {
      const clean = title.replace(/^[\s\dA-Z]{0,2}[\d.]*\s+(?=\S)/, '').trim()
      const name = clean.toLowerCase()
      if (contentWords(clean).length < 2 || contentWords(clean).length > 8) continue
      titleByKey.set(name, clean)
      const known = pagesByTitle.get(name) ?? new Map<string, number[]>()
      known.set(id, [...(known.get(id) ?? []), page])
      pagesByTitle.set(name, known)
    }
  }
  return [...pagesByTitle]
    .filter(([, relevant]) => relevant.size <= 6)
    .map(([name, relevant]) => ({ query: titleByKey.get(name) as string, kind: 'chapter title', relevant }))
}

function sentenceQueries(books: readonly RealBook[], random: () => number): JudgedQuery[] {
  const flattened = books.map(({ id, pages }) => ({ id, pages: pages.map((page) => page.replaceAll(/\s+/g, ' ')) }))
  return flattened.flatMap(({ pages }) =>
    Array.from({ length: 6 }, () => pages[Math.floor(random() * pages.length)] ?? '').flatMap((page) => {
      const sentences = page.match(/(?<=[.!?] )[A-Z][\p{L} ,'-]{50,140}[.!?](?= )/gu) ?? []
      const sentence = sentences[Math.floor(random() * sentences.length)]
      if (sentence === undefined) return []
      const words = contentWords(sentence).filter((word) => word.length > 3)
      if (words.length < 5) return []
      const query = words
        .filter((_, at) => at % 2 === 0)
        .slice(0, 5)
        .join(' ')
      const relevant = new Map<string, number[]>()
      for (const book of flattened) {
        const on = book.pages.flatMap((text, at) => (text.includes(sentence) ? [at + 1] : []))
        if (on.length > 0) relevant.set(book.id, on)
      }
      return [{ query, kind: 'words of a sentence', relevant }]
    }),
  )
}

function contentWords(text: string): string[] {
  return (text.match(/[\p{L}\p{N}\p{M}_'-]+/gu) ?? []).filter((word) => !functionWords.has(word.toLowerCase()))
}

/** Removes one word, and a second one from a long title; keeps at least one. */
function dropWords(text: string, random: () => number): string {
  const words = contentWords(text)
  for (let left = words.length > 4 ? 2 : 1; left > 0 && words.length > 1; left--) {
    words.splice(Math.floor(random() * words.length), 1)
  }
  return words.join(' ')
}

/** A sample that is spread evenly over a list. */
function sampleEvenly<T>(all: readonly T[], count: number, random: () => number): T[] {
  const mixed = all.map((one) => ({ one, key: random() })).sort((a, b) => a.key - b.key)
  return mixed.slice(0, count).map(({ one }) => one)
}

/** A deterministic random number generator for numbers between 0 and 1. */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
