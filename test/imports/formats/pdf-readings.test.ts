import { expect, test } from 'vitest'
import { calibrate } from '../../../src/imports/formats/pdf/calibration.ts'
import { layOutPage } from '../../../src/imports/formats/pdf/lay-out-page.ts'
import type { TextRun } from '../../../src/imports/formats/pdf/page/pdf-file.ts'
import { placeReadings } from '../../../src/imports/formats/pdf/page/readings.ts'
import { readPdf } from '../../support/read-pdf.ts'

const font = { bold: false, italic: false, mono: false, vertical: false }

function runOf(text: string, x: number, y: number, size = 10): TextRun {
  return { text, x, y, width: size * text.length, size, font, rotation: 0, hasSpaceBefore: true, rtl: false }
}

function textsOf(runs: TextRun[]): string[] {
  return placeReadings(runs).map(({ text }) => text)
}

test('readings above a line follow the characters that they explain, in brackets', () => {
  const line = runOf('吾輩は猫である。名前は見当もつかぬ', 50, 100)
  const readings = [runOf('ねこ', 80, 91, 5), runOf('けん', 160, 91, 5), runOf('とう', 170, 91, 5)]
  expect(textsOf([line, ...readings])).toEqual(['吾輩は猫(ねこ)である。名前は見当(けんとう)もつかぬ'])
})

test('readings may be wider than their characters', () => {
  const [base, after] = [runOf('掌', 55, 100), runOf('に載せ', 70, 100)]
  const [placed] = placeReadings([base, runOf('てのひら', 50, 91, 5), after])
  expect(placed).toMatchObject({ text: '掌(てのひら)', x: 55, width: 15, readingSize: 5 })
  expect(textsOf([runOf('彼の掌 に載せ', 35, 100), runOf('てのひら', 50, 91, 5)])).toEqual(['彼の掌(てのひら)に載せ'])
})

test('lines with readings continue their paragraph, without spaces', () => {
  const lines = ['吾輩は猫である名前はまだ無い', '何でも薄暗いじめじめした所で', '泣いていた事だけは見当', 'がつく']
  const base = lines.map((text, index) => ({ ...runOf(text, 50, 100 + index * 15), width: 140 }))
  const last = runOf('これは次の段落である。', 50, 260)
  const runs = placeReadings([
    ...base.slice(0, 2),
    ...base.slice(2).map((run) => ({ ...run, y: run.y + 9 })),
    runOf('けんとう', 171, 130, 5),
    last,
  ])
  const page = { width: 400, height: 600, runs, picture: false, garbled: 0 }
  const { content } = layOutPage(page, [], calibrate(new Map([[1, page]])))
  expect(content).toBe(`${lines.slice(0, 3).join('')}(けんとう)がつく\n\n${last.text}`)
})

test.for([
  ['kana that stand higher', [runOf('ねこ', 80, 80, 5), runOf('吾輩は猫である', 50, 100)]],
  ['kana that are larger', [runOf('ねこ', 80, 91, 8), runOf('吾輩は猫である', 50, 100)]],
  ['kana above kana', [runOf('ねこ', 80, 91, 5), runOf('あああああああ', 50, 100)]],
  ['kana beside the line', [runOf('ねこ', 180, 91, 5), runOf('吾輩は猫である', 50, 100)]],
  ['other small text', [runOf('12', 80, 91, 5), runOf('吾輩は猫である', 50, 100)]],
] as const)('%s are no readings', ([, runs]) => {
  expect(placeReadings(runs)).toEqual(runs)
})

test('readings of a PDF follow the characters below them', async () => {
  // Letters of equal widths in Helvetica.
  const shown = { a: '吾', b: '輩', d: 'は', e: '猫', g: 'だ', h: 'ね', n: 'こ' }
  const codes = Object.entries(shown).map(([code, sign]) => `<${hex(code, 2)}> <${hex(sign, 4)}>`)
  const map = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /U def /CMapType 2 def
1 begincodespacerange <00> <ff> endcodespacerange ${codes.length} beginbfchar ${codes.join(' ')} endbfchar endcmap end end`
  const content =
    'BT /F4 12 Tf 72 700 Td (abdeg) Tj ET BT /F4 6 Tf 92 711 Td (hn) Tj ET BT /F4 12 Tf 72 680 Td (edbad) Tj ET'
  const objects = new Map([[10, `<< /Length ${map.length} >>\nstream\n${map}\nendstream`]])
  expect(await readPdf({ pages: [{ content }], objects })).toEqual(['吾輩は猫(ねこ)だ猫は輩吾は'])
})

function hex(character: string, digits: number): string {
  return character.charCodeAt(0).toString(16).padStart(digits, '0')
}
