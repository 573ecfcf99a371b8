import { FormatError } from '../format.ts'
import type { PalmDatabase } from './palm-database.ts'
import { readExtendedHeader, type ExtendedHeader } from './extended-header.ts'
import { languageOfCode } from './windows-language.ts'

/** How the text of a book is packed: not at all, by PalmDOC (LZ77), or by a dictionary of phrases. */
export type Compression = 'none' | 'palmdoc' | 'huffman'

/** What the first record of a book says. Numbers of records count from `first`, but for those of resources. */
export interface KindleHeader {
  /** The record of the header. */
  first: number
  compression: Compression
  /** Records of text; they follow the header. */
  textRecords: number
  encoding: 'utf-8' | 'windows-1252'
  /** 8 and more: KF8. */
  version: number
  title: string
  language: string | null
  extended: ExtendedHeader
  /** The record of the first picture, from the start of the file; null: there are none. */
  firstResource: number | null
  /** The records of the dictionary of phrases. */
  phrases: { first: number; count: number }
  /** Which entries follow the text in each of its records. */
  trailing: number
  /** The index of the table of contents. */
  contents: number | null
  /** KF8 only: the records that divide the text into sections, and the indexes of its files. */
  sections: number | null
  fragments: number | null
  skeletons: number | null
  guide: number | null
}

const compressions: Readonly<Record<number, Compression>> = { 1: 'none', 2: 'palmdoc', 17480: 'huffman' }
const none = 0xffffffff
const hasExtended = 0x40
/** The length of a header that names the entries after the text, and the record of the contents. */
const lengthWithTrailing = 0xe4
/** The record that says where the KF8 part of a file with both begins. */
const boundaryEntry = 121

/**
 * Reads the header of a book (MobileRead Wiki, MOBI); of a file that has the book twice, in the older form and in KF8, that of KF8. Throws
 * `DRM` for a book that is protected, and `BROKEN`.
 */
export function readKindleHeader(database: PalmDatabase): KindleHeader {
  const header = readHeaderAt(database, 0)
  const boundary = header.extended.number(boundaryEntry)
  if (header.version >= 8 || boundary === null || boundary >= database.count) return header
  const newer = readHeaderAt(database, boundary)
  return newer.version >= 8 ? { ...newer, firstResource: header.firstResource } : header
}

function readHeaderAt(database: PalmDatabase, first: number): KindleHeader {
  const record = database.record(first)
  if (record.length < 24 || record.toString('latin1', 16, 20) !== 'MOBI') {
    throw new FormatError('BROKEN', `record ${first} is not the header of a book`)
  }
  const length = record.readUInt32BE(20)
  const end = Math.min(record.length, 16 + length)
  const number = (at: number) => (at + 4 <= end ? record.readUInt32BE(at) : none)
  const reference = (at: number) => (number(at) === none ? null : first + number(at))
  if (record.readUInt16BE(12) !== 0) throw new FormatError('DRM', `encryption ${record.readUInt16BE(12)}`)
  const compression = compressions[record.readUInt16BE(0)]
  if (compression === undefined) throw new FormatError('BROKEN', `compression ${record.readUInt16BE(0)}`)
  const encoding = number(28) === 65001 ? 'utf-8' : 'windows-1252'
  const version = number(36) === none ? 1 : number(36)
  const extended = readExtendedHeader(
    number(128) !== none && (number(128) & hasExtended) !== 0 ? record.subarray(16 + length) : Buffer.alloc(0),
    encoding,
  )
  const [titleAt, titleLength] = [number(84), number(88)]
  return {
    first,
    compression,
    textRecords: record.readUInt16BE(8),
    encoding,
    version,
    title: new TextDecoder(encoding).decode(record.subarray(titleAt, titleAt + Math.min(titleLength, 2_000))),
    language: languageOfCode(number(92)),
    extended,
    firstResource: number(108) === none ? null : number(108),
    phrases: { first: first + number(112), count: number(116) },
    trailing: length >= lengthWithTrailing && record.length >= 244 ? record.readUInt16BE(242) : 0,
    contents: length >= lengthWithTrailing ? reference(244) : null,
    sections: version >= 8 ? reference(192) : null,
    fragments: version >= 8 ? reference(248) : null,
    skeletons: version >= 8 ? reference(252) : null,
    guide: version >= 8 ? reference(260) : null,
  }
}
