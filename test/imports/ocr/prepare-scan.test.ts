import { describe, expect, test } from 'vitest'
import type { Pixels } from '../../../src/imports/formats/picture/encode-jpeg.ts'
import type { GreyPicture } from '../../../src/imports/formats/picture/grey-picture.ts'
import { findInkComponents } from '../../../src/imports/formats/picture/ink-components.ts'
import { remainingInk } from '../../../src/imports/formats/picture/remaining-ink.ts'
import { prepareScan } from '../../../src/imports/formats/picture/prepare-scan.ts'

type Brightness = (x: number, y: number) => number

function grey(width: number, height: number, brightness: Brightness): GreyPicture {
  const pixels = new Uint8Array(width * height)
  for (let at = 0, y = 0; y < height; y++) for (let x = 0; x < width; x++) pixels[at++] = brightness(x, y)
  return { width, height, pixels }
}

function page(width: number, height: number, brightness: Brightness): Pixels {
  const { pixels } = grey(width, height, brightness)
  const rgba = new Uint32Array(pixels.length)
  for (let at = 0; at < pixels.length; at++) rgba[at] = (pixels[at] as number) * 0x01010101
  return { width, height, rgba: new Uint8Array(rgba.buffer) }
}

/** Generates approximately normal noise with a deviation of 25. It is the same in each run. */
function grain(): Brightness {
  let state = 1
  const random = () => {
    state = (state * 48271) % 2147483647
    return state / 2147483647
  }
  return () => (random() + random() + random() - 1.5) * 50
}

describe('a page that is prepared for recognition', () => {
  test('keeps strokes of two pixels in grain with a deviation of 25, and no speck', () => {
    const noise = grain()
    const isStroke = (x: number, y: number) => x >= 40 && x < 360 && y >= 40 && y < 360 && x % 20 < 2
    const isSpeck = (x: number, y: number) => x % 50 === 35 && y % 50 === 5
    const dirty = page(400, 400, (x, y) =>
      Math.max(0, Math.min(255, (isStroke(x, y) ? 60 : isSpeck(x, y) ? 0 : 225) + noise(x, y))),
    )
    const { pixels } = prepareScan(dirty, 0)
    const counts = { stroke: 0, strokeInk: 0, paper: 0, paperInk: 0 }
    for (let y = 50; y < 350; y++)
      for (let x = 50; x < 350; x++) {
        const isInk = (pixels[y * 400 + x] as number) < 140
        const kind = isStroke(x, y) ? 'stroke' : 'paper'
        counts[kind]++
        if (isInk) counts[`${kind}Ink`]++
      }
    expect(counts.strokeInk / counts.stroke).toBeGreaterThan(0.9)
    expect(counts.paperInk / counts.paper).toBeLessThan(0.001)
  })

  test.for([
    ['blank', 300, 400, () => 255, 255],
    ['all black', 300, 400, () => 0, null],
    ['grey', 300, 400, () => 128, 255],
    ['of one row', 4000, 1, () => 255, 255],
    ['of one column', 1, 4000, () => 255, 255],
    ['of one pixel', 1, 1, () => 0, null],
    ['a chessboard of pixels', 3600, 3600, (x: number, y: number) => ((x + y) % 2) * 255, null],
    ['stripes', 3600, 3600, (_: number, y: number) => (y % 4 < 2 ? 0 : 255), null],
  ] as const)('may be %s', { timeout: 120_000 }, ([, width, height, brightness, value]) => {
    for (const turn of [0, 90] as const) {
      const prepared = prepareScan(page(width, height, brightness), turn)
      expect(prepared.pixels).toHaveLength(width * height)
      if (value !== null) expect(prepared.pixels.every((pixel) => pixel === value)).toBe(true)
      expect(() => remainingInk(prepared, [])).not.toThrow()
    }
  })
})

describe('ink that touches', () => {
  test('is one component with its box, area and darkest pixel', () => {
    // A ring that is open at the top: its sides join in the last row.
    const ring = grey(12, 10, (x, y) =>
      y >= 2 && y < 8 && x >= 2 && x < 9 && (x < 4 || x >= 7 || y >= 6) ? 40 + y : 255,
    )
    expect(findInkComponents(ring, 200)).toEqual([{ left: 2, top: 2, right: 9, bottom: 8, area: 30, darkest: 42 }])
  })

  test('includes ink that touches at corners', () => {
    expect(
      findInkComponents(
        grey(8, 8, (x, y) => (x === y ? 0 : 255)),
        128,
      ),
    ).toHaveLength(1)
    expect(
      findInkComponents(
        grey(8, 8, (x, y) => (x === y && x % 2 === 0 ? 0 : 255)),
        128,
      ),
    ).toHaveLength(4)
  })

  test('is not searched in a texture', () => {
    expect(
      findInkComponents(
        grey(3000, 3000, (x) => (x % 2) * 255),
        128,
      ),
    ).toBeNull()
  })
})

describe('the rest of a page', () => {
  /** Draws squares of 20 pixels, 40 apart, pale or dark. */
  const squares = (value: number) => grey(400, 100, (x, y) => (y >= 40 && y < 60 && x % 40 < 20 ? value : 255))

  test('is the ink outside all boxes, darkened to black', () => {
    const remaining = remainingInk(squares(150), [{ left: 0, top: 30, right: 180, bottom: 70 }])
    expect(remaining?.pixels.slice(50 * 400, 50 * 400 + 180).every((pixel) => pixel === 255)).toBe(true)
    expect(remaining?.pixels[50 * 400 + 210]).toBe(0)
  })

  test('is empty if everything was read, or less than a word is left', () => {
    expect(remainingInk(squares(0), [{ left: 0, top: 0, right: 400, bottom: 100 }])).toBeNull()
    expect(remainingInk(squares(0), [{ left: 0, top: 0, right: 290, bottom: 100 }])).toBeNull()
  })

  test('has no rules, dots, or pictures', () => {
    const rule = grey(400, 300, (x, y) =>
      y % 50 < 2 || (x > 200 && y > 200) || (x % 9 < 3 && y % 50 === 20) ? 0 : 255,
    )
    expect(remainingInk(rule, [])).toBeNull()
  })

  test('is empty for a texture', () => {
    const texture = grey(3000, 3000, (x, y) => (x % 15 < 12 && y % 15 < 12 ? 0 : 255))
    expect(remainingInk(texture, [])).toBeNull()
  })

  test('tolerates boxes outside the page', () => {
    expect(remainingInk(squares(0), [{ left: -50, top: -50, right: 9000, bottom: 9000 }])).toBeNull()
    expect(remainingInk(squares(0), [{ left: 500, top: 500, right: 400, bottom: 100 }])).not.toBeNull()
  })
})
