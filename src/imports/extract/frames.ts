import type { Readable } from 'node:stream'

const headerBytes = 4

/** The stream violates the framing; nothing after this point can be trusted. */
export class FrameError extends Error {
  override readonly name = 'FrameError'
}

/** Encodes one value as a frame: the length of its JSON in UTF-8 as a 4-byte big-endian integer, then the JSON. */
export function encodeFrame(value: object): Buffer {
  const json = JSON.stringify(value)
  const length = Buffer.byteLength(json)
  const frame = Buffer.allocUnsafe(headerBytes + length)
  frame.writeUInt32BE(length)
  frame.write(json, headerBytes)
  return frame
}

/**
 * Yields the value of each frame. Reads only as far as the caller iterates, so that a slow caller slows the sender
 * down. Throws `FrameError` for a frame that exceeds `maxBytes` or is not JSON; drops a frame that the end of the
 * stream truncates.
 */
export async function* readFrames(stream: Readable, maxBytes: number): AsyncGenerator<unknown, void, void> {
  let chunks: Buffer[] = []
  let buffered = 0
  let needed = headerBytes
  for await (const chunk of stream) {
    chunks.push(chunk)
    buffered += chunk.length
    if (buffered < needed) continue
    let bytes = Buffer.concat(chunks)
    for (;;) {
      needed = frameBytes(bytes, maxBytes)
      if (bytes.length < needed) break
      yield parse(bytes.subarray(headerBytes, needed))
      bytes = bytes.subarray(needed)
    }
    chunks = [bytes]
    buffered = bytes.length
  }
}

function frameBytes(bytes: Buffer, maxBytes: number): number {
  if (bytes.length < headerBytes) return headerBytes
  const length = bytes.readUInt32BE()
  if (length > maxBytes) throw new FrameError(`a frame of ${length} bytes, more than ${maxBytes}`)
  return headerBytes + length
}

function parse(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString('utf8'))
  } catch (error) {
    throw new FrameError('a frame that is not JSON', { cause: error })
  }
}
