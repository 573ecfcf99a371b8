import { describe, expect, test } from 'vitest'
import { defaultLimits } from '../../../src/imports/formats/format.ts'
import type { Character } from '../../../src/imports/formats/pdf/characters/character.ts'
import { measureFaces } from '../../../src/imports/formats/pdf/characters/unnamed-faces.ts'
import type { FontFace } from '../../../src/imports/formats/pdf/page/pdf-file.ts'
import { openPdf } from '../../../src/imports/formats/pdf/open-pdf.ts'
import { assemblePdf } from '../../support/pdf.ts'

const box = '50 0 0 0 46 46 d1 0 0 40 46 re f'
const names = Array.from({ length: 256 }, (_, code) => `/a${code}`)

/** A bitmap font as dvips writes it: without a name or a mapping to Unicode, and with a box that is lower than the font. */
const bitmapFont = (widthOf: (character: string) => number): string =>
  '<< /Type /Font /Subtype /Type3 /FontBBox [0 0 46 46] /FontMatrix [0.01 0 0 0.01 0 0] /FirstChar 0 /LastChar 255 ' +
  `/Widths [${names.map((_, code) => widthOf(String.fromCharCode(code))).join(' ')}] /Encoding << /Type /Encoding /Differences [0 ${names.join(' ')}] >> ` +
  `/CharProcs << ${names.map((name) => `${name} 8 0 R`).join(' ')} >> /Resources << >> >>`

const proportional = bitmapFont((character) => ('ijlft'.includes(character) ? 40 : 'mw'.includes(character) ? 70 : 50))
const monospaced = bitmapFont(() => 50)

/** Draws lines of words; a kern separates the parts of a word that is divided by `·`. */
function drawn(font: string, lines: readonly string[]): string {
  const hex = (text: string) => `<${Buffer.from(text, 'latin1').toString('hex')}>`
  const word = (text: string) => text.split('·').map(hex).join(' -40 ')
  const line = (text: string) => `[${text.split(' ').map(word).join(' -300 ')}] TJ 0 -1.2 Td\n`
  return `BT /${font} 1 Tf 10 0 0 10 72 700 Tm\n${lines.map(line).join('')}ET\n`
}

/** The text of a page with these texts in a proportional font and in a monospaced one. */
async function read(text: readonly string[], other: readonly string[] = []): Promise<string> {
  const content = drawn('T', text) + drawn('M', other).replace('72 700', '72 600')
  const file = assemblePdf(
    new Map<number, string>([
      [1, '<< /Type /Catalog /Pages 2 0 R >>'],
      [2, '<< /Type /Pages /Count 1 /Kids [4 0 R] >>'],
      [3, '<< >>'],
      [
        4,
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << /T 6 0 R /M 7 0 R >> >> >>',
      ],
      [5, `<< /Length ${Buffer.byteLength(content, 'latin1')} >>\nstream\n${content}\nendstream`],
      [6, proportional],
      [7, monospaced],
      [8, `<< /Length ${box.length} >>\nstream\n${box}\nendstream`],
    ]),
  )
  const book = await openPdf(file, defaultLimits)
  for await (const page of book.pages()) {
    await book.close()
    return page.content
  }
  return ''
}

test('parts of a monospaced font without a name are monospaced if they have its width, others are not', () => {
  const characters = [
    ['whole', 'i', 6],
    ['whole', 'm', 6],
    ['letter', 'y', 6],
    ['signs', '0', 6],
    ['signs', '%', 6],
    ['narrower', 'y', 5],
    ['proportional', 'i', 3],
    ['proportional', 'n', 6],
    ['proportional', '%', 6],
  ] as const
  const face = { bold: false, italic: false, mono: false, vertical: false }
  const fonts = [...new Set(characters.map(([font]) => font))]
  const faces = new Map<string, FontFace>(fonts.map((font) => [font, face]))
  const shown = characters.map(([font, text, width]): Character => {
    const style = { font, matrix: [10, 0, 0, 10], x: 1, y: 0, em: 10, size: 10 } as const
    return { text, x: 0, y: 0, width, style, sameObject: false, afterSpace: false }
  })
  measureFaces(faces, new Set(fonts), shown)
  expect(fonts.filter((font) => faces.get(font)?.mono === true)).toEqual(['whole', 'letter', 'signs'])
})

describe('the bitmap fonts of TeX', () => {
  test('have the ligatures, dashes, quotation marks and letters of OT1', async () => {
    expect(await read(['the di\x0berent \x0crst o\x0ece \x5cin {ight" re\rect stra\x19e c\x1bur'])).toBe(
      'the different first office “in –ight” reflect straße cœur',
    )
  })

  test('have those of T1', async () => {
    expect(await read(['the di\x1berent \x1crst o\x1ece \x10in \x15 re\x1dect\x11 stra\xffe \xb2koda'])).toBe(
      'the different first office “in – reflect” straße škoda',
    )
  })

  test('have whole words with kerns, and lines that form a paragraph', async () => {
    expect(await read(['the pro·ject and its ob·jects \x1cll', 'two lines of one paragraph in a \x1cle'])).toBe(
      'the project and its objects fill two lines of one paragraph in a file',
    )
  })

  test('keep the signs of typewriter fonts', async () => {
    expect(await read(['some \x0crst text that \x0cts'], ['if (count > 1) { print "one" }'])).toContain(
      'if (count > 1) { print "one" }',
    )
  })

  test('are monospaced if all letters have one width, and others are not', async () => {
    const text = ['some \x0crst text that \x0cts above the program', 'of the lake and goes on for another line of it']
    const page = await read(text, ['if(lake){', 'swim(mile)', '}'])
    expect(page).toContain('```\nif(lake){\nswim(mile)\n}\n```')
    expect(await read(['in the \x0crst of all lakes one may swim'])).toBe('in the first of all lakes one may swim')
  })

  test('are left alone in formulas, and if their codes are not those of TeX', async () => {
    expect(await read(['the \x0crst text that \x0cts'], ['x \x0b y'])).toContain('x y')
    expect(await read(['a module\x0b language\x0b and\x0c others\x0b of\x0eit'])).toBe(
      'a module language and others ofit',
    )
  })
})
