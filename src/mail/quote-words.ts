import { escapeInvisible } from '../runtime/escape-invisible.ts'

const maxLength = 80

/**
 * Quotes text by other people as the last lines of a mail: one quoted line each, truncated to 80 characters, with
 * invisible characters escaped. It cannot be mistaken for the server's own words.
 */
export function quoteWords(words: Record<string, string>): string {
  return Object.entries(words)
    .map(([label, text]) => `> ${label}: ${quoteLine(text)}`)
    .join('\n')
}

function quoteLine(text: string): string {
  const characters = [...escapeInvisible(text.replaceAll(/\s+/gu, ' ').trim())]
  return characters.length > maxLength ? `${characters.slice(0, maxLength - 1).join('')}…` : characters.join('')
}
