/** Finds in one fast pass that a text has nothing to look at more closely, as nearly all have. */
const unusual = /[^\t\n\r -~\u00A0-\uD7FF\uF900-\uFFFC]/
const unreadable = /[\p{Co}\uFFFD]|[^\P{Cc}\t\n\r]/gu

/** Share (0 to 1) of the characters that no reader can use: private-use, control and replacement characters. */
export function unreadableShare(text: string): number {
  if (!unusual.test(text)) return 0
  let count = 0
  for (const [character] of text.matchAll(unreadable)) count += character.length
  return count / text.length
}
