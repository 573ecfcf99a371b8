import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** The tables of a catalogue by Calibre 7, with a view and a trigger that use Calibre's own functions. */
const schema = `
CREATE TABLE authors ( id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL COLLATE NOCASE, sort TEXT COLLATE NOCASE, link TEXT NOT NULL DEFAULT "", UNIQUE(name) );
CREATE TABLE books ( id      INTEGER PRIMARY KEY AUTOINCREMENT,
  title     TEXT NOT NULL DEFAULT 'Unknown' COLLATE NOCASE,
  sort      TEXT COLLATE NOCASE,
  timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  pubdate   TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  series_index REAL NOT NULL DEFAULT 1.0,
  author_sort TEXT COLLATE NOCASE,
  isbn TEXT DEFAULT "" COLLATE NOCASE,
  lccn TEXT DEFAULT "" COLLATE NOCASE,
  path TEXT NOT NULL DEFAULT "",
  flags INTEGER NOT NULL DEFAULT 1,
  uuid TEXT,
  has_cover BOOL DEFAULT 0,
  last_modified TIMESTAMP NOT NULL DEFAULT "2000-01-01 00:00:00+00:00");
CREATE TABLE books_authors_link ( id INTEGER PRIMARY KEY, book INTEGER NOT NULL, author INTEGER NOT NULL, UNIQUE(book, author) );
CREATE TABLE books_languages_link ( id INTEGER PRIMARY KEY, book INTEGER NOT NULL, lang_code INTEGER NOT NULL,
  item_order INTEGER NOT NULL DEFAULT 0, UNIQUE(book, lang_code) );
CREATE TABLE books_publishers_link ( id INTEGER PRIMARY KEY, book INTEGER NOT NULL, publisher INTEGER NOT NULL, UNIQUE(book) );
CREATE TABLE books_ratings_link ( id INTEGER PRIMARY KEY, book INTEGER NOT NULL, rating INTEGER NOT NULL, UNIQUE(book, rating) );
CREATE TABLE books_series_link ( id INTEGER PRIMARY KEY, book INTEGER NOT NULL, series INTEGER NOT NULL, UNIQUE(book) );
CREATE TABLE books_tags_link ( id INTEGER PRIMARY KEY, book INTEGER NOT NULL, tag INTEGER NOT NULL, UNIQUE(book, tag) );
CREATE TABLE comments ( id INTEGER PRIMARY KEY, book INTEGER NOT NULL, text TEXT NOT NULL COLLATE NOCASE, UNIQUE(book) );
CREATE TABLE custom_columns ( id INTEGER PRIMARY KEY AUTOINCREMENT, label TEXT NOT NULL, name TEXT NOT NULL, datatype TEXT NOT NULL,
  mark_for_delete BOOL DEFAULT 0 NOT NULL, editable BOOL DEFAULT 1 NOT NULL, display TEXT DEFAULT "{}" NOT NULL,
  is_multiple BOOL DEFAULT 0 NOT NULL, normalized BOOL NOT NULL, UNIQUE(label) );
CREATE TABLE data ( id INTEGER PRIMARY KEY, book INTEGER NOT NULL, format TEXT NOT NULL COLLATE NOCASE,
  uncompressed_size INTEGER NOT NULL, name TEXT NOT NULL, UNIQUE(book, format) );
CREATE TABLE identifiers ( id INTEGER PRIMARY KEY, book INTEGER NOT NULL, type TEXT NOT NULL DEFAULT "isbn" COLLATE NOCASE,
  val TEXT NOT NULL COLLATE NOCASE, UNIQUE(book, type) );
CREATE TABLE languages ( id INTEGER PRIMARY KEY, lang_code TEXT NOT NULL COLLATE NOCASE, link TEXT NOT NULL DEFAULT '', UNIQUE(lang_code) );
CREATE TABLE publishers ( id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, sort TEXT COLLATE NOCASE,
  link TEXT NOT NULL DEFAULT '', UNIQUE(name) );
CREATE TABLE ratings ( id INTEGER PRIMARY KEY, rating INTEGER CHECK(rating > -1 AND rating < 11), link TEXT NOT NULL DEFAULT '', UNIQUE (rating) );
CREATE TABLE series ( id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, sort TEXT COLLATE NOCASE,
  link TEXT NOT NULL DEFAULT '', UNIQUE (name) );
CREATE TABLE tags ( id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, link TEXT NOT NULL DEFAULT '', UNIQUE (name) );
CREATE VIEW meta AS SELECT id, title,
  (SELECT sortconcat(bal.id, name) FROM books_authors_link AS bal JOIN authors ON(author = authors.id) WHERE book = books.id) authors
  FROM books;
CREATE TRIGGER books_update_trg AFTER UPDATE ON books BEGIN
  UPDATE books SET sort=title_sort(NEW.title) WHERE id=NEW.id AND OLD.title <> NEW.title;
END;
CREATE INDEX authors_idx ON books (author_sort COLLATE NOCASE);
pragma user_version=26;
`

/** A book of a test library; omitted fields are missing in the catalogue. */
export interface CalibreBook {
  title: string
  authors: string[]
  series?: [name: string, index: number]
  tags?: string[]
  languages?: string[]
  publisher?: string
  /** HTML. */
  comments?: string
  identifiers?: Record<string, string>
  pubdate?: string
  rating?: number
  cover?: Uint8Array
  /** Files by format, such as `EPUB`. */
  files: Record<string, Uint8Array>
}

/** Creates a Calibre library in a folder, with Calibre's layout: `Author/Title (id)/Title - Author.epub`. */
export async function makeCalibreLibrary(
  folder: string,
  books: readonly CalibreBook[],
  customColumns: readonly string[] = [],
): Promise<void> {
  await mkdir(folder, { recursive: true })
  const database = openCatalogueAsCalibre(folder)
  database.exec(schema)
  for (const label of customColumns)
    database
      .prepare("INSERT INTO custom_columns (label, name, datatype, normalized) VALUES (?, ?, 'text', 1)")
      .run(label, label)
  for (const book of books) await addBook(folder, database, book)
  database.close()
}

/** Opens the catalogue of a library for changes, with the function that its triggers use. */
export function openCatalogueAsCalibre(folder: string): DatabaseSync {
  const database = new DatabaseSync(join(folder, 'metadata.db'), { enableDoubleQuotedStringLiterals: true })
  database.function('title_sort', (title) => title)
  return database
}

async function addBook(folder: string, database: DatabaseSync, book: CalibreBook): Promise<void> {
  const [author = 'Unknown'] = book.authors
  const stored = database
    .prepare('INSERT INTO books (title, pubdate, series_index, has_cover) VALUES (?, ?, ?, ?)')
    .run(book.title, book.pubdate ?? '0101-01-01 00:00:00+00:00', book.series?.[1] ?? 1, book.cover ? 1 : 0)
  const id = Number(stored.lastInsertRowid)
  const path = `${author}/${book.title} (${id})`
  database.prepare('UPDATE books SET path = ? WHERE id = ?').run(path, id)
  const link = (table: string, column: string, [field, value]: [string, string | number]) => {
    database.prepare(`INSERT OR IGNORE INTO ${table} (${field}) VALUES (?)`).run(value)
    const row = database.prepare(`SELECT id FROM ${table} WHERE ${field} = ?`).get(value) as { id: number }
    database.prepare(`INSERT INTO books_${table}_link (book, ${column}) VALUES (?, ?)`).run(id, row.id)
  }
  for (const name of book.authors) link('authors', 'author', ['name', name.replaceAll(',', '|')])
  for (const name of book.tags ?? []) link('tags', 'tag', ['name', name])
  for (const code of book.languages ?? []) link('languages', 'lang_code', ['lang_code', code])
  if (book.series) link('series', 'series', ['name', book.series[0]])
  if (book.publisher) link('publishers', 'publisher', ['name', book.publisher])
  if (book.rating) link('ratings', 'rating', ['rating', book.rating])
  if (book.comments) database.prepare('INSERT INTO comments (book, text) VALUES (?, ?)').run(id, book.comments)
  for (const [type, value] of Object.entries(book.identifiers ?? {}))
    database.prepare('INSERT INTO identifiers (book, type, val) VALUES (?, ?, ?)').run(id, type, value)
  await mkdir(join(folder, path), { recursive: true })
  if (book.cover) await writeFile(join(folder, path, 'cover.jpg'), book.cover)
  for (const [format, bytes] of Object.entries(book.files)) {
    const name = `${book.title} - ${author}`
    const sql = 'INSERT INTO data (book, format, uncompressed_size, name) VALUES (?, ?, ?, ?)'
    database.prepare(sql).run(id, format, bytes.byteLength, name)
    await writeFile(join(folder, path, `${name}.${format.toLowerCase()}`), bytes)
  }
}
