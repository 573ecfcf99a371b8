import { FormatError } from '../format.ts'
import type { KindleHeader } from './kindle-header.ts'
import type { PalmDatabase } from './palm-database.ts'
import { maxRecordBytes, unpackPalmDoc } from './palmdoc.ts'
import { readPhrases, type Unpack } from './phrases.ts'

/** The unpacked bytes of all text records. Throws `TOO_LARGE` beyond `maxBytes`, and `BROKEN`. */
export function readText(database: PalmDatabase, header: KindleHeader, maxBytes: number): Buffer {
  const unpack = unpackerOf(database, header)
  const parts: Buffer[] = []
  const out = Buffer.alloc(maxRecordBytes)
  let size = 0
  for (let at = 1; at <= header.textRecords; at++) {
    const length = unpack(withoutTrailing(database.record(header.first + at), header.trailing), out)
    size += length
    if (size > maxBytes) throw new FormatError('TOO_LARGE', `a text of more than ${maxBytes} bytes`)
    parts.push(Buffer.from(out.subarray(0, length)))
  }
  return Buffer.concat(parts, size)
}

function unpackerOf(database: PalmDatabase, { compression, phrases }: KindleHeader): Unpack {
  if (compression === 'palmdoc') return unpackPalmDoc
  if (compression === 'huffman') return readPhrases(database, phrases)
  return (packed, out) => {
    if (packed.length > out.length) throw new FormatError('BROKEN', 'a record of text is too long')
    out.set(packed)
    return packed.length
  }
}

/**
 * The text of a record without its trailing entries: one for each bit of `flags`, the first of which is the rest of a
 * multi-byte character.
 */
function withoutTrailing(record: Uint8Array, flags: number): Uint8Array {
  let end = record.length
  for (let rest = flags >> 1; rest > 0; rest >>= 1) {
    if ((rest & 1) === 1) end = Math.max(0, end - trailingLength(record, end))
  }
  if ((flags & 1) === 1 && end > 0) end = Math.max(0, end - ((record[end - 1] as number) & 3) - 1)
  return record.subarray(0, end)
}

/** The length of a trailing entry, encoded in its last bytes; the first of these has the high bit. */
function trailingLength(record: Uint8Array, end: number): number {
  let length = 0
  for (let at = Math.max(0, end - 4); at < end; at++) {
    const byte = record[at] as number
    length = (byte & 0x80) !== 0 ? byte & 0x7f : (length << 7) | byte
  }
  return length
}
