import { PNG } from 'pngjs'
import { describe, expect, test } from 'vitest'
import { decodePng } from '../../../src/imports/formats/picture/decode-png.ts'
import { testPng, type PngParts } from '../../support/figures.ts'

const [width, height] = [37, 23]
const samplesOf = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const
const kinds = [
  ['grey', 0, [1, 2, 4, 8, 16]],
  ['colour', 2, [8, 16]],
  ['palette', 3, [1, 2, 4, 8]],
  ['grey with alpha', 4, [8, 16]],
  ['colour with alpha', 6, [8, 16]],
] as const
const cases = kinds.flatMap(([name, kind, depths]) =>
  depths.flatMap((depth) =>
    [0, 1, 2, 3, 4].map((filter) => [`${name}, ${depth} bits, filter ${filter}`, { kind, depth, filter }] as const),
  ),
)

/** The other decoder rounds to 8 bits before it is blended with white. */
const tolerance = 1.5

/** Numbers from 0 to 255 in a fixed random order. */
function createNoise(): () => number {
  let state = 7
  return () => ((state = (state * 1_103_515_245 + 12_345) % 2 ** 31) >> 16) & 255
}

function randomPng(parts: Pick<PngParts, 'kind' | 'depth' | 'filter' | 'chunks'>): Buffer {
  const noise = createNoise()
  const length = Math.ceil((width * samplesOf[parts.kind] * (parts.depth ?? 8)) / 8)
  return testPng({ width, height, row: () => Uint8Array.from({ length }, noise), ...parts })
}

const palette: [string, Uint8Array] = ['PLTE', Uint8Array.from({ length: 768 }, createNoise())]

/** The picture on white paper according to another decoder. */
function reference(bytes: Buffer): number[][] {
  const { data } = PNG.sync.read(bytes)
  return Array.from({ length: data.length / 4 }, (_, at) => {
    const alpha = data[at * 4 + 3] as number
    return [0, 1, 2].map((channel) => ((data[at * 4 + channel] as number) * alpha) / 255 + 255 - alpha)
  })
}

function pixelsOf(bytes: Buffer, maxSide: number): number[][] {
  const { rgba = new Uint8Array() } = decodePng(bytes, maxSide) ?? {}
  return Array.from({ length: rgba.length / 4 }, (_, at) => [...rgba.subarray(at * 4, at * 4 + 3)])
}

/** The largest difference between two pictures. */
function difference(one: readonly number[][], other: readonly number[][]): number {
  expect(one).toHaveLength(other.length)
  return Math.max(
    ...one.flatMap((pixel, at) => pixel.map((value, channel) => Math.abs(value - (other[at]?.[channel] ?? -999)))),
  )
}

describe('a PNG is decoded as another decoder decodes it', () => {
  test.for(cases)('%s', ([, parts]) => {
    const bytes = randomPng({ ...parts, ...(parts.kind === 3 ? { chunks: [palette] } : {}) })
    expect(difference(pixelsOf(bytes, 100), reference(bytes))).toBeLessThanOrEqual(tolerance)
  })

  test('with transparent colours of its palette', () => {
    const alphas: [string, Uint8Array] = ['tRNS', Uint8Array.from({ length: 200 }, createNoise())]
    const bytes = randomPng({ kind: 3, chunks: [palette, alphas] })
    expect(difference(pixelsOf(bytes, 100), reference(bytes))).toBeLessThanOrEqual(tolerance)
  })

  test('with a single transparent colour', () => {
    const row = () =>
      Uint8Array.from({ length: width * 3 }, (_, at) => [10, 20, at % 2 === 0 ? 30 : 31][at % 3] as number)
    const clear: [string, Uint8Array] = ['tRNS', Uint8Array.from([0, 10, 0, 20, 0, 30])]
    const bytes = testPng({ width, height, kind: 2, row, chunks: [clear] })
    const found = pixelsOf(bytes, 100)
    expect(difference(found, reference(bytes))).toBeLessThanOrEqual(tolerance)
    expect(new Set(found.map(String))).toEqual(new Set(['255,255,255', '10,20,31']))
  })
})

test('a PNG that ends after its pixels, without the last chunk, is read', () => {
  const whole = randomPng({ kind: 2 })
  const [lastChunkBytes, maxSide] = [12, 1_000]
  const cut = whole.subarray(0, whole.length - lastChunkBytes)
  expect(pixelsOf(cut, maxSide)).toEqual(pixelsOf(whole, maxSide))
  expect(pixelsOf(whole, maxSide)).toHaveLength(width * height)
})

test.for([20, 10, 7])('a large PNG is scaled to means of its pixels: %i pixels', (maxSide) => {
  const bytes = randomPng({ kind: 2 })
  const pixels = reference(bytes)
  const [columns, rows] = [maxSide, Math.round((height * maxSide) / width)]
  const sums = Array.from({ length: columns * rows }, () => [0, 0, 0, 0])
  for (const [at, pixel] of pixels.entries()) {
    const x = Math.floor(((at % width) * columns) / width)
    const sum = sums[Math.floor((Math.floor(at / width) * rows) / height) * columns + x] as number[]
    for (const [channel, value] of [...pixel, 1].entries()) sum[channel] = (sum[channel] as number) + value
  }
  const means = sums.map(([red = 0, green = 0, blue = 0, count = 0]) => [red / count, green / count, blue / count])
  expect(difference(pixelsOf(bytes, maxSide), means)).toBeLessThanOrEqual(0.5)
})
