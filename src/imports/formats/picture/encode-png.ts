import { crc32, deflateSync } from 'node:zlib'

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
/** Colour types in the header (PNG, section 11.2.1). */
const grey = 0
const palette = 3

/** A picture whose pixels are palette indices. */
export interface IndexedPicture {
  width: number
  height: number
  /** One byte per pixel. */
  indices: Uint8Array
}

/** Encodes a grey PNG with 16 levels, 4 bits per pixel; 15 is white. */
export function encodeGreyPng({ width, height, indices }: IndexedPicture): Buffer {
  const stride = 1 + Math.ceil(width / 2)
  const rows = Buffer.alloc(stride * height)
  for (let y = 0, from = 0; y < height; y++) {
    for (let x = 0, to = y * stride + 1; x < width; x += 2, to++) {
      const left = indices[from++] as number
      const right = x + 1 < width ? (indices[from++] as number) : 0
      rows[to] = (left << 4) | right
    }
  }
  return assemble({ width, height, depth: 4, colour: grey }, [['IDAT', deflateSync(rows)]])
}

/** Encodes a PNG with at most 256 colours; `colours` has red, green and blue for each. */
export function encodePalettePng({ width, height, indices }: IndexedPicture, colours: Uint8Array): Buffer {
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++) rows.set(indices.subarray(y * width, (y + 1) * width), y * (width + 1) + 1)
  return assemble({ width, height, depth: 8, colour: palette }, [
    ['PLTE', colours],
    ['IDAT', deflateSync(rows)],
  ])
}

interface Header {
  width: number
  height: number
  /** Bits per pixel. */
  depth: number
  colour: number
}

function assemble({ width, height, depth, colour }: Header, chunks: [type: string, data: Uint8Array][]): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([depth, colour], 8)
  const all: [string, Uint8Array][] = [['IHDR', header], ...chunks, ['IEND', Buffer.alloc(0)]]
  return Buffer.concat([signature, ...all.map(([type, data]) => encodeChunk(type, data))])
}

function encodeChunk(type: string, data: Uint8Array): Buffer {
  const chunk = Buffer.alloc(data.length + 12)
  chunk.writeUInt32BE(data.length, 0)
  chunk.write(type, 4, 'latin1')
  chunk.set(data, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, data.length + 8)), data.length + 8)
  return chunk
}
