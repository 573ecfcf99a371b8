import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '../core/errors.ts'
import { catalogueName } from './is-calibre-library.ts'

/** A copy of the catalogue of a Calibre library. */
export interface Catalogue {
  database: DatabaseSync
  close(): Promise<void>
}

/** Columns by table that every version of Calibre since 0.8 (2011) has. */
const neededColumns: Record<string, readonly string[]> = {
  books: ['id', 'title', 'path', 'pubdate', 'series_index', 'has_cover'],
  data: ['book', 'format', 'name'],
  authors: ['id', 'name'],
  books_authors_link: ['id', 'book', 'author'],
  series: ['id', 'name'],
  books_series_link: ['book', 'series'],
  tags: ['id', 'name'],
  books_tags_link: ['book', 'tag'],
  languages: ['id', 'lang_code'],
  books_languages_link: ['book', 'lang_code', 'item_order'],
  publishers: ['id', 'name'],
  books_publishers_link: ['book', 'publisher'],
  comments: ['book', 'text'],
  identifiers: ['book', 'type', 'val'],
  ratings: ['id', 'rating'],
  books_ratings_link: ['book', 'rating'],
  custom_columns: ['label'],
}

/** A copy made while Calibre writes may be damaged; another attempt can succeed. */
const copyAttempts = 3

/**
 * Opens a copy of the catalogue of a Calibre library, so that nothing in the library is written or locked, even while
 * Calibre runs. Refuses a damaged catalogue and one with another schema with INVALID_INPUT.
 */
export async function openCatalogue(library: string): Promise<Catalogue> {
  for (let attempt = 1; ; attempt++) {
    const directory = await mkdtemp(join(tmpdir(), 'lectern-calibre-'))
    const remove = () => rm(directory, { recursive: true, force: true })
    try {
      const database = await openCopy(library, directory)
      const close = async () => {
        database.close()
        await remove()
      }
      return { database, close }
    } catch (error) {
      await remove()
      if (error instanceof AppError || attempt === copyAttempts)
        throw error instanceof AppError ? error : damaged(library, error)
    }
  }
}

async function openCopy(library: string, directory: string): Promise<DatabaseSync> {
  const copy = join(directory, catalogueName)
  await copyFile(join(library, catalogueName), copy)
  // Files with changes that a running Calibre has not moved into the catalogue yet.
  for (const ending of ['-wal', '-journal'])
    await copyFile(join(library, `${catalogueName}${ending}`), `${copy}${ending}`).catch(() => undefined)
  const database = new DatabaseSync(copy)
  try {
    // Views and triggers of a catalogue call functions of Calibre and are not needed.
    database.exec('PRAGMA trusted_schema = OFF')
    const [check] = database.prepare('PRAGMA quick_check(1)').all() as { quick_check: string }[]
    if (check?.quick_check !== 'ok') throw new Error(check?.quick_check ?? 'no answer')
    requireSchema(database, library)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function requireSchema(database: DatabaseSync, library: string): void {
  for (const [table, columns] of Object.entries(neededColumns)) {
    const found = new Set(
      database
        .prepare(`PRAGMA table_info(${table})`)
        .all()
        .map(({ name }) => name),
    )
    const missing = columns.find((column) => !found.has(column))
    if (missing === undefined) continue
    const what = found.size === 0 ? `no table "${table}"` : `no column "${missing}" in its table "${table}"`
    const message = `${join(library, catalogueName)} is not a catalogue of Calibre that Lectern knows: it has ${what}. Open the library with Calibre 0.8 or newer once, or copy its books into a folder without metadata.db and import that.`
    throw new AppError('INVALID_INPUT', message)
  }
}

function damaged(library: string, cause: unknown): AppError {
  const detail = cause instanceof Error ? cause.message : String(cause)
  const message = `The catalogue ${join(library, catalogueName)} cannot be read (${detail}). Repair it in Calibre (Library maintenance, Restore database), or copy the books into a folder without metadata.db and import that.`
  return new AppError('INVALID_INPUT', message, { cause })
}
