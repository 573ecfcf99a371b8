import type { DatabaseSync } from 'node:sqlite'

/** A book in the catalogue of a Calibre library. */
export interface CatalogueBook {
  id: number
  title: string
  /** Path below the library, with `/`. */
  path: string
  /** As SQLite text; a year before 1000 stands for "unknown". */
  pubdate: string | null
  seriesIndex: number
  hasCover: boolean
  authors: string[]
  /** Null if it is in no series. */
  series: string | null
  tags: string[]
  /** Codes of ISO 639-2 or 639-3. */
  languages: string[]
  publisher: string | null
  /** HTML. */
  comments: string | null
  /** With their kinds, such as `isbn` and `doi`. */
  identifiers: { type: string; val: string }[]
  /** 1 to 10 (half stars); null: none. */
  rating: number | null
  formats: { format: string; name: string }[]
}

/**
 * The ids of all books, in import order. The last book of a series comes first: a shelf lists the newest first, so the
 * first book is at the top.
 */
export function listBookIds(database: DatabaseSync): number[] {
  const sql = `
    SELECT books.id AS id FROM books
    LEFT JOIN books_series_link ON books_series_link.book = books.id
    ORDER BY books_series_link.series IS NULL, books_series_link.series, books.series_index DESC, books.id`
  return [
    ...new Set(
      database
        .prepare(sql)
        .all()
        .map(({ id }) => Number(id)),
    ),
  ]
}

const named = (table: string, column: string, order = `${table}.name`) =>
  `SELECT ${table}.name AS text FROM books_${table}_link AS link JOIN ${table} ON ${table}.id = link.${column}
   WHERE link.book = ? ORDER BY ${order}`

const queries = {
  book: 'SELECT id, title, path, pubdate, series_index, has_cover FROM books WHERE id = ?',
  authors: named('authors', 'author', 'link.id'),
  series: named('series', 'series'),
  tags: named('tags', 'tag'),
  publisher: named('publishers', 'publisher'),
  languages: `SELECT languages.lang_code AS text FROM books_languages_link AS link
    JOIN languages ON languages.id = link.lang_code WHERE link.book = ? ORDER BY link.item_order`,
  comments: 'SELECT text FROM comments WHERE book = ?',
  identifiers: 'SELECT type, val FROM identifiers WHERE book = ? ORDER BY type',
  rating: `SELECT ratings.rating AS text FROM books_ratings_link AS link
    JOIN ratings ON ratings.id = link.rating WHERE link.book = ?`,
  formats: 'SELECT format, name FROM data WHERE book = ? ORDER BY format',
} as const

/** Prepares queries for single books by id. */
export function readCatalogueBooks(database: DatabaseSync): (id: number) => CatalogueBook | null {
  const entries = Object.entries(queries).map(([name, sql]) => [name, database.prepare(sql)] as const)
  const statements = Object.fromEntries(entries) as Record<keyof typeof queries, ReturnType<DatabaseSync['prepare']>>
  return (id) => {
    const rows = (name: keyof typeof queries) => statements[name].all(id)
    const texts = (name: keyof typeof queries) => rows(name).map(({ text }) => String(text))
    const [book] = rows('book')
    if (!book) return null
    const rating = Number(texts('rating')[0] ?? 0)
    return {
      id,
      title: String(book['title']),
      path: String(book['path']),
      pubdate: book['pubdate'] === null ? null : String(book['pubdate']),
      seriesIndex: Number(book['series_index']),
      hasCover: Number(book['has_cover']) === 1,
      // Calibre stores a comma inside a name as a vertical bar.
      authors: texts('authors').map((name) => name.replaceAll('|', ',')),
      series: texts('series')[0] ?? null,
      tags: texts('tags'),
      languages: texts('languages'),
      publisher: texts('publisher')[0] ?? null,
      comments: texts('comments')[0] ?? null,
      identifiers: rows('identifiers').map(({ type, val }) => ({ type: String(type), val: String(val) })),
      rating: rating > 0 ? rating : null,
      formats: rows('formats').map(({ format, name }) => ({ format: String(format), name: String(name) })),
    }
  }
}

/** The names of the custom columns of a library. */
export function listCustomColumns(database: DatabaseSync): string[] {
  return database
    .prepare('SELECT label FROM custom_columns ORDER BY label')
    .all()
    .map(({ label }) => `#${String(label)}`)
}
