import { describe, expect, test } from 'vitest'
import { defaultLimits, FormatError } from '../../../src/imports/formats/format.ts'
import { openRtf } from '../../../src/imports/formats/document/rtf/open-rtf.ts'
import { rtfOf } from '../../support/documents.ts'
import { readDocument } from '../../support/read-document.ts'
import { smallBooks } from '../../support/small-books.ts'

const rtf = (body: string, info = '') => readDocument(rtfOf({ body, info }), 'rtf')
const textOf = async (body: string) => (await rtf(body)).text
/** Defines list 7 with these levels. */
const lists = (...levels: string[]) =>
  `{\\*\\listtable{\\list${levels.map((level) => `{\\listlevel${level}}`).join('')}\\listid7}}{\\*\\listoverridetable{\\listoverride\\listid7\\listoverridecount0\\ls7}}`

describe('a file of RTF', () => {
  test('has headings by the names of styles in other languages', async () => {
    const styles = '{\\stylesheet{\\s20 \\u26631?\\u-26472? 2;}{\\s21 \\u26631?\\u-26472?;}}'
    expect(await textOf(`${styles}{\\pard\\s20 Ebb\\par}{\\pard\\s21 Tide\\par}`)).toBe('## Ebb\n\nTide')
  })

  test.for<[what: string, body: string, markdown: string]>([
    [
      'no text of words that are names in JavaScript',
      'One.{\\constructor  Two.}\\toString  Three.\\par',
      'One. Two. Three.',
    ],
    ['paragraphs and lines', 'One.\\par Two\\line goes on.\\par', 'One.\n\nTwo  \ngoes on.'],
    [
      'the separators of lines and paragraphs in Unicode',
      '{\\b One}\\uc0\\u8232 {\\b two}\\u8233 Three\\emspace {\\b four}',
      '**One**  \n**two**\n\nThree **four**',
    ],
    ['emphasis', 'so {\\b bold}, \\i slanted\\i0  and x{\\super 2}', 'so **bold**, *slanted* and x<sup>2</sup>'],
    ['formats that end with plain', '\\b\\i loud\\plain  calm', '***loud*** calm'],
    [
      'headings by style and by level',
      '\\s2 {\\b Sea}\\par\\pard\\outlinelevel2 Tide\\par\\pard Text.\\par',
      '## Sea\n\n### Tide\n\nText.',
    ],
    ['quotation marks and dashes', '\\ldblquote a\\rdblquote\\emdash b\\rquote s', '“a”—b’s'],
    ['escaped braces and backslashes', 'if \\{x\\} \\\\n', 'if {x} \\n'],
    ['characters in Unicode, without their substitutes', "na\\u239\\'efve \\uc2\\u8364 EU\\uc0\\u945", 'naïve €α'],
    ['letters beyond the basic plane', '\\u-10179?\\u-8704?', '\u{1f600}'],
    ['letters beyond the basic plane as one number, as Calibre writes them', '\\u128512?', '\u{1f600}'],
    ['letters of the code page of the file', "caf\\'e9", 'café'],
    ['letters of the code page of a font', "{\\f1\\'cc\\'ee\\'f0\\'e5}", 'Море'],
    ['letters of two bytes', "{\\f2\\'8a\\'43}", '海'],
    ['a text in its Unicode form', '{\\upr{M?re}{\\*\\ud{M\\u228?re}}}', 'Märe'],
    [
      'a link',
      '{\\field{\\*\\fldinst{HYPERLINK "https://sea.org/a"}}{\\fldrslt the map}} here',
      '[the map](https://sea.org/a) here',
    ],
    ['the result of another field', 'page {\\field{\\*\\fldinst PAGE}{\\fldrslt 7}}', 'page 7'],
    [
      'lists with their kinds and levels',
      '\\ls2\\ilvl0{\\listtext 1.\\tab}one\\par\\ilvl1 deep\\par\\ilvl0 two\\par\\pard end\\par',
      '1. one\n   - deep\n2. two\n\nend',
    ],
    [
      'lists with letters and Roman numerals',
      `${lists("\\levelnfc4\\levelstartat3{\\leveltext\\'02\\'00);}", "\\levelnfc2\\levelstartat1{\\leveltext\\'03(\\'01);}")}\\ls7\\ilvl0 one\\par\\ilvl1 deep\\par\\ilvl0 two\\par\\pard end`,
      '- c) one\n  - (i) deep\n- d) two\n\nend',
    ],
    [
      'lists that start with another number',
      `${lists("\\levelnfc0\\levelstartat4{\\leveltext\\'02\\'00.;}")}\\ls7 four\\par\\ls7 five\\par`,
      '4. four\n5. five',
    ],
    ['lists of old files', "{\\pntext\\'b7\\tab}{\\*\\pn\\pnlvlblt{\\pntxtb\\'b7}}one\\par\\pard end", '- one\n\nend'],
    [
      'a table',
      '\\trowd\\trhdr\\cellx100\\cellx200\\pard\\intbl Sea\\cell Depth\\cell\\row\\trowd\\cellx100\\cellx200 Red\\cell 3040\\cell\\row\\pard End.\\par',
      '| Sea | Depth |\n| --- | --- |\n| Red | 3040 |\n\nEnd.',
    ],
    ['a note', 'Text{\\super\\chftn}{\\footnote\\pard{\\super\\chftn} See it.} on.', 'Text[^1] on.\n\n[^1]: See it.'],
    [
      'nothing of headers, deleted and hidden text, pictures and unknown groups',
      '{\\header Head}A{\\v hidden}{\\deleted gone}{\\*\\unknown{x}y}{\\pict\\pngblip 89504e47}{\\xe index} b',
      'A b',
    ],
  ])('has %s', async ([, body, markdown]) => {
    expect((await textOf(body)).replace(/!\[[^\]]*\]\([^)]*\)|\[(?:picture|image)[^\]]*\]/gi, '')).toBe(markdown)
  })

  test('does not treat the bytes of a binary picture as text', async () => {
    expect(await textOf('a{\\pict\\bin6 }{\\b x} b')).not.toContain('x')
  })

  test('has title, author, subject, and its headings with their pages', async () => {
    const info = '{\\title The \\u8220?Sea\\u8221?}{\\author M. Rey}{\\subject Tides}{\\operator x}'
    const { info: found, toc } = await rtf('\\s1 One\\par\\pard text\\par\\s1 Two\\par', info)
    expect(found).toMatchObject({ title: 'The “Sea”', author: 'M. Rey', description: 'Tides' })
    expect(toc.map(({ title, level, page }) => [title, level, page])).toEqual([
      ['One', 1, 1],
      ['Two', 1, 1],
    ])
  })

  test.for(['docx', 'html', 'fb2', 'odt', 'text'] as const)('is recognised under the name of %s', async (named) => {
    const { format } = await readDocument(await smallBooks.rtf(), named)
    expect(format).toBe('rtf')
  })

  test.for([10, 50, 90])('that is truncated at %i percent yields the text so far', async (percent) => {
    const file = rtfOf({ body: 'The tide goes out. \\par '.repeat(100) })
    const book = await openRtf(file.subarray(0, Math.floor((file.length * percent) / 100)), defaultLimits)
    const read = async () => {
      const contents: string[] = []
      for await (const { content } of book.pages()) contents.push(content)
      return contents.join('')
    }
    if (percent === 10) await expect(read()).rejects.toMatchObject({ code: 'EMPTY' })
    else expect(await read()).toContain('The tide goes out.')
  })

  test('with groups nested too deeply is refused', async () => {
    const opening = openRtf(Buffer.from(`{\\rtf1 ${'{'.repeat(100_000)}`), defaultLimits)
    await expect(opening).rejects.toThrow(FormatError)
    await expect(opening).rejects.toMatchObject({ code: 'TOO_DEEP' })
  })

  // Anything slower than linear time would exceed the timeout of the test.
  test.for([
    '{',
    '}',
    '\\',
    '\\b',
    "\\'e9",
    '\\u945',
    '{}',
    '\\cell',
    '\\row\\intbl a\\cell',
    '{\\footnote a}',
    '\\par a',
  ])('of only %s takes linear time', async (unit) => {
    const file = Buffer.from(`{\\rtf1 ${unit === '{' ? '{'.repeat(1_000) : unit.repeat(20_000)}`)
    const book = await openRtf(file, defaultLimits)
    try {
      for await (const { content } of book.pages()) expect(content.isWellFormed()).toBe(true)
    } catch (error) {
      expect(error).toMatchObject({ code: 'EMPTY' })
    }
  })
})
