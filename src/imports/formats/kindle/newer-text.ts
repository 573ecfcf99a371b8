import { FormatError, type FormatLimits } from '../format.ts'
import { fileAt, idAt, tagStart, type BookText, type TextFile } from './book-text.ts'
import { PieceList } from './piece-list.ts'
import { readIndex } from './index-table.ts'
import type { KindleHeader } from './kindle-header.ts'
import type { PalmDatabase } from './palm-database.ts'

/** The index tag of a position and length in KF8, and that of the number of fragments of a skeleton. */
const placeTag = 6
const fragmentsTag = 1
/** Maximum size of SVG pictures that are inlined into the text, bytes. */
const maxDrawing = 64 * 1024
const maxDrawings = 4 * 1024 * 1024

/** The other inputs of the text. */
interface Parts {
  database: PalmDatabase
  header: KindleHeader
  /** The name of a picture by its number (from 1). */
  pictureName(number: number): string | null
}

/**
 * The files of KF8: each is a skeleton into which its fragments are inserted. Links and pictures are renamed as in an
 * EPUB. Throws `BROKEN` and `TOO_LARGE`.
 */
export function newerText(text: Buffer, parts: Parts, limits: FormatLimits): BookText {
  const sections = readSections(text, parts)
  const main = sections[0] as Buffer
  const insertAt = fragmentPlaces(parts)
  const { files, assembled } = assemble(main, parts, limits)
  let drawings = maxDrawings
  const positionOf: BookText['positionOf'] = ({ fragment, offset }) => {
    if (fragment === undefined) return offset
    const start = insertAt[fragment]
    return start === undefined ? null : start.from + offset
  }
  const linkTo = (fragment: string, offset: string): string => {
    const position = positionOf({ fragment: Number.parseInt(fragment, 32), offset: Number.parseInt(offset, 32) })
    const file = position === null ? null : fileAt(files, position)
    if (position === null || file === null) return ''
    const id = idAt(assembled, tagStart(assembled, position))
    return id === null ? file.path : `${file.path}#${encodeURIComponent(id)}`
  }
  const drawing = (written: string, number: string): string => {
    const section = sections[Number.parseInt(number, 32)]
    if (!section || section.length > maxDrawing || section.length > drawings) return written
    drawings -= section.length
    return section.toString('latin1').replace(/^[^]*?(?=<svg)/, '')
  }
  return {
    files,
    linkedPlaces: new Set(),
    styles: sections.slice(1).filter((section) => !section.includes('<')),
    positionOf,
    contentsAt: placeOfContents(parts, positionOf),
    startOfTag: (position) => tagStart(assembled, position),
    markup: ({ from, to }) =>
      assembled
        .toString('latin1', from, to)
        .replaceAll(/<img\b[^<>]{0,500}?src=["']kindle:flow:(\w{1,8})\?mime=image\/svg\+xml["'][^<>]{0,500}>/g, drawing)
        .replaceAll(/kindle:pos:fid:(\w{1,8}):off:(\w{1,12})/g, (_, fragment: string, offset: string) =>
          linkTo(fragment, offset),
        )
        .replaceAll(
          /kindle:embed:(\w{1,8})(?:\?mime=[\w/+.-]{0,50})?/g,
          (_, number: string) => parts.pictureName(Number.parseInt(number, 32)) ?? '',
        ),
  }
}

/** The sections of the text: the first contains all files, the others are styles and drawings. */
function readSections(text: Buffer, { database, header }: Parts): Buffer[] {
  const record = header.sections === null ? null : database.record(header.sections)
  if (record === null || record.length < 12 || record.toString('latin1', 0, 4) !== 'FDST') return [text]
  const count = Math.min(record.readUInt32BE(8), Math.floor((record.length - 12) / 8))
  const sections: Buffer[] = []
  for (let at = 0; at < count; at++) {
    const [from, to] = [record.readUInt32BE(12 + at * 8), record.readUInt32BE(16 + at * 8)]
    if (from > to || to > text.length) throw new FormatError('BROKEN', 'a section lies outside of the text')
    sections.push(text.subarray(from, to))
  }
  return sections.length === 0 ? [text] : sections
}

/** Where the contents page begins according to the guide; null if the guide does not say so or is damaged. */
function placeOfContents({ database, header }: Parts, positionOf: BookText['positionOf']): number | null {
  if (header.guide === null) return null
  try {
    const entry = readIndex(database, header.guide).entries.find(({ name }) => name === 'toc')
    const [fragment, offset] = entry?.values.get(placeTag) ?? []
    return fragment === undefined ? null : positionOf({ fragment, offset: offset ?? 0 })
  } catch (error) {
    if (error instanceof FormatError && error.code === 'BROKEN') return null
    throw error
  }
}

interface Place {
  from: number
  length: number
}

/** The insert position and length of each fragment. */
function fragmentPlaces({ database, header }: Parts): Place[] {
  if (header.fragments === null) return []
  return readIndex(database, header.fragments).entries.map(({ name, values }) => {
    const [, length = 0] = values.get(placeTag) ?? []
    const from = Number.parseInt(name, 10)
    if (!Number.isSafeInteger(from) || from < 0) throw new FormatError('BROKEN', 'a fragment without a place')
    return { from, length }
  })
}

/** Inserts the fragments into their skeletons. The length of the text stays the same, and the files are contiguous. */
function assemble(text: Buffer, parts: Parts, limits: FormatLimits): { files: readonly TextFile[]; assembled: Buffer } {
  const { database, header } = parts
  if (header.skeletons === null) {
    return { files: [{ path: 'part0001.xhtml', from: 0, to: text.length }], assembled: text }
  }
  const skeletons = readIndex(database, header.skeletons).entries
  if (skeletons.length > limits.entries) throw new FormatError('TOO_LARGE', `${skeletons.length} files`)
  const fragments = fragmentPlaces(parts)[Symbol.iterator]()
  const assembled = Buffer.alloc(text.length)
  const files: TextFile[] = []
  let [written, moves] = [0, 0]
  for (const { values } of skeletons) {
    const [from = 0, length = 0] = values.get(placeTag) ?? []
    const [count = 0] = values.get(fragmentsTag) ?? []
    let end = from + length
    if (from !== written || end > text.length) throw new FormatError('BROKEN', 'files do not follow each other')
    const pieces = new PieceList({ from, to: end })
    for (let at = 0; at < count; at++) {
      const fragment = fragments.next().value
      if (!fragment) throw new FormatError('BROKEN', 'a file lacks a fragment')
      const piece = { from: end, to: end + fragment.length }
      end = piece.to
      const isInside = fragment.from >= from && fragment.from - from <= pieces.length && end <= text.length
      if (!isInside) throw new FormatError('BROKEN', 'a fragment lies outside of its file')
      pieces.insert(fragment.from - from, piece)
    }
    moves += pieces.moves
    if (moves > maxMoves) throw new FormatError('BROKEN', 'fragments in no order')
    for (const piece of pieces.list()) written += text.copy(assembled, written, piece.from, piece.to)
    files.push({ path: `part${String(files.length + 1).padStart(4, '0')}.xhtml`, from, to: end })
  }
  return { files, assembled }
}

/** Maximum number of moves between fragment positions; in real books, positions are consecutive. */
const maxMoves = 5_000_000
