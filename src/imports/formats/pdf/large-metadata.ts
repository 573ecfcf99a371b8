import { inflateSync } from 'node:zlib'

/** Metadata in XML beyond this is not read: the engine needs a hundred times its size. Real files have a tenth of it, in bytes. */
const maxMetadataBytes = 1024 * 1024
/** A file has one, and one for each picture at most; further ones are not measured. */
const maxMeasured = 20
const maxDictionaryBytes = 1024

/**
 * Hides metadata that is too large to be read, by another name in its place, so that the rest of the file is read. Changes `bytes`. The
 * dictionary of a stream stands in plain text, whatever else is compressed or encrypted.
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
  return unfoldsTooFar(data.subarray(data[0] === 0x0d ? 2 : 1))
}

/** Whether data are compressed and unfold to more than is read; other data are as large as they are. */
function unfoldsTooFar(data: Uint8Array): boolean {
  try {
    inflateSync(data, { maxOutputLength: maxMetadataBytes })
    return false
  } catch (error) {
    return error instanceof RangeError
  }
}
