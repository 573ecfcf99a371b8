import type { Book, OriginalFile } from '../books/book.ts'
import type { FileStores } from '../files/store.ts'
import { FileStoreError } from '../files/store.ts'
import { loadToc } from '../reading/load-toc.ts'
import type { Manifest, VersionSummary } from '../reading/manifest.ts'
import type { Archive } from './archive.ts'
import { describeBook, describeVersion } from './describe-book.ts'
import { safeName } from './file-names.ts'
import { writeText, type TextStores } from './book-text.ts'

export type BookExportStores = TextStores & FileStores

/** The location of a book in the archive. */
interface Place {
  archive: Archive
  book: Book
  /** Ends with a slash. */
  folder: string
}

/** Number of earlier texts of a written book that are exported, newest first: as many as the product lists. */
const maxVersionTexts = 50

/** The maximum number of versions of a book that the export lists. */
const maxVersions = 10_000

/** The folder of a book: its unique number in the export, and its title. */
export function folderOf({ title }: Book, number: number): string {
  return `books/${String(number).padStart(4, '0')} ${safeName(title, 'book')}/`
}

/**
 * Adds a book: its file, figures, text, texts of earlier versions if it was written here, and `book.json`. The manifest
 * lists what is missing on the server. Everything belongs to the version that is current now.
 */
export async function addBook(ctx: BookExportStores, place: Place): Promise<void> {
  const { archive, book, folder } = place
  const original = book.original ? await addOriginal(ctx, place, book.original) : null
  const manifest = book.version > 0 ? await ctx.contents.getManifest(book.id, book.version) : null
  const figures = manifest ? await addFigures(ctx, place, manifest) : new Map<string, string>()
  const text = manifest ? `${folder}text.md` : null
  if (manifest && text) {
    await archive.add({ path: text, body: writeText(ctx, { book, manifest, figures }), compress: true })
    archive.count('texts')
  } else archive.absent(folder, 'This book has no text: its import is not finished, or it failed.')
  const history = await ctx.contents.listHistory(book.id, {
    fromVersion: 1,
    beforeVersion: book.version,
    limit: maxVersions,
  })
  const texts = book.original ? new Map<number, string>() : await addVersionTexts(ctx, place, history)
  const outline = manifest ? await loadToc(ctx, book, manifest) : []
  const versions = [...(manifest ? [manifest] : []), ...history].map((version) =>
    describeVersion(ctx.actor.id, version, version === manifest ? text : (texts.get(version.version) ?? null)),
  )
  await archive.addJson(`${folder}book.json`, describeBook(book, { original, text, outline, versions }))
  archive.count('books')
}

/** Adds the original file and returns its path in the archive; null if the server does not have it. */
async function addOriginal(
  ctx: BookExportStores,
  { archive, book, folder }: Place,
  { storageKey, filename }: OriginalFile,
): Promise<string | null> {
  const path = `${folder}original/${safeName(filename, 'file')}`
  const stored = await ctx.files.head(storageKey)
  const body = stored && (await openFile(ctx, storageKey))
  if (!body) {
    ctx.log.error({ itemId: book.id, storageKey }, 'the file of a book is missing')
    archive.absent(path, 'The original file is missing on the server. Tell its administrator.')
    return null
  }
  await archive.add({ path, body, compress: false })
  archive.count('originals')
  return path
}

/** The bytes of a stored file; null if it was removed in the meantime. Checks that the file exists before reading. */
async function openFile({ files, signal }: BookExportStores, key: string): Promise<AsyncIterable<Uint8Array> | null> {
  const pieces = files.read(key, signal)[Symbol.asyncIterator]()
  try {
    const first = await pieces.next()
    return resume(first, pieces)
  } catch (error) {
    if (error instanceof FileStoreError && error.code === 'NOT_FOUND') return null
    throw error
  }
}

async function* resume(
  first: IteratorResult<Uint8Array>,
  pieces: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    for (let next = first; !next.done; next = await pieces.next()) yield next.value
  } finally {
    await pieces.return?.()
  }
}

/** Adds the figures of a version; returns their paths relative to the text, by figure id. */
async function addFigures(
  ctx: BookExportStores,
  { archive, book, folder }: Place,
  { figures }: Manifest,
): Promise<Map<string, string>> {
  const added = new Map<string, string>()
  if (!figures) return added
  for (const { id, key } of await ctx.contents.figures.list(book.id, figures.revision)) {
    const name = `figures/${key.split('/').at(-1)}`
    const body = await openFile(ctx, key)
    if (!body) continue
    await archive.add({ path: folder + name, body, compress: false })
    added.set(id, name)
  }
  archive.count('figures', added.size)
  return added
}

/** Adds the texts of earlier versions; returns their paths by version number, without removed versions. */
async function addVersionTexts(
  ctx: BookExportStores,
  { archive, book, folder }: Place,
  history: readonly VersionSummary[],
): Promise<Map<number, string>> {
  const added = new Map<number, string>()
  for (const { version } of history.slice(0, maxVersionTexts)) {
    const manifest = await ctx.contents.findSealedManifest(book.id, version)
    if (!manifest || manifest.purgedAt !== undefined) continue
    const path = `${folder}versions/${version}.md`
    await archive.add({ path, body: writeText(ctx, { book, manifest, figures: new Map() }), compress: true })
    added.set(version, path)
  }
  archive.count('versionTexts', added.size)
  return added
}
