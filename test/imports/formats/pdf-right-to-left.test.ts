import { describe, expect, test } from 'vitest'
import { improbableShare } from '../../../src/imports/formats/pdf/characters/improbable-text.ts'
import type { TextStyle } from '../../../src/imports/formats/pdf/characters/character.ts'
import { readRuns } from '../../../src/imports/formats/pdf/characters/read-runs.ts'
import { buildLines } from '../../../src/imports/formats/pdf/page/build-lines.ts'
import type { TextRun } from '../../../src/imports/formats/pdf/page/pdf-file.ts'
import { collectItems } from '../../../src/imports/formats/pdf/pdfium/pdfium-items.ts'
import { findTable } from '../../../src/imports/formats/pdf/tables/find-table.ts'

const font = { bold: false, italic: false, mono: false, vertical: false }

function run(text: string, x: number, more: Partial<TextRun> = {}): TextRun {
  const rtl = /[\u0590-\u06ff]/.test(text)
  const width = text.length * 5
  return { text, x, y: 100, width, size: 10, font, rotation: 0, hasSpaceBefore: false, rtl, ...more }
}

function linesOf(runs: readonly TextRun[]) {
  return buildLines(runs.map((one) => ({ x0: one.x, x1: one.x + one.width, y: one.y, size: one.size, runs: [one] })))
}

describe('words of two scripts without a space between them in the file', () => {
  const words = [run('محیط', 120), run('quote', 90), run('برای نقل', 40)]

  test('are not words whose letters are mixed up', () => {
    expect(improbableShare(words)).toBe(0)
  })

  test('are separate words if there is a gap between them', () => {
    const shown = [run('محیط', 118.2), run('quote', 91.8), run('برای', 70.5)]
    expect(linesOf(shown).map(({ text }) => text)).toEqual(['محیط quote برای'])
  })

  test('are one word if they touch', () => {
    const shown = [run('محیط', 117), run('quote', 92), run('برای', 72)]
    expect(linesOf(shown).map(({ text }) => text)).toEqual(['محیطquoteبرای'])
  })
})

test('letters that the file draws from left to right are in the order of the page, like those drawn in between', () => {
  const style: TextStyle = { font: 'f0', matrix: [10, 0, 0, 10], x: 1, y: 0, em: 10, size: 10 }
  const { add, end } = collectItems()
  // The letter ن, which is in the middle of the last word, is drawn last.
  for (const [text, x, sameObject] of [
    ['ت', 90, false],
    ['ک', 95, true],
    ['ب', 79, false],
    ['ا', 84, true],
    ['ه', 70, false],
    ['ی', 60, false],
    ['ن', 65, false],
  ] as const)
    add({ text, x, y: 700, width: 5, style, sameObject, afterSpace: false })
  const { runs } = readRuns(end(), [1, 0, 0, -1, 0, 792], new Map([['f0', font]]))
  expect(linesOf(runs).map(({ text }) => text)).toEqual(['کتاب هنی'])
})

describe('a right-to-left line in a table', () => {
  const row = (y: number, name: string, text: string): TextRun[] => [run(name, 72, { y }), run(text, 150, { y })]

  test('is text of its cell', () => {
    const rows = [1, 2, 3].flatMap((index) => [
      ...row(index * 24, `name ${index}`, 'the water of the lake'),
      run('ماء البحيرة', 150, { y: index * 24 + 12 }),
    ])
    const table = findTable(linesOf(rows), 0, 1.2)
    const cells = table?.rows.map((cellsOfRow) => cellsOfRow.map((cell) => cell.map(({ text }) => text).join(' ')))
    expect(cells).toEqual([1, 2, 3].map((index) => [`name ${index}`, 'the water of the lake ماء البحيرة']))
  })

  test('ends it if it has several cells', () => {
    const rows = [1, 2, 3].flatMap((index) => row(index * 12, `name ${index}`, 'the water of the lake'))
    const lines = linesOf([...rows, ...row(48, 'بحيرة', 'ماء البحيرة')])
    expect(findTable(lines, 0, 1.2)).toMatchObject({ lineCount: 3 })
  })
})
