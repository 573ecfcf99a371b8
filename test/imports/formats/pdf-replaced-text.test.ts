import { describe, expect, test } from 'vitest'
import { readPdfPage } from '../../support/read-pdf.ts'

/** Glyphs of Helvetica Bold with 10 points, each at its place on the line, as browsers write them. */
function glyphs(...placed: [text: string, x: number][]): string {
  return placed.map(([text, x]) => `BT /F2 10 Tf 1 0 0 1 ${x} 700 Tm (${text}) Tj ET\n`).join('')
}

/** Glyphs that the file replaces with other text, which is ASCII or hexadecimal. */
function replaced(text: string, shown: string): string {
  return `/Span << /ActualText ${text} >> BDC\n${shown}EMC\n`
}

describe('glyphs that the file replaces with other text', () => {
  // A glyph "m" is 8.9 points wide, the glyph "f" of the font 3.3.
  test.for<[what: string, content: string, expected: string]>([
    [
      'a ligature that is wider than its first letter is a part of its word',
      glyphs(['re', 72]) + replaced('(fi)', glyphs(['m', 81.5])) + glyphs(['ne', 90.4]),
      'refine',
    ],
    [
      'a space after a ligature stays',
      glyphs(['if', 72]) + replaced('(ff)', glyphs(['m', 78.1])) + glyphs(['he', 89.8]),
      'ifff he',
    ],
    [
      'several glyphs that are replaced together are as wide as all of them',
      glyphs(['re', 72]) + replaced('(fi)', glyphs(['m', 81.5], ['m', 90.4])) + glyphs(['ne', 99.3]),
      'refine',
    ],
    [
      'a space among replaced glyphs has no width',
      glyphs(['in', 72]) + replaced('(LPPL)', glyphs([' ', 83.5], ['lppl', 83.5])) + glyphs(['.', 101.3]),
      'in LPPL.',
    ],
    [
      'overlapping glyphs, as of vowel signs, are read once',
      replaced('(ab)', glyphs(['m', 72], ['m', 77])) + replaced('(cd)', glyphs(['m', 76], ['m', 83])),
      'abcd',
    ],
    [
      'a letter that the font does not have is as wide as its glyph',
      replaced('<feff0935>', glyphs(['i', 72])) + glyphs(['he', 77.6]),
      'व he',
    ],
    [
      'a word over two lines is as wide as its first glyph',
      `${replaced('(refine)', `${glyphs(['re', 72])}BT /F2 10 Tf 1 0 0 1 200 688 Tm (ne) Tj ET\n`)}${glyphs(['ad', 86])}`,
      'refine ad',
    ],
  ])('%s', async ([, content, expected]) => {
    expect(await readPdfPage(content)).toBe(expected)
  })
})
