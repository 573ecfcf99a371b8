import { createHash } from 'node:crypto'

/**
 * A key of 32 characters, the same for texts that count as one: whatever their case, spaces, accents and forms of
 * Unicode. Punctuation counts: C, C++ and C# are three topics.
 */
export function topicKey(...texts: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify(texts.map(normalizeForComparison)))
    .digest('base64url')
    .slice(0, 32)
}

/** The general accents only: the marks of Indic and other scripts are vowels. */
const accents = /[\u0300-\u036f]/g

function normalizeForComparison(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(accents, '')
    .replaceAll(/\p{Cf}/gu, '')
    .toUpperCase()
    .normalize('NFKC')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
