/** A range of the rows of a table, given by the upper bits of their hashes. */
export interface Range {
  range: number
  /** The number of upper bits of a hash that select its range. */
  prefixBits: number
}

/** The number of rows in memory at a time, as a power of two. */
const rangeBits = 6

/** Returns all ranges of a table of 2^`bits` rows. */
export function rangesOf(bits: number): Range[] {
  const prefixBits = Math.max(0, bits - rangeBits)
  return Array.from({ length: 2 ** prefixBits }, (_, range) => ({ range, prefixBits }))
}

/** Returns the rows of a table of 2^`bits` rows that can contain hashes of a range. */
export function shardsIn(bits: number, { range, prefixBits }: Range): number[] {
  if (bits <= prefixBits) return [range >>> (prefixBits - bits)]
  const width = 2 ** (bits - prefixBits)
  return Array.from({ length: width }, (_, i) => range * width + i)
}
