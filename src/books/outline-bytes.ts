/** The stored bytes of a table of contents; 0 if it is empty. */
export function outlineBytes(toc: readonly object[]): number {
  return toc.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(toc))
}
