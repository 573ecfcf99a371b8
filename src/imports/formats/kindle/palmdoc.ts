import { FormatError } from '../format.ts'

/** Maximum unpacked size of one text record, bytes; records of real books have 4,096. */
export const maxRecordBytes = 64 * 1024

/**
 * Unpacks a PalmDOC record into `out`, which has `maxRecordBytes`; returns the number of unpacked bytes. Throws
 * `BROKEN`.
 */
export function unpackPalmDoc(packed: Uint8Array, out: Uint8Array): number {
  let size = 0
  for (let at = 0; at < packed.length;) {
    if (size + 10 > out.length) throw new FormatError('BROKEN', 'a record of text is too long')
    const byte = packed[at++] as number
    if (byte >= 1 && byte <= 8) {
      for (const end = Math.min(packed.length, at + byte); at < end; at++) out[size++] = packed[at] as number
    } else if (byte < 0x80) {
      out[size++] = byte
    } else if (byte >= 0xc0) {
      out[size++] = 0x20
      out[size++] = byte ^ 0x80
    } else if (at < packed.length) {
      const pair = (byte << 8) | (packed[at++] as number)
      const distance = (pair & 0x3fff) >> 3
      if (distance === 0 || distance > size) throw new FormatError('BROKEN', 'a record of text repeats what it lacks')
      for (const end = size + (pair & 7) + 3; size < end; size++) out[size] = out[size - distance] as number
    }
  }
  return size
}
