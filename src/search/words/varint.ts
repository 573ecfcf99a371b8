/** A read position in bytes. */
export interface ByteCursor {
  bytes: Uint8Array
  at: number
}

/** The maximum size of a varint in bytes. */
export const maxVarintBytes = 5

/** Appends an integer from 0 to 2^32 - 1 as a varint: seven-bit groups, lowest first. */
function pushVarint(out: number[], value: number): void {
  let rest = value
  while (rest > 0x7f) {
    out.push((rest & 0x7f) | 0x80)
    rest >>>= 7
  }
  out.push(rest)
}

/** Writes an integer from 0 to 2^32 - 1 as a varint at `at`. Returns the offset after it. */
export function writeVarint(out: Uint8Array, at: number, value: number): number {
  let rest = value
  let end = at
  while (rest > 0x7f) {
    out[end++] = (rest & 0x7f) | 0x80
    rest >>>= 7
  }
  out[end++] = rest
  return end
}

/** Reads a varint and advances the cursor. */
export function readVarint(cursor: ByteCursor): number {
  const { bytes } = cursor
  let value = 0
  let shift = 0
  for (;;) {
    const byte = bytes[cursor.at++] as number
    value |= (byte & 0x7f) << shift
    if (byte < 0x80 || shift > 28) return value >>> 0
    shift += 7
  }
}

/** Packs integers as varints. */
export function packIntegers(values: Iterable<number>): Uint8Array {
  const out: number[] = []
  for (const value of values) pushVarint(out, value)
  return Uint8Array.from(out)
}

/** Unpacks the integers of `packIntegers`. */
export function unpackIntegers(bytes: Uint8Array): number[] {
  const cursor = { bytes, at: 0 }
  const values: number[] = []
  while (cursor.at < bytes.length) values.push(readVarint(cursor))
  return values
}
