import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  clipRanges,
  formatPageRanges,
  mergeRanges,
  parsePageRanges,
  type PageRange,
} from '../../src/text/page-ranges.ts'
import { anyText } from '../support/any-text.ts'

describe('parsePageRanges', () => {
  test.for<[string, PageRange[]]>([
    [
      '1-5,10',
      [
        { from: 1, to: 5 },
        { from: 10, to: 10 },
      ],
    ],
    [
      '10,1-5',
      [
        { from: 1, to: 5 },
        { from: 10, to: 10 },
      ],
    ],
    ['1-3,2-7', [{ from: 1, to: 7 }]],
    ['1-3,4-7', [{ from: 1, to: 7 }]],
    ['3,3,3', [{ from: 3, to: 3 }]],
    ['12@60000', [{ from: 12, to: 12, offset: 60_000 }]],
    ['12@60000,13-14', [{ from: 12, to: 14, offset: 60_000 }]],
    ['12@60000,12', [{ from: 12, to: 12 }]],
    ['11-12,12@60000', [{ from: 11, to: 12 }]],
    ['12@10,12@5', [{ from: 12, to: 12, offset: 5 }]],
    ['0,1@,@5,1-2@3,5-1,-1,1-,a,1.0,1e3, ,,9999999999', []],
  ])('%s', ([text, ranges]) => {
    expect(parsePageRanges(text)).toEqual(ranges)
  })

  test('an omitted range means the whole book', () => {
    expect(clipRanges(parsePageRanges(undefined), 7)).toEqual([{ from: 1, to: 7 }])
  })
})

const range = fc
  .tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 8 }))
  .map(([from, length]): PageRange => ({ from, to: from + length }))

const pagesIn = (ranges: readonly PageRange[]) => {
  const pages = new Set<number>()
  for (const { from, to } of ranges) for (let page = from; page <= to; page++) pages.add(page)
  return pages
}

describe('for any ranges', () => {
  test('merging keeps exactly their pages, ascending and disjoint', () => {
    fc.assert(
      fc.property(fc.array(range, { maxLength: 12 }), (ranges) => {
        const merged = mergeRanges(ranges)
        expect(pagesIn(merged)).toEqual(pagesIn(ranges))
        for (const [index, { from }] of merged.entries()) {
          if (index > 0) expect(from).toBeGreaterThan((merged[index - 1] as PageRange).to + 1)
        }
      }),
    )
  })

  test('formatted ranges parse back to the same pages, or to a superset for more than 20 ranges', () => {
    fc.assert(
      fc.property(fc.array(range, { maxLength: 60 }), (ranges) => {
        const merged = mergeRanges(ranges)
        const text = formatPageRanges(merged)
        const read = parsePageRanges(text)
        expect(text.split(',').length).toBeLessThanOrEqual(20)
        if (merged.length <= 20) expect(read).toEqual(merged)
        else expect([...pagesIn(merged)].every((page) => pagesIn(read).has(page))).toBe(true)
      }),
    )
  })

  test('clipping leaves no page beyond the end', () => {
    fc.assert(
      fc.property(fc.array(range), fc.integer({ min: 0, max: 70 }), (ranges, end) => {
        const expected = [...pagesIn(ranges)].filter((page) => page <= end)
        expect(pagesIn(clipRanges(ranges, end))).toEqual(new Set(expected))
      }),
    )
  })

  test('a range with an offset is formatted and parsed back', () => {
    fc.assert(
      fc.property(range, fc.integer({ min: 1, max: 1_000_000 }), ({ from, to }, offset) => {
        const ranges = [{ from, to, offset }]
        expect(parsePageRanges(formatPageRanges(ranges))).toEqual(ranges)
      }),
    )
  })

  test('any text is parsed without an error', () => {
    fc.assert(fc.property(anyText(), (text) => Array.isArray(parsePageRanges(text))))
  })
})
