import { describe, expect, test } from 'vitest'
import { rtfOf } from '../../support/documents.ts'
import { photograph, transparentPng } from '../../support/figures.ts'
import { readDocument } from '../../support/read-document.ts'

const rtf = (body: string) => readDocument(rtfOf({ body }), 'rtf')
const fixed = '{\\fonttbl{\\f5\\fmodern Courier New;}{\\f6\\fmodern\\fcharset128 MS Mincho;}}'
const prose = 'The tide went out and left the boats on the sand. '.repeat(4)
const item = (indent: number, marker: string, text: string) => `\\pard\\li${indent}\\fi-360 ${marker}\\tab ${text}\\par`

describe('RTF workarounds of various programs', () => {
  test.for<[what: string, body: string, markdown: string]>([
    [
      'lists with written signs and numbers, tasks, and items of two paragraphs',
      `${item(360, '1.', 'one')}${item(720, 'a.', 'deep')}${item(720, 'b.', 'down')}${item(360, '2.', 'two')}\\pard x\\par${item(360, '\\bullet ', '\\u9746 ? done')}\\pard\\li360\\fi0 more\\par${item(360, '\\bullet ', '\\u9744 ? open')}`,
      '1. one\n   1. deep\n   2. down\n2. two\n\nx\n\n- [x] done\n\n  more\n- [ ] open',
    ],
    [
      'written numbers that begin later',
      `${item(360, '7.', 'seven')}${item(360, '8.', 'eight')}`,
      '7. seven\n8. eight',
    ],
    ['no list of a line that does not hang', '\\pard 1.\\tab one\\par', '1\\. one'],
    [
      'code in fixed fonts, with its spaces, and in the line',
      `${fixed}${prose}\\par{\\f5 if x:\\par     y = 1\\line\\tab z\\par\\par end\\par}\\pard Then {\\f5 y} and {\\f6 z}.\\par`,
      `${prose.trim()}\n\n\`\`\`\nif x:\n    y = 1\n    z\n\nend\n\`\`\`\n\nThen \`y\` and z.`,
    ],
    [
      'code in fixed fonts that styles use',
      `${fixed}{\\stylesheet{\\s0 Normal;}{\\s4\\f5\\fs20 Preformatted;}}${prose}\\par\\pard\\s4\\f5 if x:\\par     y = 1\\par`,
      `${prose.trim()}\n\n\`\`\`\nif x:\n    y = 1\n\`\`\``,
    ],
    ['no code of a typescript', `${fixed}\\f5 A novel.\\par It rained.\\par`, 'A novel.\n\nIt rained.'],
    [
      'quotations that are indented on both sides',
      `${prose}\\par ${prose}\\par ${prose}\\par\\pard\\li720\\ri720 Said.\\par Again.\\par\\pard\\li720 In.\\par`,
      `${`${prose.trim()}\n\n`.repeat(3)}> Said.\n\n> Again.\n\nIn.`,
    ],
    ['no quotations of wide margins', '\\pard\\li720\\ri720 One.\\par Two.\\par', 'One.\n\nTwo.'],
    [
      'a header with the only line of a table',
      '\\trowd\\clbrdrb\\brdrs\\cellx1\\clbrdrb\\brdrs\\cellx2\\intbl A\\cell B\\cell\\row\\trowd\\cellx1\\cellx2\\intbl 1\\cell 2\\cell\\row',
      '| A | B |\n| --- | --- |\n| 1 | 2 |',
    ],
    [
      'no header where all rows have lines',
      '\\trowd\\clbrdrb\\cellx1\\clbrdrb\\cellx2\\intbl A\\cell B\\cell\\row\\trowd\\clbrdrb\\cellx1\\cellx2\\intbl 1\\cell 2\\cell\\row',
      '|  |  |\n| --- | --- |\n| A | B |\n| 1 | 2 |',
    ],
    [
      'paragraphs that are groups without an end, and no heading of them',
      '{\\s1{\\b{\\ql Units\\par\\pard\\plain}\\par\\pard\\plain}\\par\\pard\\plain} {\\qc Caption} {\\b{\\ql A}} {\\qr 1} Text. {\\s2{\\b{\\ql Lists\\par\\pard\\plain}}}',
      '# Units\n\nCaption\n\n**A**\n\n1\n\nText.\n\n## Lists',
    ],
    [
      'struck text of Calibre, and none that Word has deleted',
      'a {\\deleted{\\strike b}} c{\\deleted\\revauthdel1 d}{\\deleted e}',
      'a ~~b~~ c',
    ],
    [
      'text with a star before its character style, as StarOffice writes it',
      '{\\b1\\*\\cs7\\cf0 The tide} went{\n\\*\\unknown gone} out',
      '**The tide** went out',
    ],
    [
      'a paragraph after a group with another format, and one after a table that ends without a new format',
      '{\\stylesheet{\\s0 Normal;}{\\s1 Heading 1;}}\\s0{\\s1 Tides\\par}\nThe tide went out.\\par\\trowd\\cellx1\\cellx2\\intbl A\\cell B\\cell\\row\\intbl0 It came back.\\par',
      '# Tides\n\nThe tide went out.\n\n|  |  |\n| --- | --- |\n| A | B |\n\nIt came back.',
    ],
    [
      'a row that the file does not end',
      '\\trowd\\cellx1\\cellx2\\intbl A\\cell B\\cell\\row\\intbl 1\\cell 2',
      '|  |  |\n| --- | --- |\n| A | B |\n| 1 | 2 |',
    ],
    [
      'the text boxes of old drawings, without a second copy',
      'Sea{\\*\\do\\dobxpage\\dptxbx{\\dptxbxtext\\pard Tide\\par}\\dpx1}\\par {\\shp{\\*\\shpinst{\\shptxt Ebb\\par}}{\\shprslt{\\*\\do{\\dptxbxtext Ebb\\par}}}}',
      'Sea\n\nTide\n\nEbb',
    ],
    [
      'text boxes after the paragraph in which they are anchored, and in cells',
      '\\pard\\s2 Sea{\\shp{\\*\\shpinst{\\shptxt\\pard\\plain\\s0 Box\\par}}} level\\par\\pard\\s0\\trowd\\cellx1\\intbl A{\\shp{\\*\\shpinst{\\shptxt\\pard B\\par}}}\\cell C\\cell\\row',
      '## Sea level\n\nBox\n\n|  |  |\n| --- | --- |\n| A<br>B | C |',
    ],
    [
      'the displayed numbers of headings, but not their bullets',
      '{\\listtext\\pard\\plain\\s1 IV.\\tab}\\pard\\s1\\ls2 Sea\\par{\\listtext\\f1 o\\tab}\\pard\\s2\\ls1 Tide\\par\\pard\\s2 Ebb\\par',
      '# IV. Sea\n\n## Tide\n\n## Ebb',
    ],
    [
      'formulas in TeX',
      '$$ a^2 = \\\\frac\\{1\\}\\{2\\} $$\\par costs $$ 5 $$\\par',
      '$$\na^2 = \\frac{1}{2}\n$$\n\ncosts \\$\\$ 5 \\$\\$',
    ],
  ])('%s', async ([, body, markdown]) => {
    expect((await rtf(body)).text).toBe(markdown)
  })

  test('has its pictures as figures: hexadecimal, binary, and in shapes; without duplicates', async () => {
    const hex = photograph(1).toString('hex').replace(/.{64}/g, '$&\n')
    const bytes = transparentPng()
    const body = `A{\\*\\shppict{\\pict\\jpegblip\\picw9 ${hex}}}{\\nonshppict{\\pict\\wmetafile8 00}} b{\\pict\\pngblip\\bin${bytes.length} ${bytes.toString('latin1')}}{\\shp{\\*\\shpinst{\\sp{\\sn pib}{\\sv {\\pict\\jpegblip ${photograph(2).toString('hex')}}}}}{\\shprslt x}} c{\\pict\\wmetafile8 0102}`
    const { text, figures } = await rtf(body)
    expect(figures).toHaveLength(3)
    const marks = figures.map(({ id }) => id)
    expect(marks.every((id) => text.split(id).length === 2)).toBe(true)
    expect(text.replace(/!\[[^\]]*\]\([^)]*\)/g, '#')).toMatch(/^A\s*#\s*b\s*#\s*#\s*c$/)
  })

  test.for([
    '{\\pict\\pngblip 89504e47}',
    '{\\pict\\pngblip\\bin4 xxxx}',
    '{\\ql a}',
    '\\pard\\li9\\fi-9 1.\\tab a\\par',
    '{\\f5 a\\par}',
  ])('of only %s takes linear time', async (unit) => {
    const startedAt = process.cpuUsage()
    const { text } = await readDocument(Buffer.from(`{\\rtf1 ${fixed} x ${unit.repeat(20_000)}`), 'rtf')
    expect(text.isWellFormed()).toBe(true)
    expect(process.cpuUsage(startedAt).user / 1_000_000).toBeLessThan(10)
  })
})
