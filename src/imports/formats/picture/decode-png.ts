import { inflateSync } from 'node:zlib'
import type { Pixels } from './encode-jpeg.ts'
import { readPngChunks } from './png-chunks.ts'

/** Maximum number of decoded pixels; each takes up to 8 bytes during decoding. */
const maxPixels = 16_000_000

interface PngHeader {
  width: number
  height: number
  /** Bits per sample. */
  depth: number
  /** Samples per pixel. */
  samples: number
  kind: number
}

const [greyKind, colourKind, paletteKind, greyAlphaKind, colourAlphaKind] = [0, 2, 3, 4, 6]
const samplesOf = new Map([
  [greyKind, 1],
  [colourKind, 3],
  [paletteKind, 1],
  [greyAlphaKind, 2],
  [colourAlphaKind, 4],
])
const depthsOf = new Map([
  [greyKind, [1, 2, 4, 8, 16]],
  [colourKind, [8, 16]],
  [paletteKind, [1, 2, 4, 8]],
  [greyAlphaKind, [8, 16]],
  [colourAlphaKind, [8, 16]],
])

/**
 * Decodes a PNG (third edition) on a white background, scaled to at most `maxSide` wide and high. Null if it is
 * damaged, interlaced or too large.
 */
export function decodePng(bytes: Uint8Array, maxSide: number): Pixels | null {
  const chunks = readPngChunks(bytes)
  const header = readHeader(chunks.get('IHDR')?.[0])
  if (!header) return null
  const stride = Math.ceil((header.width * header.samples * header.depth) / 8)
  const rows = inflateRows(chunks.get('IDAT') ?? [], (stride + 1) * header.height)
  if (!rows || !removeFilters(rows, { stride, pixel: Math.max(1, (header.samples * header.depth) >> 3) })) return null
  const colours = paletteOf(chunks)
  if (header.kind === paletteKind && colours.length === 0) return null
  return scaleRows(header, { rows, stride, colours, transparent: transparentSample(chunks, header) }, maxSide)
}

function readHeader(data: Uint8Array | undefined): PngHeader | null {
  if (!data || data.length < 13) return null
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const [width, height] = [view.getUint32(0), view.getUint32(4)]
  const [depth, kind, , , interlaced] = [data[8] ?? 0, data[9] ?? 0, data[10], data[11], data[12]]
  const samples = samplesOf.get(kind)
  if (samples === undefined || !depthsOf.get(kind)?.includes(depth) || interlaced !== 0) return null
  if (width === 0 || height === 0 || width * height > maxPixels) return null
  return { width, height, depth, samples, kind }
}

/** Inflates exactly `length` bytes of rows; null if there are fewer, or more (a decompression bomb). */
function inflateRows(parts: readonly Uint8Array[], length: number): Uint8Array | null {
  try {
    const rows = inflateSync(Buffer.concat(parts), { maxOutputLength: length })
    return rows.length === length ? rows : null
  } catch {
    return null
  }
}

/** Reverses the filters of all rows in place (section 9); returns false for an unknown filter. */
function removeFilters(rows: Uint8Array, { stride, pixel }: { stride: number; pixel: number }): boolean {
  for (let start = 0; start < rows.length; start += stride + 1) {
    const filter = rows[start] as number
    if (filter > 4) return false
    if (filter === 0) continue
    const above = start - stride - 1
    for (let at = 1; at <= stride; at++) {
      const left = at > pixel ? (rows[start + at - pixel] as number) : 0
      const up = above >= 0 ? (rows[above + at] as number) : 0
      const corner = above >= 0 && at > pixel ? (rows[above + at - pixel] as number) : 0
      rows[start + at] = (rows[start + at] as number) + predict(filter, { left, up, corner })
    }
  }
  return true
}

function predict(filter: number, { left, up, corner }: { left: number; up: number; corner: number }): number {
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  const estimate = left + up - corner
  const [toLeft, toUp, toCorner] = [Math.abs(estimate - left), Math.abs(estimate - up), Math.abs(estimate - corner)]
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}

type Colour = readonly [red: number, green: number, blue: number, alpha: number]

function paletteOf(chunks: ReadonlyMap<string, Uint8Array[]>): Colour[] {
  const [colours = new Uint8Array()] = chunks.get('PLTE') ?? []
  const [alphas = new Uint8Array()] = chunks.get('tRNS') ?? []
  return Array.from({ length: Math.floor(colours.length / 3) }, (_, at) => {
    const [red = 0, green = 0, blue = 0] = colours.subarray(at * 3, at * 3 + 3)
    return [red, green, blue, alphas[at] ?? 255]
  })
}

/** The samples of the single transparent colour of a picture without alpha. */
function transparentSample(chunks: ReadonlyMap<string, Uint8Array[]>, { kind, samples }: PngHeader): number[] | null {
  const data = chunks.get('tRNS')?.[0]
  if (!data || (kind !== greyKind && kind !== colourKind) || data.length < samples * 2) return null
  return Array.from({ length: samples }, (_, at) => ((data[at * 2] as number) << 8) | (data[at * 2 + 1] as number))
}

interface Rows {
  rows: Uint8Array
  stride: number
  colours: readonly Colour[]
  transparent: readonly number[] | null
}

/** Scales down by averaging whole pixels, blended with white. */
function scaleRows(header: PngHeader, source: Rows, maxSide: number): Pixels {
  const scale = Math.min(1, maxSide / Math.max(header.width, header.height))
  const width = Math.max(1, Math.round(header.width * scale))
  const height = Math.max(1, Math.round(header.height * scale))
  const rgba = new Uint8Array(width * height * 4)
  const readPixel = pixelReader(header, source)
  const sums = new Float64Array(width * 4)
  let row = 0
  for (let y = 0; y < header.height; y++) {
    for (let x = 0; x < header.width; x++) {
      const at = Math.min(width - 1, Math.floor((x * width) / header.width)) * 4
      const [red, green, blue, alpha] = readPixel(x, y)
      const paper = 255 - alpha
      sums[at] = (sums[at] as number) + (red * alpha) / 255 + paper
      sums[at + 1] = (sums[at + 1] as number) + (green * alpha) / 255 + paper
      sums[at + 2] = (sums[at + 2] as number) + (blue * alpha) / 255 + paper
      sums[at + 3] = (sums[at + 3] as number) + 1
    }
    const next = Math.min(height - 1, Math.floor(((y + 1) * height) / header.height))
    if (next === row && y + 1 < header.height) continue
    for (let at = 0; at < sums.length; at++) {
      const count = sums[at | 3] as number
      rgba[row * width * 4 + at] = (at & 3) === 3 ? 255 : Math.round((sums[at] as number) / Math.max(1, count))
    }
    sums.fill(0)
    row = next
  }
  return { width, height, rgba }
}

/** Creates a function that reads a pixel with 8 bits per channel into a shared array. */
function pixelReader(header: PngHeader, { rows, stride, colours, transparent }: Rows) {
  const { depth, samples, kind } = header
  const pixel: [number, number, number, number] = [0, 0, 0, 255]
  const values = [0, 0, 0, 0]
  const scale = 255 / (2 ** depth - 1)
  const sampleAt = (start: number, index: number): number => {
    if (depth === 8) return rows[start + index] as number
    if (depth === 16) return ((rows[start + index * 2] as number) << 8) | (rows[start + index * 2 + 1] as number)
    const bit = index * depth
    return ((rows[start + (bit >> 3)] as number) >> (8 - depth - (bit & 7))) & (2 ** depth - 1)
  }
  return (x: number, y: number): readonly [number, number, number, number] => {
    const start = y * (stride + 1) + 1
    for (let at = 0; at < samples; at++) values[at] = sampleAt(start, x * samples + at)
    const [first = 0, second = 0, third = 0, fourth = 0] = values
    if (kind === paletteKind) return colours[first] ?? white
    const isClear = transparent !== null && transparent.every((value, at) => value === values[at])
    const coloured = kind === colourKind || kind === colourAlphaKind
    pixel[0] = first * scale
    pixel[1] = (coloured ? second : first) * scale
    pixel[2] = (coloured ? third : first) * scale
    pixel[3] = kind === greyAlphaKind ? second * scale : kind === colourAlphaKind ? fourth * scale : isClear ? 0 : 255
    return pixel
  }
}

const white: Colour = [255, 255, 255, 255]
