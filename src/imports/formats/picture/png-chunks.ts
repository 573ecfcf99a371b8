/** The contents of the chunks of a PNG by type, up to the first truncated one. */
export function readPngChunks(bytes: Uint8Array): Map<string, Uint8Array[]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const chunks = new Map<string, Uint8Array[]>()
  for (let at = 8; at + 12 <= bytes.length;) {
    const length = view.getUint32(at)
    if (at + 12 + length > bytes.length) break
    const type = Buffer.from(bytes.subarray(at + 4, at + 8)).toString('latin1')
    const contents = chunks.get(type) ?? []
    contents.push(bytes.subarray(at + 8, at + 8 + length))
    chunks.set(type, contents)
    at += 12 + length
  }
  return chunks
}
