import { describe, expect, test } from 'vitest'
import { numberInScript } from '../../../src/imports/formats/number-systems.ts'
import { docxOf, odtOf, rtfOf } from '../../support/documents.ts'
import { readDocument } from '../../support/read-document.ts'

test.for<[system: string, numbers: Record<number, string>]>([
  [
    'chineseCounting',
    { 1: '一', 10: '十', 12: '十二', 20: '二十', 101: '一百零一', 110: '一百一十', 2010: '二千零一十' },
  ],
  ['taiwaneseCountingThousand', { 11: '十一', 3000: '三千' }],
  ['japaneseCounting', { 10: '十', 111: '百十一', 1001: '千一' }],
  ['koreanCounting', { 4: '사', 11: '십일' }],
  ['chineseLegalSimplified', { 3: '叁', 10: '壹拾', 12: '壹拾贰' }],
  ['ideographDigital', { 7: '七', 10: '一〇' }],
  ['ideographTraditional', { 1: '甲', 10: '癸', 11: '11' }],
  ['aiueoFullWidth', { 1: 'ア', 3: 'ウ', 46: 'ン' }],
  ['decimalEnclosedCircleChinese', { 2: '②', 20: '⑳', 21: '21' }],
  ['ganada', { 2: '나' }],
  ['russianLower', { 5: 'д' }],
  ['hebrew1', { 1: 'א', 10: 'י', 11: 'יא', 15: 'טו', 116: 'קטז', 400: 'ת' }],
  ['hindiNumbers', { 12: '१२' }],
])('numbers are written in the system %s', ([system, numbers]) => {
  for (const [number, written] of Object.entries(numbers)) expect(numberInScript(Number(number), system)).toBe(written)
})

test.for(['decimal', 'ordinalText', 'constructor', ''])('the system %j has no numbers of another script', (system) => {
  expect(numberInScript(1, system)).toBeNull()
})

describe('numbers of other scripts are kept', () => {
  test('in headings and lists of a Word document', async () => {
    const level = (at: number, format: string, text: string) =>
      `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`
    const levels = level(0, 'chineseCountingThousand', '第%1章') + level(1, 'ideographTraditional', '%2、')
    const numbering = `<w:abstractNum w:abstractNumId="1">${levels}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>`
    const item = (at: number, words: string, outline = '') =>
      `<w:p><w:pPr><w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="1"/></w:numPr>${outline}</w:pPr><w:r><w:t>${words}</w:t></w:r></w:p>`
    const body = item(0, '潮汐', '<w:outlineLvl w:val="0"/>') + item(1, '漲潮') + item(1, '退潮')
    const { text } = await readDocument(await docxOf({ body, numbering }), 'docx')
    expect(text).toBe('# 第一章 潮汐\n\n- 甲、 漲潮\n- 乙、 退潮')
  })

  test('in headings and lists of an OpenDocument text', async () => {
    const automatic =
      '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="ア, イ, ウ, ..." style:num-suffix=")"/></text:list-style>'
    const styles =
      '<text:outline-style style:name="Outline"><text:outline-level-style text:level="1" style:num-format="一, 二, 三, ..." style:num-suffix="、"/></text:outline-style>'
    const body =
      '<text:h text:outline-level="1">潮</text:h><text:list text:style-name="L1"><text:list-item><text:p>満潮</text:p></text:list-item><text:list-item><text:p>干潮</text:p></text:list-item></text:list>'
    const { text } = await readDocument(await odtOf({ body, automatic, styles }), 'odt')
    expect(text).toBe('# 一、 潮\n\n- ア) 満潮\n- イ) 干潮')
  })

  test('in lists of an RTF file and of a page', async () => {
    const list = `{\\*\\listtable{\\list{\\listlevel\\levelnfc45{\\leveltext\\'02\\'00.;}}\\listid7}}{\\*\\listoverridetable{\\listoverride\\listid7\\listoverridecount0\\ls7}}`
    const rtf = await readDocument(rtfOf({ body: `${list}\\ls7 one\\par\\ls7 two\\par` }), 'rtf')
    expect(rtf.text).toBe('- א. one\n- ב. two')
    const page = '<ol style="list-style-type: simp-chinese-informal"><li>one<li>two</ol>'
    expect((await readDocument(Buffer.from(`<html><body>${page}</body></html>`), 'html')).text).toBe(
      '- 一. one\n- 二. two',
    )
  })
})
