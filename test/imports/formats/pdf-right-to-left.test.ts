import { describe, expect, test } from 'vitest'
import { improbableShare } from '../../../src/imports/formats/pdf/characters/improbable-text.ts'
import { buildLines } from '../../../src/imports/formats/pdf/page/build-lines.ts'
import type { TextRun } from '../../../src/imports/formats/pdf/page/pdf-file.ts'

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
