/** Copies a part of a text, because V8 keeps the whole text in memory for substrings of 13 UTF-16 units and more. */
export function ownCopy(part: string): string {
  return part.length < 13 ? part : Buffer.from(part, 'utf16le').toString('utf16le')
}
