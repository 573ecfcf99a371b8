/** The longest tokens in the filter, in letters. */
export const longestInFilter = 6
/** Bits of the filter that a token sets. */
export const probes = 5

/** The number of the last bit. */
export const lastBit = 0x7ffff

/** The hash of no letters, of tokens that begin with a blank. */
export const startSeed = 0x811c9dc5
/** The hash of no letters, of tokens that are letters alone. */
export const innerSeed = 0x5bd1e995

/** The hash of a token from that of the letters before its last (FNV-1a). */
export function hashLetter(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193)
}

/** The number of the first bit of a token, of 2 ** 19; the others follow at equal steps (double hashing). */
export function firstProbe(hash: number): number {
  return (hash ^ (hash >>> 15)) & lastBit
}

/** The step from a bit of a token to its next. */
export function probeStep(hash: number): number {
  return (Math.imul(hash, 0x85ebca6b) >>> 13) | 1
}
