import { readFile, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { formatOf } from '../books/file-formats.ts'
import { AppError } from '../core/errors.ts'
import { maxCoverBytes } from '../imports/pictures/own-cover.ts'
import type { BookSource, FoundFile } from './book-source.ts'
import { createTally, type Tally } from './tally.ts'
import { listBookIds, listCustomColumns, readCatalogueBooks, type CatalogueBook } from './catalogue-rows.ts'
import { describeCatalogueBook, shelvesOfCatalogueBook } from './describe-catalogue-book.ts'
import { openCatalogue } from './open-catalogue.ts'
import { preferredFile } from './preferred-format.ts'

interface Library {
  root: string
  leftOut: Tally
  notKept: Tally
}

/**
 * The books of a Calibre library with the metadata of its catalogue; series and tags become shelves. Refuses like
 * `openCatalogue`. The caller must close it.
 */
export async function openCalibreLibrary(folder: string): Promise<BookSource> {
  const root = await realpath(folder)
  const { database, close } = await openCatalogue(root)
  try {
    const read = readCatalogueBooks(database)
    const library = { root, leftOut: createTally(), notKept: createTally() }
    for (const label of listCustomColumns(database)) library.notKept.add('columns of your own', label)
    // Files are looked up first, for the total; the metadata of each book is read when its turn comes.
    const found: { id: number; file: Pick<FoundFile, 'path' | 'name' | 'bytes' | 'modifiedAt'> }[] = []
    for (const id of listBookIds(database)) {
      const book = read(id)
      const file = book && (await findFile(library, book))
      if (file) found.push({ id, file })
    }
    return {
      total: { files: found.length, bytes: found.reduce((sum, { file }) => sum + file.bytes, 0) },
      *files() {
        for (const { id, file } of found) {
          const book = read(id)
          if (!book) continue
          const { metadata, isCut } = describeCatalogueBook(book)
          if (isCut) library.notKept.add('descriptions beyond 4,000 characters', book.title)
          recordNotKept(library, book, file.path)
          const cover = book.hasCover ? { readCover: () => readCover(root, book) } : {}
          yield { ...file, shelves: shelvesOfCatalogueBook(book), metadata, ...cover }
        }
      },
      leftOut: library.leftOut,
      notKept: library.notKept,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** The file of a book to import; null if there is none. */
async function findFile({ root, leftOut }: Library, { title, path, formats }: CatalogueBook) {
  const files = formats.flatMap(({ format, name }) => {
    const filename = `${name}.${format.toLowerCase()}`
    const kind = formatOf(filename)
    return kind === null ? [] : [{ kind, filename }]
  })
  const best = preferredFile(files)
  if (!best) {
    const kinds = formats.map(({ format }) => format).join(', ')
    const reason = kinds === '' ? 'books without a file' : `books as ${kinds} only: convert them to EPUB with Calibre`
    leftOut.add(reason, title)
    return null
  }
  const name = `${path}/${best.filename}`
  try {
    const target = await realpath(join(root, name))
    if (!target.startsWith(`${root}${sep}`)) throw new Error('outside of the library')
    const { size, mtimeMs } = await stat(target)
    if (size > 0) return { path: target, name, bytes: size, modifiedAt: mtimeMs }
    leftOut.add('empty files', name)
  } catch {
    leftOut.add('files that the catalogue names but that do not exist', name)
  }
  return null
}

/** The cover that Calibre stores next to the files of a book. */
async function readCover(root: string, { path }: CatalogueBook): Promise<Uint8Array> {
  try {
    const file = await realpath(join(root, path, 'cover.jpg'))
    if (!file.startsWith(`${root}${sep}`)) throw new Error('outside of the library')
    const { size } = await stat(file)
    if (size > maxCoverBytes) throw new Error('too large')
    return await readFile(file)
  } catch (cause) {
    throw new AppError('INVALID_INPUT', 'cover.jpg is missing, cannot be read, or is larger than 20 MB', { cause })
  }
}

function recordNotKept({ notKept }: Library, book: CatalogueBook, path: string): void {
  const taken = path.slice(path.lastIndexOf('.') + 1).toUpperCase()
  for (const { format } of book.formats)
    if (format.toUpperCase() !== taken) notKept.add(`further files as ${format.toUpperCase()}`, book.title)
  if (book.rating !== null) notKept.add('ratings', book.title)
  const shelves = shelvesOfCatalogueBook(book)
  const names = [...(book.series === null ? [] : [book.series]), ...book.tags]
  if (shelves.length < new Set(names).size) notKept.add('shelves for series or tags without a letter', book.title)
}
