import type { KeepFigure } from '../figures.ts'
import type { BookInfo, BookReader, FormatLimits } from '../format.ts'
import { htmlToText } from '../html-to-text.ts'
import { resolveNavigation } from '../epub/book-navigation.ts'
import type { Navigation } from '../epub/navigation.ts'
import { readEpubArchive } from '../epub/open-epub.ts'
import { createPathResolver } from '../epub/resolve-path.ts'
import { fileAt, idOfPlace, type BookText, type TextFile } from './book-text.ts'
import { readContents } from './contents.ts'
import { kindleArchive, type Anchor } from './kindle-archive.ts'
import { readKindleHeader, type KindleHeader } from './kindle-header.ts'
import { newerText } from './newer-text.ts'
import { olderText } from './older-text.ts'
import { openPalmDatabase, type PalmDatabase } from './palm-database.ts'
import { findPictures, type Pictures } from './pictures.ts'
import { readText } from './read-text.ts'

/** Maximum size of the text of a book, in bytes. */
const maxTextBytes = 64 * 1024 * 1024
/** Maximum size of a page that is recognised as a contents page, in bytes. */
const maxContentsBytes = 1024 * 1024
const maxFieldLength = 2_000
const maxDescriptionLength = 10_000
const entryOf = { author: 100, publisher: 101, description: 103, isbn: 104, cover: 201, title: 503, language: 524 }

/** An opened book, and the format of its file: `azw3` if it contains only KF8. */
export interface KindleBook {
  format: 'mobi' | 'azw3'
  book: BookReader
}

/**
 * Opens a MOBI or AZW3 (KF7, KF8, or both in one file, of which KF8 is read). Converts its text to HTML files, which
 * are read like those of an EPUB. Throws `DRM` for a protected book, and other errors like `OpenBook`.
 */
export function openKindle(bytes: Uint8Array, limits: FormatLimits, keep: KeepFigure | undefined): KindleBook {
  const database = openPalmDatabase(bytes)
  const header = readKindleHeader(database)
  const pictures = findPictures(database, header.firstResource)
  const text = readBookText(database, { header, pictures, limits })
  const { entries, anchors } = readPlaces(database, header, text)
  const archive = kindleArchive({ text, pictures, anchors, encoding: header.encoding, limits })
  const resolvePath = createPathResolver(archive.paths)
  const navigation = resolveNavigation({ entries, pageLabels: [] }, resolvePath)
  const spine = withoutGeneratedContents(text, entries).map(({ path }) => ({ path, picture: false }))
  const book = { info: infoOf(header), spine, nav: null, ncx: null, pageMap: null, cover: coverOf(header, pictures) }
  const format = header.version >= 8 && header.first === 0 ? 'azw3' : 'mobi'
  return { format, book: readEpubArchive(archive, { book, navigation, resolvePath }, { limits, keep }) }
}

/** The bytes of the declared cover picture; null if there is none. Throws like `openKindle`. */
export function readKindleCover(bytes: Uint8Array): Uint8Array | null {
  const database = openPalmDatabase(bytes)
  const header = readKindleHeader(database)
  const pictures = findPictures(database, header.firstResource)
  const name = coverOf(header, pictures)
  return name === null ? null : pictures.bytes(name)
}

interface TextParts {
  header: KindleHeader
  pictures: Pictures
  limits: FormatLimits
}

function readBookText(database: PalmDatabase, { header, pictures, limits }: TextParts): BookText {
  const { pictureName } = pictures
  const bytes = readText(database, header, Math.min(maxTextBytes, limits.totalBytes))
  if (header.version >= 8) return newerText(bytes, { database, header, pictureName }, limits)
  return olderText(bytes, { pictureName, encoding: header.encoding, limits })
}

/** The text files without a contents page at the end, which converters add and which repeats the table of contents. */
function withoutGeneratedContents(text: BookText, entries: Navigation['entries']): readonly TextFile[] {
  const { files, contentsAt } = text
  const last = files.at(-1)
  const isLast = contentsAt !== null && last !== undefined && files.length > 1 && fileAt(files, contentsAt) === last
  if (!isLast || entries.length === 0 || last.to - last.from > maxContentsBytes) return files
  const markup = text.markup(last, null).replace(/^[^]{0,4000}?<body\b[^<>]*>/i, '')
  const linked = [...markup.matchAll(/<a\b[^<>]*>((?:(?!<\/a>)[^]){0,2000})<\/a>/gi)]
  const inLinks = linked.reduce((sum, [, words = '']) => sum + countLetters(words), 0)
  return inLinks >= countLetters(markup) * 0.8 ? files.slice(0, -1) : files
}

function countLetters(markup: string): number {
  return markup.replaceAll(/<[^<>]*>/g, '').replaceAll(/\s+/g, '').length
}

/** The table of contents, and the ids that are generated for its targets. */
function readPlaces(database: PalmDatabase, header: KindleHeader, text: BookText) {
  const anchors = new Map<number, Anchor>()
  const entries: Navigation['entries'] = []
  for (const { title: written, level, place } of readContents(database, header)) {
    const title = written.replace(/\s+/g, ' ').trim().toWellFormed()
    if (title === '') continue
    const position = place && text.positionOf(place)
    const file = position === null ? null : fileAt(text.files, position)
    const fragment = position === null ? null : idOfPlace(position)
    if (position !== null && fragment !== null && !anchors.has(position))
      anchors.set(position, { id: fragment, title, level })
    entries.push({ title, level, target: file && { path: file.path, fragment } })
  }
  return { entries, anchors }
}

function infoOf({ title, language, extended }: KindleHeader): BookInfo {
  const isbn = extended.text(entryOf.isbn)?.replaceAll(/[\s-]/g, '').toUpperCase() ?? ''
  return {
    title: clean(extended.text(entryOf.title) ?? title),
    author: clean([...new Set(extended.texts(entryOf.author))].join(', ')),
    language: clean(extended.text(entryOf.language) ?? language ?? ''),
    publisher: clean(extended.text(entryOf.publisher) ?? ''),
    isbn: /^(?:\d{9}[\dX]|\d{13})$/.test(isbn) ? isbn : null,
    description: htmlToText(extended.text(entryOf.description) ?? '', maxDescriptionLength),
  }
}

/** Returns a text as one line; some programs write fields as XML. */
function clean(text: string): string | null {
  const plain = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
  const line = plain.replaceAll(/\s+/g, ' ').trim().slice(0, maxFieldLength)
  return line === '' ? null : line.toWellFormed()
}

/** The name of the cover picture. */
function coverOf({ extended }: KindleHeader, { pictureName }: Pictures): string | null {
  const index = extended.number(entryOf.cover)
  return index === null ? null : pictureName(index + 1)
}
