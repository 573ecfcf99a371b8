// Writes src/mcp/token-words.ts: a Bloom filter of the tokens of o200k that are two to six small Latin letters.
// Usage: node bench/token-words.ts
import { writeFile } from 'node:fs/promises'
import ranks from 'gpt-tokenizer/bpeRanks/o200k_base'
import {
  firstProbe,
  hashLetter,
  innerSeed,
  lastBit,
  longestInFilter,
  probes,
  probeStep,
  startSeed,
} from '../src/mcp/letter-filter.ts'

const bits = new Uint8Array((lastBit + 1) / 8)
for (const token of ranks) {
  const [, blank, letters] = /^( ?)([a-z]{2,})$/.exec(String(token)) ?? []
  if (letters === undefined || letters.length > longestInFilter) continue
  let hash = blank === ' ' ? startSeed : innerSeed
  for (const letter of letters) hash = hashLetter(hash, letter.charCodeAt(0))
  let bit = firstProbe(hash)
  for (let left = probes; left > 0; left--) {
    bits[bit >> 3] = (bits[bit >> 3] as number) | (1 << (bit & 7))
    bit = (bit + probeStep(hash)) & lastBit
  }
}
await writeFile(
  new URL('../src/mcp/token-words.ts', import.meta.url),
  `/*
 * A Bloom filter of the o200k tokens that are two to six small Latin letters, with and without a blank before them, as
 * Base64: see letter-filter.ts. Made with \`node bench/token-words.ts\`.
 */
const packed =
  '${Buffer.from(bits).toString('base64')}'

/** The bits of the filter. */
export function unpackTokenWords(): Uint8Array {
  return new Uint8Array(Buffer.from(packed, 'base64'))
}
`,
)
