import { escapeInvisible } from '../runtime/escape-invisible.ts'

const maxLength = 80

/**
 * What somebody else wrote, as the last lines of a mail: one quoted line each, cut to 80 characters, invisible characters
 * written out. Nothing of it can be taken for the words of the server.
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
