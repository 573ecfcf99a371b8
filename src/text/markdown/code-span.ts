/** Returns a text as inline code. The fence is longer than any run of backticks in the text. */
export function codeSpan(text: string): string {
  if (!text.includes('`')) return `\`${text}\``
  const fence = '`'.repeat(backtickRunLength(text) + 1)
  const padding = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
  return fence + padding + text + padding + fence
}

/** Returns the length of the longest run of backticks in a text. */
export function backtickRunLength(text: string): number {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}
