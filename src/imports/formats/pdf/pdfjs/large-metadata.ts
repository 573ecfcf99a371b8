import { inflateSync } from 'node:zlib'

/**
 * Maximum size of an XML metadata stream, in bytes. Larger ones are ignored, because the engine needs a hundred times
 * their size. Real files have a tenth of it.
 */
const maxMetadataBytes = 1024 * 1024
/** Maximum number of metadata streams that are measured. A file has one, and at most one for each picture. */
const maxMeasured = 20
const maxDictionaryBytes = 1024

/**
 * Hides metadata streams that are too large by overwriting the name that refers to them, so that the rest of the file
 * can be read. Changes `bytes`. Stream dictionaries are in plain text even if everything else is compressed or
 * encrypted.
 */
export function hideLargeMetadata(bytes: Uint8Array): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const name = '/Metadata'
  let found = 0
  for (let at = file.indexOf(name); at >= 0; at = file.indexOf(name, at + 1)) {
    if (!/\/Type\s{0,10}$/.test(file.toString('latin1', Math.max(0, at - 20), at))) continue
    found += 1
    if (found > maxMeasured || isLarge(file, at)) file.write('/Hidden__', at, 'latin1')
  }
}

function isLarge(file: Buffer, at: number): boolean {
  const start = file.indexOf('stream', at)
  if (start < 0 || start - at > maxDictionaryBytes) return false
  const content = start + 'stream'.length
  const end = file.indexOf('endstream', content)
  if ((end < 0 ? file.length : end) - content > maxMetadataBytes) return true
  const data = file.subarray(content, end < 0 ? file.length : end)
  return inflatesBeyondLimit(data.subarray(data[0] === 0x0d ? 2 : 1))
}

/** Whether data is compressed and decompresses to more than the limit. Uncompressed data is not measured here. */
function inflatesBeyondLimit(data: Uint8Array): boolean {
  try {
    inflateSync(data, { maxOutputLength: maxMetadataBytes })
    return false
  } catch (error) {
    return error instanceof RangeError
  }
}
