const maxTitleBytes = 80

/** Clips a text to 80 bytes of UTF-8 with an ellipsis, so that long titles do not fill an answer. */
export function clipTitle(text: string): string {
  if (Buffer.byteLength(text) <= maxTitleBytes) return text
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxTitleBytes))
  return `${text.slice(0, read)}…`
}
