import { createHuffmanWriter, type HuffmanWriter } from './huffman-writer.ts'
import { huffmanSegments, quantisationSegment, scaledTable, zigzag } from './jpeg-tables.ts'

/** Pixels as red, green, blue and an unused byte. */
export interface Pixels {
  width: number
  height: number
  rgba: Uint8Array
}

interface JpegOptions {
  /** 1 to 100, as in other encoders. */
  quality: number
  /** True to encode the green channel as a greyscale picture. */
  grey: boolean
}

/** Encodes a baseline JPEG (ITU-T T.81) with chroma subsampling 4:2:0. */
export function encodeJpeg(pixels: Pixels, { quality, grey }: JpegOptions): Buffer {
  const writer = createHuffmanWriter()
  const luminance = scaledTable('luminance', quality)
  const chrominance = scaledTable('chrominance', quality)
  const planes = grey ? [greyPlane(pixels)] : colourPlanes(pixels)
  const [y, ...colours] = planes.map((plane, at) => ({
    plane,
    table: at === 0 ? luminance : chrominance,
    codes: at === 0 ? ('luminance' as const) : ('chrominance' as const),
    previous: 0,
  }))
  if (!y) throw new Error('a picture without a plane')
  const unit = grey ? 8 : 16
  for (let top = 0; top < pixels.height; top += unit) {
    for (let left = 0; left < pixels.width; left += unit) {
      for (let down = 0; down < unit; down += 8)
        for (let right = 0; right < unit; right += 8) writeBlock(writer, y, { left: left + right, top: top + down })
      for (const colour of colours) writeBlock(writer, colour, { left: left / 2, top: top / 2 })
    }
  }
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    quantisationSegment(luminance, 0),
    ...(grey ? [] : [quantisationSegment(chrominance, 1)]),
    frameSegment(pixels, grey),
    ...huffmanSegments(grey),
    scanSegment(grey),
    writer.end(),
    Buffer.from([0xff, 0xd9]),
  ])
}

interface Plane {
  width: number
  height: number
  samples: Uint8Array
}

interface Component {
  plane: Plane
  table: Float32Array
  codes: 'luminance' | 'chrominance'
  /** The DC value of the previous block. */
  previous: number
}

function greyPlane({ width, height, rgba }: Pixels): Plane {
  const samples = new Uint8Array(width * height)
  for (let at = 0; at < samples.length; at++) samples[at] = rgba[at * 4 + 1] as number
  return { width, height, samples }
}

/** Luminance, and chrominance (blue and red) at half the size. */
function colourPlanes({ width, height, rgba }: Pixels): Plane[] {
  const luminance = new Uint8Array(width * height)
  const half = { width: Math.ceil(width / 2), height: Math.ceil(height / 2) }
  const blue = new Uint8Array(half.width * half.height)
  const red = new Uint8Array(half.width * half.height)
  const byte = (at: number): number => rgba[at] as number
  for (let at = 0, from = 0; at < luminance.length; at++, from += 4) {
    luminance[at] =
      0.299 * (rgba[from] as number) + 0.587 * (rgba[from + 1] as number) + 0.114 * (rgba[from + 2] as number)
  }
  for (let y = 0, at = 0; y < height; y += 2) {
    const lower = y + 1 < height ? 4 * width : 0
    for (let x = 0, first = 4 * y * width; x < width; x += 2, first += 8, at++) {
      const second = x + 1 < width ? first + 4 : first
      const [third, fourth] = [first + lower, second + lower]
      const reds = byte(first) + byte(second) + byte(third) + byte(fourth)
      const greens = byte(first + 1) + byte(second + 1) + byte(third + 1) + byte(fourth + 1)
      const blues = byte(first + 2) + byte(second + 2) + byte(third + 2) + byte(fourth + 2)
      blue[at] = Math.min(255, 128.5 - 0.0421839 * reds - 0.0828161 * greens + 0.125 * blues)
      red[at] = Math.min(255, 128.5 + 0.125 * reds - 0.1046718 * greens - 0.0203282 * blues)
    }
  }
  return [
    { width, height, samples: luminance },
    { ...half, samples: blue },
    { ...half, samples: red },
  ]
}

const block = new Float32Array(64)
const coefficients = new Int32Array(64)

function writeBlock(writer: HuffmanWriter, component: Component, { left, top }: { left: number; top: number }): void {
  const { plane, table, codes, previous } = component
  for (let y = 0; y < 8; y++) {
    // The last row and column are repeated beyond the edge.
    const row = Math.min(top + y, plane.height - 1) * plane.width
    for (let x = 0; x < 8; x++)
      block[y * 8 + x] = (plane.samples[row + Math.min(left + x, plane.width - 1)] as number) - 128
  }
  transform(block)
  for (let at = 0; at < 64; at++) {
    const place = zigzag[at] as number
    coefficients[at] = Math.round((block[place] as number) * (table[place] as number))
  }
  component.previous = coefficients[0] as number
  writer.writeBlock(coefficients, { codes, previous })
}

/** The cosines of an 8-point DCT-II with normalization, by frequency and position. */
const cosines = Float32Array.from({ length: 64 }, (_, at) => {
  const frequency = at >> 3
  return (frequency === 0 ? Math.SQRT1_2 : 1) * 0.5 * Math.cos(((2 * (at & 7) + 1) * frequency * Math.PI) / 16)
})
const half = new Float32Array(64)

/** The DCT of a block in place: rows, then columns, each split into even and odd parts. */
function transform(samples: Float32Array): void {
  for (let row = 0; row < 8; row++) transformLine(samples, { from: row * 8, step: 1, into: half })
  for (let column = 0; column < 8; column++) transformLine(half, { from: column, step: 8, into: samples })
}

const [sums, differences] = [new Float32Array(4), new Float32Array(4)]

function transformLine(
  line: Float32Array,
  { from, step, into }: { from: number; step: number; into: Float32Array },
): void {
  for (let at = 0; at < 4; at++) {
    const first = line[from + at * step] as number
    const last = line[from + (7 - at) * step] as number
    sums[at] = first + last
    differences[at] = first - last
  }
  for (let frequency = 0; frequency < 8; frequency++) {
    const parts = frequency % 2 === 0 ? sums : differences
    const row = frequency * 8
    into[from + frequency * step] =
      (parts[0] as number) * (cosines[row] as number) +
      (parts[1] as number) * (cosines[row + 1] as number) +
      (parts[2] as number) * (cosines[row + 2] as number) +
      (parts[3] as number) * (cosines[row + 3] as number)
  }
}

/** SOF0: size and components; chroma has half the resolution. */
function frameSegment({ width, height }: Pixels, grey: boolean): Buffer {
  const components = grey ? [[1, 0x11, 0]] : [[1, 0x22, 0], [2, 0x11, 1], [3, 0x11, 1]] // prettier-ignore
  const size = [height >> 8, height & 255, width >> 8, width & 255]
  return Buffer.from([0xff, 0xc0, 0, 8 + components.length * 3, 8, ...size, components.length, ...components.flat()])
}

/** SOS: the tables of each component. */
function scanSegment(grey: boolean): Buffer {
  const components = grey ? [[1, 0]] : [[1, 0], [2, 0x11], [3, 0x11]] // prettier-ignore
  const length = 6 + components.length * 2
  return Buffer.from([0xff, 0xda, 0, length, components.length, ...components.flat(), 0, 63, 0])
}
