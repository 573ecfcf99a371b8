import { FormatError } from '../format.ts'

const endSignature = Buffer.from([0x50, 0x4b, 0x05, 0x06])
const endLength = 22
const longestComment = 0xffff
const centralSignature = 0x02014b50
const centralLength = 46
const localSignature = 0x04034b50
const localLength = 30

/**
 * Checks the central directory of a zip file (APPNOTE.TXT 4.3) before anything is made of it: at most `maxEntries`
 * entries, none encrypted, none sharing bytes with another, no name with `..` in it. Throws `FormatError` otherwise.
 */
export function checkDirectory(bytes: Uint8Array, maxEntries: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const { start, shift } = findDirectory(bytes, view, maxEntries)
  const regions: Region[] = []
  for (let at = start; at + centralLength <= bytes.length && view.getUint32(at, true) === centralSignature;) {
    if (regions.length === maxEntries) throw tooMany(`more than ${maxEntries}`, maxEntries)
    regions.push(readRegion(view, at, shift))
    at += centralLength + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  refuseOverlaps(regions, start)
}

/** Where the bytes of one entry, its local header included, begin and end. */
interface Region {
  from: number
  to: number
}

/** The offset of the first central header, and by how much all recorded offsets are off because bytes stand before the archive. */
function findDirectory(bytes: Uint8Array, view: DataView, maxEntries: number): { start: number; shift: number } {
  const tail = Math.max(0, bytes.length - endLength - longestComment)
  const found = Buffer.from(bytes.buffer, bytes.byteOffset + tail, bytes.length - tail).lastIndexOf(endSignature)
  const end = tail + found
  if (found < 0 || end + endLength > bytes.length) {
    throw new FormatError('BROKEN', 'no end-of-central-directory record: not a zip file, or a truncated one')
  }
  const entries = view.getUint16(end + 10, true)
  const size = view.getUint32(end + 12, true)
  const offset = view.getUint32(end + 16, true)
  if (entries === 0xffff || size === 0xffffffff || offset === 0xffffffff) throw tooMany('a ZIP64 directory', maxEntries)
  if (entries > maxEntries) throw tooMany(`${entries}`, maxEntries)
  if (view.getUint32(end + 4, true) !== 0) throw new FormatError('BROKEN', 'one part of a zip file in several volumes')
  const shift = end - size - offset
  if (shift < 0) throw new FormatError('BROKEN', `the zip file lacks ${-shift} bytes`)
  return { start: offset + shift, shift }
}

function readRegion(view: DataView, at: number, shift: number): Region {
  if ((view.getUint16(at + 8, true) & 1) === 1) throw new FormatError('ENCRYPTED', 'the zip file is encrypted')
  const compressed = view.getUint32(at + 20, true)
  const from = shift + view.getUint32(at + 42, true)
  if (from + localLength > view.byteLength || view.getUint32(from, true) !== localSignature) {
    throw new FormatError('BROKEN', 'an entry of the zip file points at no local header')
  }
  const nameLength = view.getUint16(from + 26, true)
  const name = Buffer.from(view.buffer, view.byteOffset + from + localLength).toString('latin1', 0, nameLength)
  if (/(?:^|[/\\])\.\.(?:[/\\]|$)/.test(name)) {
    throw new FormatError('BROKEN', 'a name in the zip file climbs out of the archive')
  }
  return { from, to: from + localLength + nameLength + view.getUint16(from + 28, true) + compressed }
}

function refuseOverlaps(regions: Region[], directory: number): void {
  regions.sort((one, other) => one.from - other.from)
  let end = 0
  for (const { from, to } of regions) {
    if (from < end) throw new FormatError('BROKEN', 'entries of the zip file overlap')
    end = to
  }
  if (end > directory) throw new FormatError('BROKEN', 'entries of the zip file run into its directory')
}

function tooMany(found: string, maxEntries: number): FormatError {
  return new FormatError('TOO_LARGE', `${found} entries in the zip file; the limit is ${maxEntries}`)
}
