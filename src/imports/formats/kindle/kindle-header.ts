import { FormatError } from '../format.ts'
import type { PalmDatabase } from './palm-database.ts'
import { readExtendedHeader, type ExtendedHeader } from './extended-header.ts'
import { languageOfCode } from './windows-language.ts'

/** The compression of the text: none, PalmDOC (LZ77), or a dictionary of phrases (HUFF/CDIC). */
export type Compression = 'none' | 'palmdoc' | 'huffman'

/** The header of a book in its first record. Record numbers are relative to `first`, except for those of resources. */
export interface KindleHeader {
  /** The record of the header. */
  first: number
  compression: Compression
  /** Number of text records, which follow the header. */
  textRecords: number
  encoding: 'utf-8' | 'windows-1252'
  /** 8 or more: KF8. */
  version: number
  title: string
  language: string | null
  extended: ExtendedHeader
  /** The record of the first picture, counted from the start of the file; null if there are none. */
  firstResource: number | null
  /** The records of the dictionary of phrases. */
  phrases: { first: number; count: number }
  /** Flags for the entries that follow the text in each record. */
  trailing: number
  /** The index record of the table of contents. */
  contents: number | null
  /**
   * KF8 only: the record that divides the text into sections, and the index records of its files. With a single section,
   * its record number is invalid in books by KindleGen.
   */
  sections: number | null
  fragments: number | null
  skeletons: number | null
  guide: number | null
}

const compressions: Readonly<Record<number, Compression>> = { 1: 'none', 2: 'palmdoc', 17480: 'huffman' }
const none = 0xffffffff
const hasExtended = 0x40
/** Minimum length of a header that has the trailing-entry flags and the contents record. */
const lengthWithTrailing = 0xe4
/** The EXTH record with the start of the KF8 part of a combined file. */
const boundaryEntry = 121

/**
 * Reads the header of a book (MobileRead Wiki, MOBI). A combined file contains the book in the older format and in KF8;
 * then reads that of KF8. Throws `DRM` for a protected book, and `BROKEN`.
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
    sections: version >= 8 && number(196) > 1 ? reference(192) : null,
    fragments: version >= 8 ? reference(248) : null,
    skeletons: version >= 8 ? reference(252) : null,
    guide: version >= 8 ? reference(260) : null,
  }
}
