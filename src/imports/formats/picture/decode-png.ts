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
  let above: Uint8Array = new Uint8Array(stride)
  for (let start = 0; start < rows.length; start += stride + 1) {
    const filter = rows[start] as number
    const row = rows.subarray(start + 1, start + 1 + stride)
    if (filter === 1)
      for (let at = pixel; at < stride; at++) row[at] = (row[at] as number) + (row[at - pixel] as number)
    else if (filter === 2) for (let at = 0; at < stride; at++) row[at] = (row[at] as number) + (above[at] as number)
    else if (filter === 3) addAverage(row, above, pixel)
    else if (filter === 4) addPaeth(row, above, pixel)
    else if (filter !== 0) return false
    above = row
  }
  return true
}

function addAverage(row: Uint8Array, above: Uint8Array, pixel: number): void {
  for (let at = 0; at < row.length; at++) {
    const left = at < pixel ? 0 : (row[at - pixel] as number)
    row[at] = (row[at] as number) + ((left + (above[at] as number)) >> 1)
  }
}

function addPaeth(row: Uint8Array, above: Uint8Array, pixel: number): void {
  for (let at = 0; at < Math.min(pixel, row.length); at++) row[at] = (row[at] as number) + (above[at] as number)
  for (let at = pixel; at < row.length; at++) {
    const left = row[at - pixel] as number
    const up = above[at] as number
    const corner = above[at - pixel] as number
    const toLeft = Math.abs(up - corner)
    const toUp = Math.abs(left - corner)
    const toCorner = Math.abs(left + up - 2 * corner)
    const predicted = toLeft <= toUp && toLeft <= toCorner ? left : toUp <= toCorner ? up : corner
    row[at] = (row[at] as number) + predicted
  }
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
  const readRow = createRowReader(header, source)
  const pixels = new Float64Array(header.width * 3)
  if (width === header.width && height === header.height) {
    for (let y = 0; y < height; y++) {
      readRow(y, pixels)
      writeRow(rgba.subarray(y * width * 4), pixels)
    }
    return { width, height, rgba }
  }
  const means = new Float64Array(width * 3)
  const columns = columnsOf(header.width, width)
  let [row, rowCount] = [0, 0]
  for (let y = 0; y < header.height; y++) {
    readRow(y, pixels)
    addRow(means, pixels, columns.places)
    rowCount++
    const next = Math.min(height - 1, Math.floor(((y + 1) * height) / header.height))
    if (next === row && y + 1 < header.height) continue
    for (let at = 0; at < means.length; at++)
      means[at] = (means[at] as number) / ((columns.counts[Math.floor(at / 3)] as number) * rowCount)
    writeRow(rgba.subarray(row * width * 4), means)
    means.fill(0)
    row = next
    rowCount = 0
  }
  return { width, height, rgba }
}

/** The column of the scaled picture for each column, and the number of columns that fall into each. */
function columnsOf(from: number, to: number): { places: Uint32Array; counts: Uint32Array } {
  const places = Uint32Array.from({ length: from }, (_, x) => Math.min(to - 1, Math.floor((x * to) / from)))
  const counts = new Uint32Array(to)
  for (const place of places) counts[place] = (counts[place] as number) + 1
  return { places, counts }
}

/** Writes red, green and blue as opaque pixels. */
function writeRow(rgba: Uint8Array, pixels: Float64Array): void {
  for (let from = 0, to = 0; from < pixels.length; from += 3, to += 4) {
    rgba[to] = (pixels[from] as number) + 0.5
    rgba[to + 1] = (pixels[from + 1] as number) + 0.5
    rgba[to + 2] = (pixels[from + 2] as number) + 0.5
    rgba[to + 3] = 255
  }
}

function addRow(sums: Float64Array, pixels: Float64Array, columns: Uint32Array): void {
  for (let x = 0, from = 0; x < columns.length; x++, from += 3) {
    const at = (columns[x] as number) * 3
    sums[at] = (sums[at] as number) + (pixels[from] as number)
    sums[at + 1] = (sums[at + 1] as number) + (pixels[from + 1] as number)
    sums[at + 2] = (sums[at + 2] as number) + (pixels[from + 2] as number)
  }
}

/** Reads the row `y` as red, green and blue from 0 to 255, blended with white. */
type ReadRow = (y: number, into: Float64Array) => void

function createRowReader(header: PngHeader, source: Rows): ReadRow {
  const readSamples = createSampleReader(header, source)
  if (header.kind === paletteKind) {
    const palette = blendedPalette(source.colours)
    return (y, into) => {
      const values = readSamples(y)
      for (let x = 0, to = 0; x < header.width; x++, to += 3) {
        const from = (values[x] as number) * 3
        into[to] = palette[from] as number
        into[to + 1] = palette[from + 1] as number
        into[to + 2] = palette[from + 2] as number
      }
    }
  }
  return (y, into) => blendRow(header, { values: readSamples(y), transparent: source.transparent, into })
}

/** The palette as red, green and blue, blended with white; a missing colour is white. */
function blendedPalette(colours: readonly Colour[]): Float64Array {
  const palette = new Float64Array(256 * 3).fill(255)
  for (const [at, [red, green, blue, alpha]] of colours.slice(0, 256).entries())
    palette.set([blend(red, alpha), blend(green, alpha), blend(blue, alpha)], at * 3)
  return palette
}

/** A channel on white paper. */
function blend(channel: number, alpha: number): number {
  return (channel * alpha) / 255 + (255 - alpha)
}

function blendRow(
  { width, depth, samples, kind }: PngHeader,
  {
    values,
    transparent,
    into,
  }: { values: Uint8Array | Uint16Array; transparent: readonly number[] | null; into: Float64Array },
): void {
  const scale = 255 / (2 ** depth - 1)
  const isColoured = kind === colourKind || kind === colourAlphaKind
  const hasAlpha = kind === greyAlphaKind || kind === colourAlphaKind
  const [clear, clearGreen, clearBlue] = transparent ?? [-1]
  for (let x = 0, from = 0, to = 0; x < width; x++, from += samples, to += 3) {
    const red = values[from] as number
    const green = isColoured ? (values[from + 1] as number) : red
    const blue = isColoured ? (values[from + 2] as number) : red
    const isClear = red === clear && (!isColoured || (green === clearGreen && blue === clearBlue))
    const alpha = hasAlpha ? (values[from + samples - 1] as number) * scale : isClear ? 0 : 255
    into[to] = blend(red * scale, alpha)
    into[to + 1] = blend(green * scale, alpha)
    into[to + 2] = blend(blue * scale, alpha)
  }
}

/** Creates a function that returns the samples of a row, in an array that it uses again. */
function createSampleReader(
  { width, depth, samples }: PngHeader,
  { rows, stride }: Rows,
): (y: number) => Uint8Array | Uint16Array {
  const count = width * samples
  const startOf = (y: number): number => y * (stride + 1) + 1
  if (depth === 8) return (y) => rows.subarray(startOf(y), startOf(y) + count)
  const values = new Uint16Array(count)
  const mask = 2 ** depth - 1
  return (y) => {
    const start = startOf(y)
    for (let at = 0; at < count; at++) {
      const bit = at * depth
      values[at] =
        depth === 16
          ? ((rows[start + at * 2] as number) << 8) | (rows[start + at * 2 + 1] as number)
          : ((rows[start + (bit >> 3)] as number) >> (8 - depth - (bit & 7))) & mask
    }
    return values
  }
}
