/** The number of characters of runs or pieces of text, without the spaces between them. */
export function countCharacters(parts: readonly { text: string }[]): number {
  return parts.reduce((sum, { text }) => sum + text.length, 0)
}
