import { brotliDecompressSync, constants, inflateRawSync, inflateSync } from 'node:zlib'

/** Maximum uncompressed size of one stream, in bytes. The largest page seen in a real PDF needs a tenth of it. */
const maxStreamBytes = 64 * 1024 * 1024

let refusedCount = 0
let unpackedByteCount = 0

/** The number of streams above the size limit since the process started. */
export function refusedStreams(): number {
  return refusedCount
}

/** The number of bytes that streams were decompressed to since the process started. */
export function decompressedBytes(): number {
  return unpackedByteCount
}

/**
 * Installs a limit on the decompression of pdf.js, which uses the global `DecompressionStream` and has no limit itself.
 * A stream above the limit reads as empty and is counted. A stream is decompressed in one call instead of through the
 * thread pool, which is also faster.
 */
export function boundDecompression(): void {
  globalThis.DecompressionStream = BoundedDecompressionStream
}

class BoundedDecompressionStream {
  readonly readable: ReadableStream
  readonly writable: WritableStream

  constructor(format: string) {
    const chunks: Uint8Array[] = []
    const output = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk) {
        chunks.push(chunk)
      },
      flush(controller) {
        controller.enqueue(decompress(format, chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
      },
    })
    this.readable = output.readable
    this.writable = output.writable
  }
}

function decompress(format: string, bytes: Uint8Array): Uint8Array {
  // With this flag a truncated stream, which is common in damaged files, yields the part that it has.
  const options = { maxOutputLength: maxStreamBytes, finishFlush: constants.Z_SYNC_FLUSH }
  try {
    const output =
      format === 'brotli'
        ? brotliDecompressSync(bytes, { maxOutputLength: maxStreamBytes })
        : format === 'deflate-raw'
          ? inflateRawSync(bytes, options)
          : inflateSync(bytes, options)
    unpackedByteCount += output.length
    return new Uint8Array(output.buffer, output.byteOffset, output.byteLength) // pdf.js refuses a Buffer
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    refusedCount += 1
    return new Uint8Array()
  }
}
