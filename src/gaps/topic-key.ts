import { createHash } from 'node:crypto'

/**
 * A key of 32 characters, equal for texts that differ only in case, white space, accents or Unicode form. Punctuation
 * counts: C, C++ and C# are three topics.
 */
export function topicKey(...texts: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify(texts.map(normalizeForComparison)))
    .digest('base64url')
    .slice(0, 32)
}

/** Only general accents: the combining marks of Indic and other scripts are vowels. */
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
