/** Fast pre-check: nearly every text has no suspicious character. */
const suspiciousPattern = /[^\t\n\r -~\u00A0-\uD7FF\uF900-\uFFFC]/
const unreadablePattern = /[\p{Co}\uFFFD]|[^\P{Cc}\t\n\r]/gu

/** The share (0 to 1) of unreadable characters: private-use, control and replacement characters. */
export function unreadableShare(text: string): number {
  if (!suspiciousPattern.test(text)) return 0
  let count = 0
  for (const [character] of text.matchAll(unreadablePattern)) count += character.length
  return count / text.length
}
