/** A part of the rows of a table, by the upper bits of their hashes. */
export interface Range {
  range: number
  /** Number of upper bits of a hash that select its range. */
  prefixBits: number
}

/** Number of rows in memory at a time, as a power of two. */
const rangeBits = 6

/** All ranges of a table of `bits` bits. */
export function rangesOf(bits: number): Range[] {
  const prefixBits = Math.max(0, bits - rangeBits)
  return Array.from({ length: 2 ** prefixBits }, (_, range) => ({ range, prefixBits }))
}

/** The rows of a table of `bits` bits that can contain hashes of a range. */
export function shardsIn(bits: number, { range, prefixBits }: Range): number[] {
  if (bits <= prefixBits) return [range >>> (prefixBits - bits)]
  const width = 2 ** (bits - prefixBits)
  return Array.from({ length: width }, (_, i) => range * width + i)
}
