const maxTitleBytes = 80

/** Keeps long titles from filling an answer: at most 80 bytes of UTF-8 and an ellipsis, whatever the script. */
export function clipTitle(text: string): string {
  if (Buffer.byteLength(text) <= maxTitleBytes) return text
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxTitleBytes))
  return `${text.slice(0, read)}…`
}
