import { describe, expect, test } from 'vitest'
import type { GreyPicture } from '../../../src/imports/formats/picture/grey-picture.ts'
import type { Box } from '../../../src/imports/formats/picture/ink-components.ts'
import { collectIsolated } from '../../../src/imports/formats/picture/isolated-ink.ts'
import { placeNumbers } from '../../../src/imports/ocr/place-numbers.ts'

interface Mark extends Box {
  value: number
}

function mark([left, top]: readonly [number, number], [width, height]: readonly [number, number], value = 0): Mark {
  return { left, top, right: left + width, bottom: top + height, value }
}

/** White paper with rectangles. */
function paper(marks: readonly Mark[]): GreyPicture {
  const [width, height] = [1000, 800]
  const pixels = new Uint8Array(width * height).fill(255)
  for (const { left, top, right, bottom, value } of marks)
    for (let y = top; y < bottom; y++) pixels.fill(value, y * width + left, y * width + right)
  return { width, height, pixels }
}

function placeOf({ left, top, right, bottom }: Box): Box {
  return { left, top, right, bottom }
}

function blackOf({ width, pixels }: GreyPicture, { left, top, right, bottom }: Box): number {
  let count = 0
  for (let y = top; y < bottom; y++)
    for (let x = left; x < right; x++) if ((pixels[y * width + x] as number) < 30) count++
  return count / ((right - left) * (bottom - top))
}

describe('isolated ink of a page', () => {
  const digit = mark([500, 700], [12, 24])
  const pale = mark([100, 100], [12, 18], 150)
  const read = { left: 190, top: 290, right: 420, bottom: 340 }
  const line = Array.from({ length: 10 }, (_, at) => mark([200 + at * 20, 300], [12, 24]))

  test('is arranged in rows: black, in the same height, and outside the boxes that were read', () => {
    const collage = collectIsolated(paper([digit, pale, ...line]), [read])
    const parts = collage?.parts ?? []
    expect(parts.map(({ from }) => from)).toEqual([placeOf(pale), placeOf(digit)])
    for (const { to } of parts) {
      expect(to.bottom - to.top).toBe(36)
      const third = Math.floor((to.right - to.left) / 3)
      for (const copy of [
        { ...to, right: to.left + third },
        { ...to, left: to.right - third },
      ])
        expect(blackOf(collage?.picture as GreyPicture, copy)).toBeGreaterThan(0.9)
    }
    const [first, second] = parts.map(({ to }) => to) as [Box, Box]
    expect(second.bottom).toBe(first.bottom)
    expect(second.left - first.right).toBeGreaterThanOrEqual(36)
  })

  test('is one part for digits that are next to each other', () => {
    const neighbours = [mark([500, 700], [12, 24]), mark([520, 700], [12, 24])]
    const collage = collectIsolated(paper([...neighbours, mark([600, 700], [12, 24])]), [])
    expect(collage?.parts.map(({ from }) => [from.left, from.right])).toEqual([
      [500, 532],
      [600, 612],
    ])
  })

  test('continues in the next row', () => {
    const column = Array.from({ length: 40 }, (_, at) => mark([50 + (at % 8) * 100, 20 + at * 18], [12, 12]))
    const collage = collectIsolated(paper(column), [])
    expect(collage?.parts).toHaveLength(40)
    expect(new Set(collage?.parts.map(({ to }) => to.bottom)).size).toBeGreaterThan(1)
    for (const { to } of collage?.parts ?? []) expect(to.right).toBeLessThan(collage?.picture.width ?? 0)
    expect(collage?.picture.height).toBeGreaterThan(Math.max(...(collage?.parts ?? []).map(({ to }) => to.bottom)))
  })

  test.for([
    ['a word', line],
    ['a rule', [mark([100, 100], [300, 12])]],
    ['dust', [mark([100, 100], [5, 5])]],
    ['a large initial', [mark([100, 100], [60, 120])]],
    ['a texture', Array.from({ length: 1000 }, (_, at) => mark([(at % 25) * 40, Math.floor(at / 25) * 20], [10, 12]))],
    ['nothing', []],
  ] as const)('is not %s', ([, marks]) => {
    expect(collectIsolated(paper(marks), [])).toBeNull()
  })
})

describe('the words of a collage', () => {
  const parts = [100, 200].map((left, at) => ({
    from: placeOf(mark([900, 100 * at], [12, 24])),
    to: placeOf(mark([left, 54], [46, 36])),
  }))
  const word = (text: string, left: number, change: { confidence?: number; width?: number } = {}) => {
    const { confidence = 95, width = 46 } = change
    return { text, confidence, box: placeOf(mark([left, 54], [width, 36])) }
  }

  test('are placed where they are on the page, if both copies have the same text', () => {
    const words = [word('7', 100, { width: 18 }), word('7', 128, { width: 18 }), word('(12)(12)', 200)]
    const numbers = placeNumbers([[words]], parts)
    expect(numbers.flat(2).map(({ text, box }) => [text, box])).toEqual([
      ['7', parts[0]?.from],
      ['(12)', parts[1]?.from],
    ])
  })

  test.for([
    ['letters', word('xx', 100)],
    ['signs', word('••', 100)],
    ['uncertain', word('77', 100, { confidence: 75 })],
    ['read differently the second time', word('71', 100)],
    ['read only once', word('7', 100)],
    ['longer than a number', word('1234512345', 100)],
    ['made of two parts', word('7777', 100, { width: 146 })],
    ['between the parts', word('77', 150, { width: 40 })],
  ] as const)('are dropped if they are %s', ([, dropped]) => {
    expect(placeNumbers([[[dropped]]], parts)).toEqual([])
  })
})
