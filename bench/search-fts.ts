import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { RealBook } from './search-ranking.ts'

/** A book with its best matching pages. */
export interface RankedBook {
  id: string
  pages: number[]
}

/**
 * Creates an FTS5 index (porter unicode61) of the pages of some books. Books are ranked by their best page, by their
 * best three, or with pages that contain all words first.
 */
export function createFts(file: string, books: readonly RealBook[]) {
  const started = performance.now()
  const db = new DatabaseSync(file)
  db.exec(`CREATE VIRTUAL TABLE pages USING fts5(content, content='', tokenize='porter unicode61')`)
  const pageRefs: [id: string, page: number][] = []
  const insert = db.prepare('INSERT INTO pages (rowid, content) VALUES (?, ?)')
  db.exec('BEGIN')
  for (const { id, pages } of books) {
    for (const [at, content] of pages.entries()) insert.run(pageRefs.push([id, at + 1]), content)
  }
  db.exec('COMMIT')
  const ms = performance.now() - started
  const select = db.prepare('SELECT rowid, rank FROM pages WHERE pages MATCH ? ORDER BY rank LIMIT 1000')
  const rank = (match: string, ranking: 'best-page' | 'best-three'): RankedBook[] => {
    const found = new Map<string, { score: number; pages: number[] }>()
    for (const row of select.all(match) as { rowid: number; rank: number }[]) {
      const [id, page] = pageRefs[row.rowid - 1] as [string, number]
      const book = found.get(id) ?? { score: 0, pages: [] }
      found.set(id, book)
      if (book.pages.length === 3 || (ranking === 'best-page' && book.pages.length > 0)) {
        if (book.pages.length < 3) book.pages.push(page)
        continue
      }
      book.pages.push(page)
      book.score -= row.rank
    }
    return [...found].sort((a, b) => b[1].score - a[1].score).map(([id, { pages }]) => ({ id, pages }))
  }
  return {
    ms,
    bytes: statSync(file).size,
    search(query: string, ranking: 'best-page' | 'best-three' | 'all-words-first'): RankedBook[] {
      const words = (query.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).map((word) => `"${word}"`)
      if (words.length === 0) return []
      if (ranking !== 'all-words-first') return rank(words.join(' OR '), ranking)
      const allWordMatches = rank(words.join(' AND '), 'best-page')
      const known = new Set(allWordMatches.map(({ id }) => id))
      return [...allWordMatches, ...rank(words.join(' OR '), 'best-page').filter(({ id }) => !known.has(id))]
    },
    close: () => db.close(),
  }
}
