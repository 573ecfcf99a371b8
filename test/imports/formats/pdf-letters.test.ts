import { describe, expect, test } from 'vitest'
import { defaultLimits } from '../../../src/imports/formats/format.ts'
import { collectItems } from '../../../src/imports/formats/pdf/pdfium/pdfium-items.ts'
import { composeAccents } from '../../../src/imports/formats/pdf/characters/compose-accents.ts'
import { improbableShare } from '../../../src/imports/formats/pdf/characters/improbable-text.ts'
import { openPdf } from '../../../src/imports/formats/pdf/open-pdf.ts'
import { freeMarks, joinOverlaidAccents } from '../../../src/imports/formats/pdf/characters/overlaid-accents.ts'
import type { Character, TextStyle } from '../../../src/imports/formats/pdf/characters/character.ts'
import type { TextRun } from '../../../src/imports/formats/pdf/page/pdf-file.ts'
import { readRuns } from '../../../src/imports/formats/pdf/characters/read-runs.ts'
import { orderRuns } from '../../../src/imports/formats/pdf/page/run-order.ts'
import { cleanText, isSpacelessScript } from '../../../src/imports/formats/pdf/characters/text.ts'
import { showLines, showText, writePdf } from '../../support/pdf.ts'
import { readPdf, readPdfPage } from '../../support/read-pdf.ts'

/** The text of a page with a single line in Helvetica Bold, from an array of strings and kerning values. */
async function line(array: string): Promise<string> {
  const content = `BT /F2 10 Tf 1 0 0 1 72 700 Tm [${array}] TJ ET`
  const book = await openPdf(writePdf({ pages: [{ content }] }), defaultLimits)
  const pages: string[] = []
  for await (const page of book.pages()) pages.push(page.content)
  await book.close()
  return pages.join()
}

const font = { bold: false, italic: false, mono: false, vertical: false }

function run(text: string, x: number, width: number, more: Partial<TextRun> = {}): TextRun {
  return { text, x, y: 100, width, size: 10, font, rotation: 0, hasSpaceBefore: false, rtl: false, ...more }
}

function texts(runs: readonly TextRun[]): string[] {
  return runs.map(({ text, hasSpaceBefore }) => (hasSpaceBefore ? ' ' : '') + text)
}

test('lowered and smaller letters of a logo are one word', async () => {
  const logo =
    'BT /F2 10 Tf 1 0 0 1 72 700 Tm (by L) Tj /F2 7 Tf 1 0 0 1 85 702 Tm (A) Tj ' +
    '/F2 10 Tf 1 0 0 1 89 700 Tm (T) Tj 1 0 0 1 94 696.9 Tm (E) Tj 1 0 0 1 99.5 700 Tm (X in May) Tj ET'
  const book = await openPdf(writePdf({ pages: [{ content: logo }] }), defaultLimits)
  for await (const { content } of book.pages()) expect(content).toBe('by LATEX in May')
  await book.close()
})

test.for([
  ['a narrow gap before a hyphen is not a space', 'KOMA', '-Script', 103.75, 'KOMA-Script'],
  ['a gap as wide as a space before a hyphen is a space', 'KOMA', '-Script', 105.3, 'KOMA -Script'],
  ['a narrow gap before a word is a space', 'KOMA', 'Script', 103.75, 'KOMA Script'],
] as const)('%s', async ([, first, second, x, expected]) => {
  const shown = `BT /F2 10 Tf 1 0 0 1 72 700 Tm (${first}) Tj 1 0 0 1 ${x} 700 Tm (${second}) Tj ET`
  expect(await readPdfPage(shown)).toBe(expected)
})

test.for([
  ['is a space between words', 'rules', 'file', 23.9, 'rules file'],
  ['is none between single letters, as in a formula', 'x', 'y', 5.56, 'xy'],
] as const)('a narrow gap between two fonts %s', async ([, first, second, width, expected]) => {
  const x = 72 + width + 1.8
  const shown = `BT /F2 10 Tf 1 0 0 1 72 700 Tm (${first}) Tj /F1 10 Tf 1 0 0 1 ${x} 700 Tm (${second}) Tj ET`
  expect((await readPdfPage(shown)).replaceAll('*', '')).toBe(expected)
})

test.for([
  [
    'distances between the characters of a part are spaces',
    '(name) ] TJ 3.3 Tc [(,an) ] TJ 0 Tc [330 (umber)',
    'name, a number',
  ],
  ['wide gaps between most characters are none', '] TJ 3.3 Tc [(names)', 'names'],
] as const)('%s', async ([, array, expected]) => {
  expect(await line(array)).toBe(expected)
})

test('a space that the file narrows to nothing does not divide a word; a narrow one divides two', async () => {
  expect(await line('(ne) 2 (g )278(ative )')).toBe('negative')
  expect(await line('(neg )78(ative)')).toBe('neg ative')
})

describe('letters that are spaced out', () => {
  // Glyphs of Helvetica Bold in 10 points, each with its own place, as browsers write them.
  const widths = new Map(
    [...'ROSEINWTACBD'].map((letter, index) => [
      letter,
      [722, 778, 667, 667, 278, 722, 944, 611, 722, 722, 722, 722][index] ?? 0,
    ]),
  )
  const spacedOut = (words: string, space: number): string => {
    let x = 72
    let shown = ''
    for (const letter of words) {
      if (letter !== ' ') shown += showText(letter, { x, y: 700, font: 'F2' })
      x += (widths.get(letter) ?? 278) / 100 + space
    }
    return shown
  }

  test.for<[what: string, content: string, expected: string]>([
    ['are words', spacedOut('ROSES IN WINTER', 1.5), 'ROSES IN WINTER'],
    ['are one word', spacedOut('SORROWS', 1.8), 'SORROWS'],
    ['are a list if they are as far apart as words', spacedOut('ABCDABCD', 2.8), 'A B C D A B C D'],
    ['are a list if spaces are between them', 'BT /F2 10 Tf 72 700 Td (A B C D A B C D) Tj ET', 'A B C D A B C D'],
  ])('%s', async ([, content, expected]) => {
    expect(await readPdfPage(content)).toBe(expected)
  })
})

describe('the end of a word in another text object', () => {
  const show = (operators: string) => `BT /F1 10 Tf ${operators} ET`

  test('is no new word in letters with space between them', async () => {
    expect(await readPdfPage(show('2 Tc 72 700 Td (CARLO) Tj 44.45 0 Td (S) Tj'))).toBe('CARLOS')
  })

  test.for<[what: string, hasLooseSpace: boolean, gap: number, expected: string]>([
    ['is no new word if the file draws a space elsewhere', true, 0, 'the'],
    ['is no new word if the file draws a space under the letter before it', false, 0, 'the'],
    ['is a new word if a space before it is narrow', false, 0.5, 't he'],
  ])('%s', ([, hasLooseSpace, gap, expected]) => {
    const style: TextStyle = { font: 'f', matrix: [10, 0, 0, 10], x: 1, y: 0, em: 10, size: 10 }
    const { add, end } = collectItems()
    add({ text: 't', x: 0, y: 0, width: 3, style, sameObject: false, afterSpace: false })
    add({ text: 'h', x: 3 + gap, y: 0, width: 6, style, sameObject: false, afterSpace: true, hasLooseSpace })
    add({ text: 'e', x: 9 + gap, y: 0, width: 6, style, sameObject: true, afterSpace: false })
    expect(end().map(({ str }) => str)).toEqual([expected])
  })

  test('is a new word after a space', async () => {
    const content = show('2 Tc 72 700 Td (CARLOS ) Tj 57.9 0 Td (RAMOS) Tj')
    expect(await readPdfPage(content)).toBe('CARLOS RAMOS')
  })
})

describe('a drop cap', () => {
  const rest = [
    'upon a time a river rose in the hills of the north, as far as',
    'anybody knows who lived there in those days and saw it with',
  ]
  const below = 'their own eyes, and they told it to those who came after them.'

  test.for([
    ['is the first letter of its word', 'O', 'nce', 108, 'Once'],
    ['is a separate word if there is a gap', 'A', 'river', 111, 'A river'],
  ] as const)('%s, and its lines are one paragraph', async ([, letter, word, x, expected]) => {
    const text = showLines([`${word} ${rest[0]}`, rest[1] ?? ''], { x, y: 700 }) + showText(below, { x: 72, y: 676 })
    const before = showText('The rivers of the north', { x: 72, y: 730 })
    for (const content of [
      before + showText(letter, { x: 72, y: 688, size: letter === 'O' ? 46 : 50 }) + text,
      before + text + showText(letter, { x: 72, y: 688, size: letter === 'O' ? 46 : 50 }),
    ])
      expect((await readPdfPage(content)).split('\n\n').at(-1)).toBe(`${expected} ${rest.join(' ')} ${below}`)
  })

  test.for([
    ['a consonant with a wide gap is not a word', 'W', 'hen', 125, 'When'],
    ['a vowel that seldom is a word is not one', 'E', 'very', 111, 'Every'],
    ['a vowel with a wide gap is not a word if the page has the whole one', 'A', 'nd', 111, 'And'],
    ['a vowel with a narrow gap is a word if the page has the other one', 'A', 'river', 107, 'A river'],
    ['a vowel without a gap is a word if the page has the other one', 'A', 'river', 105.4, 'A river'],
    ['a vowel after a quotation mark can be a word', '"I', 'know', 104, '"I know'],
    ['a Slavic preposition is a word if the page has the next word', 'W', 'hills', 125, 'W hills'],
  ] as const)('%s', async ([, letter, word, x, expected]) => {
    const before = showText('The rivers and hills, which they know', { x: 72, y: 730 })
    const text = showLines([`${word} ${rest[0]}`, rest[1] ?? ''], { x, y: 700 })
    const cap = showText(letter, { x: 72, y: 688, size: letter.length === 1 ? 50 : 48 })
    expect((await readPdfPage(before + cap + text)).split('\n\n').at(-1)).toBe(`${expected} ${rest.join(' ')}`)
  })

  test('may be between the baselines of the lines beside it, as in browsers', async () => {
    const text = showLines([`nce ${rest[0]}`, rest[1] ?? ''], { x: 108, y: 700 })
    const cap = showText('O', { x: 72, y: 683.5, size: 46 })
    expect(await readPdfPage(cap + text)).toBe(`Once ${rest.join(' ')}`)
  })

  test('needs text beside its lower end, in contrast to a letter on a poster', async () => {
    const content = showText('A', { x: 72, y: 600, size: 40 }) + showLines(['river'], { x: 101, y: 625 })
    expect(await readPdfPage(content)).not.toContain('A river')
  })
})

describe('accents that a font contains as separate glyphs', () => {
  // Octal 264, 250, 210, 230 and 270 are acute, diaeresis, circumflex, tilde and cedilla.
  test.for([
    ['an accent over the last letter', '(Doutor Jos) -111 (\\264) 444 (e)', 'Doutor José'],
    ['an accent inside a word', '(F) -139 (\\250) 472 (ur alle)', 'Für alle'],
    ['a cedilla and a tilde', '(produc) 445 (\\270) -112 -111 (\\230) 444 (ao)', 'produção'],
    ['a capital with a narrow accent', '(UNIVERSIT) -194 (\\250) 527 (AT)', 'UNIVERSITÄT'],
    ['a word that begins with an accent', '(dia de) -389 (\\264) 444 (epoca)', 'dia de época'],
    ['an apostrophe is not an accent', '(rock \\264n\\264 roll)', 'rock ´n´ roll'],
    ['a caret and a tilde between words are not accents', '(2^3 ~ 8)', '2^3 ~ 8'],
  ] as const)('%s', async ([, array, expected]) => {
    expect(await line(array)).toBe(expected)
  })

  test('an accent that is drawn after the rest of the line', async () => {
    const content = 'BT /F2 10 Tf 1 0 0 1 72 700 Tm (CAMPUS of the town) Tj 1 0 0 1 81.2 702.5 Tm (\\210) Tj ET'
    const book = await openPdf(writePdf({ pages: [{ content }] }), defaultLimits)
    for await (const page of book.pages()) expect(page.content).toBe('CÂMPUS of the town')
    await book.close()
  })

  test.for<[what: string, signs: [text: string, x: number, y?: number][], expected: string]>([
    [
      'before its letter',
      [
        ['a', 0],
        ['´', 6],
        ['e', 5],
        ['x', 10],
      ],
      'aéx',
    ],
    [
      'after its letter',
      [
        ['a', 0],
        ['e', 5],
        ['´', 6],
        ['x', 10],
      ],
      'aéx',
    ],
    [
      'at the end of the line',
      [
        ['a', 0],
        ['e', 5],
        ['x', 10],
        ['´', 6, 2],
      ],
      'aéx',
    ],
    [
      'below its letter',
      [
        ['a', 0],
        ['c', 5],
        ['¸', 6],
        ['x', 10],
      ],
      'açx',
    ],
    [
      'over a letter with another accent',
      [
        ['e', 0],
        ['ˆ', 1, 1],
        ['´', 1, 3],
      ],
      'ế',
    ],
    [
      'over a dotless letter',
      [
        ['ı', 0],
        ['´', 1],
      ],
      'í',
    ],
    [
      'next to a letter is a separate character',
      [
        ['e', 0],
        ['´', 5],
        ['s', 10],
      ],
      'e´s',
    ],
    [
      'over the line above is a separate character',
      [
        ['e', 0, 12],
        ['´', 1],
      ],
      'e´',
    ],
    [
      'over a letter that has no accented form is a separate character',
      [
        ['q', 0],
        ['¸', 1],
      ],
      'q¸',
    ],
  ])('an accent %s', ([, signs, expected]) => {
    const style: TextStyle = { font: 'f0', matrix: [10, 0, 0, 10], x: 1, y: 0, em: 10, size: 10 }
    const characters = signs.map(([text, x, y = 0]): Character => {
      const width = /[´ˆ¸]/.test(text) ? 3 : 5
      return { text, x, y, width, style, sameObject: false, afterSpace: false }
    })
    const joined = joinOverlaidAccents(characters)
    expect(joined.map(({ text }) => text).join('')).toBe(expected)
  })

  test('a gap beside an accent is not a space, but a gap beside its letter is', () => {
    const style: TextStyle = { font: 'f0', matrix: [10, 0, 0, 10], x: 1, y: 0, em: 10, size: 10 }
    const sign = (text: string, x: number, width: number, afterSpace = false): Character => {
      return { text, x, y: 0, width, style, sameObject: true, afterSpace }
    }
    const joined = joinOverlaidAccents([
      sign('c', 0, 5),
      sign('¸', 1, 3),
      sign('˜', 6, 3, true),
      sign('a', 5, 5, true),
      sign('´', 14, 3, true),
      sign('e', 13, 5, true),
    ])
    expect(joined.map(({ text, afterSpace }) => (afterSpace ? ' ' : '') + text).join('')).toBe('çã é')
  })

  /** A line of Helvetica, and a mark drawn after it with the glyph of the backquote. */
  const withMark = async (shown: string, markX: number) => {
    const map =
      '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /M def /CMapType 2 def ' +
      '1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <60> <0300> endbfchar endcmap end end'
    const content = `${shown} BT /F4 10 Tf 1 0 0 1 ${markX} 701 Tm (\`) Tj ET`
    const objects = new Map([[10, `<< /Length ${map.length} >>\nstream\n${map}\nendstream`]])
    return (await readPdf({ pages: [{ content }], objects })).join()
  }
  const quoted =
    'BT /F1 10 Tf 1 0 0 1 72 700 Tm (not in) Tj 1 0 0 1 101.5 700 Tm (man pages, but in) Tj ' +
    '1 0 0 1 190 700 Tm (info files) Tj ET'

  test.for([
    ['before a word is a backquote', quoted, 98, 'not in \\`man pages, but in info files'],
    ['before the first word of a line is a backquote', quoted, 68.8, '\\`not in man pages, but in info files'],
    ['over a letter is its accent', 'BT /F1 10 Tf 72 700 Td (la mer) Tj ET', 75.5, 'là mer'],
  ] as const)('a combining mark that is drawn %s', async ([, shown, x, expected]) => {
    expect(await withMark(shown, x)).toBe(expected)
  })

  test('a mark over a letter with which it has no common code stays a mark', () => {
    const style: TextStyle = { font: 'f0', matrix: [10, 0, 0, 10], x: 1, y: 0, em: 10, size: 10 }
    const apart = { y: 0, style, sameObject: false, afterSpace: false }
    const sign = (text: string, x: number, width: number): Character => ({ text, x, width, ...apart })
    const marked = { ...sign('\u0302', 8, 0), ink: [6, 9] as const }
    expect(freeMarks([sign('x', 5, 5), sign('y', 20, 5), marked])[2]).toEqual(marked)
    expect(freeMarks([sign('x', 15, 5), marked]).map(({ text, x }) => [text, x])).toEqual([
      ['x', 15],
      ['ˆ', 6],
    ])
  })

  test('an accent in a run of its own, raised over a capital', () => {
    const runs = [run('P', 72, 6), run('´', 79, 5, { y: 97.5 }), run('Etudes', 78, 30)]
    expect(texts(composeAccents(runs, new Set()))).toEqual(['P', 'Études'])
  })

  test('an accent after its letter', () => {
    const runs = [run('deja', 72, 20), run('`', 86, 3.3), run('vu', 96, 10, { hasSpaceBefore: true })]
    expect(texts(composeAccents(runs, new Set()))).toEqual(['dejà', ' vu'])
  })

  test('an accent far to the left, which the file draws later, is unchanged', () => {
    const runs = [run('but in', 172, 30), run('`', 98, 3.3), run('info', 205, 18)]
    expect(texts(composeAccents(runs, new Set()))).toEqual(['but in', '`', 'info'])
  })

  test('an accent over another line is unchanged', () => {
    const runs = [run('see', 72, 15), run('´', 86, 3.3), run('e', 86, 5, { y: 112 })]
    expect(texts(composeAccents(runs, new Set()))).toEqual(['see', '´', 'e'])
  })

  test('a tilde before a capital is part of code', () => {
    expect(texts(composeAccents([run('rivers˜Embedded', 72, 80)], new Set()))).toEqual(['rivers˜Embedded'])
  })

  test('dotless letters with an accent become ordinary letters with that accent', () => {
    expect(texts(composeAccents([run('cap´ıtulo', 72, 40)], new Set()))).toEqual(['capítulo'])
  })
})

describe('normalized letters', () => {
  test.for([
    ['letters and their marks', 'cafe\u0301', 'café'],
    ['Arabic presentation forms', '\ufef3\ufeea\ufe8d', 'يها'],
    ['a ligature of lam and alef, whose letters are in logical order', '\ufefb', 'لا'],
    ['a hamza after its letter', '\u0655ا', 'إ'],
    ['jamo', '\u1112\u1161\u11ab', '한'],
    ['pieces of tall brackets', '\uf8ee\uf8ef\uf8f0\uf8f1\uf8f4\uf8f6\uf8f9\uf8fe', '⎡⎢⎣⎧⎪⎞⎤⎭'],
    ['ligatures that a font maps to capitals', 'wriƟng leƩers, Ɵtle, soŌware', 'writing letters, title, software'],
    ['a ligature that a font maps to a rare letter', 'seƫngs', 'settings'],
    ['the same capitals outside of words', 'Ɵ, ƩA, Ōsaka', 'Ɵ, ƩA, Ōsaka'],
    ['radicals that represent characters', '⼭东⼤学', '山东大学'],
    ['full-width letters', 'ＡＢ１', 'AB1'],
    ['Persian joiners are kept', 'می\u200cخواهم', 'می\u200cخواهم'],
  ] as const)('%s', ([, text, expected]) => {
    expect(cleanText(text)).toBe(expected)
  })

  test('a ligature that a font maps to a capital and that stands alone is expanded inside a word', () => {
    const item = (str: string) => ({
      str,
      dir: 'ltr',
      transform: [9, 0, 0, 9, 0, 0],
      width: 9,
      height: 9,
      fontName: 'f',
    })
    const words = (...parts: string[]) =>
      readRuns(parts.map(item), [1, 0, 0, -1, 0, 0], new Map()).runs.map(({ text }) => text)
    expect(words('Harma', 'Ʃ', 'an')).toEqual(['Harma', 'tt', 'an'])
    expect(words('the', ' ', 'Ɵ', 'tle')).toEqual(['the', 'ti', 'tle'])
    expect(words('let', ' ', 'Ɵ', ' ', 'be')).toEqual(['let', 'Ɵ', 'be'])
    expect(words('in', ' ', 'Ō', 'saka')).toEqual(['in', 'Ō', 'saka'])
  })

  test('Korean and full-width letters keep their spaces; Chinese has none', () => {
    expect(['한', '\u1112', 'Ａ', '１'].filter(isSpacelessScript)).toEqual([])
    expect(['中', 'の', '。', '，'].filter(isSpacelessScript)).toHaveLength(4)
  })
})

describe('fonts that map to the wrong letters', () => {
  const english =
    'The river begins at a spring between two hills, and for the first miles nobody would call it a river at all. It runs ' +
    'under the road, through a pipe, and behind the houses of a village whose people remember when it was wider. Later it ' +
    'meets others, and where they meet there is a town that lives on wood, wool and the water that drives the wheels. '
  const shifted = english.replace(/[a-z]/gi, (letter) => {
    const base = letter < 'a' ? 65 : 97
    return String.fromCharCode(((letter.charCodeAt(0) - base + 7) % 26) + base)
  })

  test.for<[what: string, text: string, share: number]>([
    ['English', english, 0],
    ['substituted letters', shifted, 1],
    ['Russian in Latin-1', 'Ìèíèñòåðñòâî íàóêè è âûñøåãî îáðàçîâàíèÿ '.repeat(12), 1],
    ['Vietnamese', 'Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền. '.repeat(12), 0],
    ['Finnish', 'Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. '.repeat(12), 0],
    ['Welsh', "Genir pawb yn rhydd ac yn gydradd â'i gilydd mewn urddas a hawliau. ".repeat(12), 0],
    ['Polish', 'Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. '.repeat(12), 0],
    ['Turkish', 'Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. '.repeat(12), 0],
    ['Hungarian', 'Minden emberi lény szabadon születik és egyenlő méltósága és joga van. '.repeat(12), 0],
    ['Chinese with Latin names', '用LaTeX编写的论文模板和PDF文件'.repeat(12), 0],
    ['rare Chinese characters', '䇽㔚䀰㠤㘳䀰'.repeat(12), 1],
    ['scripts mixed letter by letter', 'аͽбدеف'.repeat(12), 1],
  ])('%s', ([, text, share]) => {
    expect(improbableShare([run(text, 72, 400)])).toBe(share)
  })
})

describe('lines in two directions', () => {
  const text = (runs: readonly TextRun[]) => runs.map((part) => part.text).join(' ')

  test('English words inside Arabic keep their order', () => {
    // On the page from left to right: سلام left to right مرحبا
    const runs = [
      run('سلام', 72, 20),
      run('left', 95, 15),
      run('to', 115, 8),
      run('right', 125, 20),
      run('مرحبا', 150, 20),
    ]
    expect(text(orderRuns(runs, true))).toBe('مرحبا left to right سلام')
  })

  test('Arabic words inside English keep their order', () => {
    const runs = [run('see', 72, 20), run('ثانية', 95, 15), run('أولى', 115, 8), run('end', 125, 20)]
    expect(text(orderRuns(runs, false))).toBe('see أولى ثانية end')
  })
})
