/** Maximum length of tokens in the filter, in letters. */
export const maxLengthInFilter = 6
/** Number of bits per token (probes). */
export const probes = 5

/** Index of the last bit. */
export const lastBit = 0x7ffff

/** Initial hash for tokens that begin with a space. */
export const startSeed = 0x811c9dc5
/** Initial hash for tokens of letters only. */
export const innerSeed = 0x5bd1e995

/** Extends the hash of a token by one letter (FNV-1a). */
export function hashLetter(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193)
}

/** The index of the first bit of a token, among 2 ** 19; the others follow at equal steps (double hashing). */
export function firstProbe(hash: number): number {
  return (hash ^ (hash >>> 15)) & lastBit
}

/** The step between the bits of a token. */
export function probeStep(hash: number): number {
  return (Math.imul(hash, 0x85ebca6b) >>> 13) | 1
}
