import { FormatError } from '../format.ts'

const endRecordSignature = Buffer.from([0x50, 0x4b, 0x05, 0x06])
const endRecordLength = 22
const maxCommentLength = 0xffff
const centralHeaderSignature = 0x02014b50
const centralHeaderLength = 46
const localHeaderSignature = 0x04034b50
const localHeaderLength = 30

/**
 * Checks the central directory of a zip file (APPNOTE.TXT 4.3) before anything is unpacked: at most `maxEntries`
 * entries, none encrypted, none overlapping another, no name with `..`. Throws `FormatError` otherwise.
 */
export function checkDirectory(bytes: Uint8Array, maxEntries: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const { start, prefixLength } = findDirectory(bytes, view, maxEntries)
  const regions: Region[] = []
  for (
    let at = start;
    at + centralHeaderLength <= bytes.length && view.getUint32(at, true) === centralHeaderSignature;
  ) {
    if (regions.length === maxEntries) throw tooManyEntriesError(`more than ${maxEntries}`, maxEntries)
    regions.push(readRegion(view, at, prefixLength))
    at +=
      centralHeaderLength +
      view.getUint16(at + 28, true) +
      view.getUint16(at + 30, true) +
      view.getUint16(at + 32, true)
  }
  requireNoOverlaps(regions, start)
}

/** The byte range of one entry, including its local header. */
interface Region {
  from: number
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
  const nameLength = view.getUint16(from + 26, true)
  const name = Buffer.from(view.buffer, view.byteOffset + from + localHeaderLength).toString('latin1', 0, nameLength)
  if (/(?:^|[/\\])\.\.(?:[/\\]|$)/.test(name)) {
    throw new FormatError('BROKEN', 'a name in the zip file contains ..')
  }
  return { from, to: from + localHeaderLength + nameLength + view.getUint16(from + 28, true) + compressed }
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
