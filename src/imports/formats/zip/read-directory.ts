import { crc32 } from 'node:zlib'
import { FormatError } from '../format.ts'

const endRecordSignature = Buffer.from([0x50, 0x4b, 0x05, 0x06])
const endRecordLength = 22
const maxCommentLength = 0xffff
const centralHeaderSignature = 0x02014b50
const centralHeaderLength = 46
const localHeaderSignature = 0x04034b50
const localHeaderLength = 30

/** The attribute of a folder (MS-DOS). */
const folderAttribute = 0x10

/** An entry of a zip file, not unpacked yet. */
export interface ZipEntry {
  /** Its name as it is written. */
  name: string
  isFolder: boolean
  /** How it is compressed: 0 is stored, 8 is deflated. */
  method: number
  /** The declared number of bytes when unpacked. */
  size: number
  /** Its compressed bytes, a view of the file. */
  data: Uint8Array
}

/**
 * Reads the central directory of a zip file (APPNOTE.TXT 4.3) and checks it before anything is unpacked: at most
 * `maxEntries` entries, none encrypted, none overlapping another, no name with `..`. Throws `FormatError` otherwise.
 */
export function readDirectory(bytes: Uint8Array, maxEntries: number): ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const { start, prefixLength } = findDirectory(bytes, view, maxEntries)
  const entries: ZipEntry[] = []
  const regions: Region[] = []
  for (
    let at = start;
    at + centralHeaderLength <= bytes.length && view.getUint32(at, true) === centralHeaderSignature;
  ) {
    if (regions.length === maxEntries) throw tooManyEntriesError(`more than ${maxEntries}`, maxEntries)
    const region = readRegion(view, at, prefixLength)
    regions.push(region)
    const [nameLength, extraLength] = [view.getUint16(at + 28, true), view.getUint16(at + 30, true)]
    const extraAt = at + centralHeaderLength + nameLength
    const name = decodeName(
      bytes.subarray(at + centralHeaderLength, extraAt),
      bytes.subarray(extraAt, extraAt + extraLength),
    )
    if (/(?:^|[/\\])\.\.(?:[/\\]|$)/.test(name)) throw new FormatError('BROKEN', 'a name in the zip file contains ..')
    entries.push({
      name,
      isFolder: name.endsWith('/') || (view.getUint32(at + 38, true) & folderAttribute) !== 0,
      method: view.getUint16(at + 10, true),
      size: view.getUint32(at + 24, true),
      data: bytes.subarray(region.dataAt, region.to),
    })
    at = extraAt + extraLength + view.getUint16(at + 32, true)
  }
  requireNoOverlaps(regions, start)
  return entries
}

const utf8 = new TextDecoder('utf-8', { fatal: true })
/** The extra field with the name in UTF-8, if the name itself is in another encoding (APPNOTE.TXT 4.6.9). */
const unicodePathField = 0x7075

/** The name of an entry. Writers that do not say which encoding they use mostly use UTF-8. */
function decodeName(name: Uint8Array, extra: Uint8Array): string {
  const view = new DataView(extra.buffer, extra.byteOffset, extra.byteLength)
  for (let at = 0; at + 4 <= extra.length; at += 4 + view.getUint16(at + 2, true)) {
    const [field, length] = [view.getUint16(at, true), view.getUint16(at + 2, true)]
    if (field !== unicodePathField || length < 5 || at + 4 + length > extra.length) continue
    if (view.getUint32(at + 5, true) === crc32(name))
      return Buffer.from(extra.subarray(at + 9, at + 4 + length)).toString()
  }
  try {
    return utf8.decode(name)
  } catch {
    return Buffer.from(name).toString('latin1')
  }
}

/** The byte range of one entry, including its local header. */
interface Region {
  from: number
  dataAt: number
  to: number
}

/**
 * The offset of the first central header, and the number of bytes before the archive, by which all recorded offsets are
 * off.
 */
function findDirectory(bytes: Uint8Array, view: DataView, maxEntries: number): { start: number; prefixLength: number } {
  const tail = Math.max(0, bytes.length - endRecordLength - maxCommentLength)
  const found = Buffer.from(bytes.buffer, bytes.byteOffset + tail, bytes.length - tail).lastIndexOf(endRecordSignature)
  const end = tail + found
  if (found < 0 || end + endRecordLength > bytes.length) {
    throw new FormatError('BROKEN', 'no end-of-central-directory record: not a zip file, or a truncated one')
  }
  const entries = view.getUint16(end + 10, true)
  const size = view.getUint32(end + 12, true)
  const offset = view.getUint32(end + 16, true)
  if (entries === 0xffff || size === 0xffffffff || offset === 0xffffffff)
    throw tooManyEntriesError('a ZIP64 directory', maxEntries)
  if (entries > maxEntries) throw tooManyEntriesError(`${entries}`, maxEntries)
  if (view.getUint32(end + 4, true) !== 0) throw new FormatError('BROKEN', 'one part of a zip file in several volumes')
  const prefixLength = end - size - offset
  if (prefixLength < 0) throw new FormatError('BROKEN', `the zip file lacks ${-prefixLength} bytes`)
  return { start: offset + prefixLength, prefixLength }
}

function readRegion(view: DataView, at: number, prefixLength: number): Region {
  if ((view.getUint16(at + 8, true) & 1) === 1) throw new FormatError('ENCRYPTED', 'the zip file is encrypted')
  const compressed = view.getUint32(at + 20, true)
  const from = prefixLength + view.getUint32(at + 42, true)
  if (from + localHeaderLength > view.byteLength || view.getUint32(from, true) !== localHeaderSignature) {
    throw new FormatError('BROKEN', 'an entry of the zip file has no local header')
  }
  const dataAt = from + localHeaderLength + view.getUint16(from + 26, true) + view.getUint16(from + 28, true)
  return { from, dataAt, to: dataAt + compressed }
}

function requireNoOverlaps(regions: Region[], directory: number): void {
  regions.sort((one, other) => one.from - other.from)
  let end = 0
  for (const { from, to } of regions) {
    if (from < end) throw new FormatError('BROKEN', 'entries of the zip file overlap')
    end = to
  }
  if (end > directory) throw new FormatError('BROKEN', 'entries of the zip file run into its directory')
}

function tooManyEntriesError(found: string, maxEntries: number): FormatError {
  return new FormatError('TOO_LARGE', `${found} entries in the zip file; the limit is ${maxEntries}`)
}
