// Writes src/mcp/character-tokens.ts: how many tokens of o200k each character of the BMP is, alone.
// Usage: node bench/character-tokens.ts
import { writeFile } from 'node:fs/promises'
import { deflateRawSync } from 'node:zlib'
import { tokensOf } from './measure-tokens.ts'

const bytes = new Uint8Array(0x10000 / 4)
for (let unit = 0x80; unit < 0x10000; unit++) {
  if (unit >= 0xd800 && unit < 0xe000) continue
  bytes[unit >> 2] =
    (bytes[unit >> 2] as number) | (Math.min(3, tokensOf(String.fromCharCode(unit))) << ((unit & 3) * 2))
}
const packed = deflateRawSync(bytes, { level: 9 }).toString('base64')
await writeFile(
  new URL('../src/mcp/character-tokens.ts', import.meta.url),
  `import { inflateRawSync } from 'node:zlib'

/*
 * How many tokens of o200k each character is, alone: 1, 2 or 3, two bits each, from U+0000 on, as deflated Base64. Made
 * with \`node bench/character-tokens.ts\`.
 */
const packed =
  '${packed}'

/** The number of o200k tokens of each UTF-16 unit from U+0080 on, alone; 0 for halves of surrogate pairs. */
export function unpackCharacterTokens(): Uint8Array {
  const bytes = inflateRawSync(Buffer.from(packed, 'base64'))
  return Uint8Array.from({ length: 0x10000 }, (_, unit) => ((bytes[unit >> 2] as number) >> ((unit & 3) * 2)) & 3)
}
`,
)
