/** Finds in one fast pass that a text has nothing to look at more closely, as nearly all have. */
const suspiciousPattern = /[^\t\n\r -~\u00A0-\uD7FF\uF900-\uFFFC]/
const unreadablePattern = /[\p{Co}\uFFFD]|[^\P{Cc}\t\n\r]/gu

/** Share (0 to 1) of the characters that no reader can use: private-use, control and replacement characters. */
export function unreadableShare(text: string): number {
  if (!suspiciousPattern.test(text)) return 0
  let count = 0
  for (const [character] of text.matchAll(unreadablePattern)) count += character.length
  return count / text.length
}
