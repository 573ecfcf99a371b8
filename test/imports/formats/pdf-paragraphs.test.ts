import { describe, expect, test } from 'vitest'
import { showText } from '../../support/pdf.ts'
import { readPdfPage } from '../../support/read-pdf.ts'

type Row = readonly [x: number, text: string, font?: 'F1' | 'F3']

/** Draws lines below each other. */
function lines(rows: readonly Row[]): string {
  return rows.map(([x, text, font = 'F1'], index) => showText(text, { x, y: 700 - index * 12, font })).join('')
}

const full = 'The water of the lake rises in spring, when the snow on the hills melts, and it falls in autumn'

async function blocksOf(rows: readonly Row[]): Promise<string[]> {
  return (await readPdfPage(lines(rows))).split('\n\n')
}

describe('an indented line begins a paragraph', () => {
  test('below a line that ends a sentence near the right edge', async () => {
    const same = 'Nobody knows of a year in which it did not happen, as all of them have snow'
    const blocks = await blocksOf([
      [72, `now. ${same} or ice.`],
      [87, `But ${same} or`],
      [72, 'ice, but only in summer.'],
    ])
    expect(blocks).toHaveLength(2)
    expect(blocks[1]).toBe(`But ${same} or ice, but only in summer.`)
  })

  test('but not in a list of works, whose entries have a hanging indent', async () => {
    const blocks = await blocksOf([
      [72, 'Rhine, A. The rivers of the north and what they carry to the sea from all of the hills. Lake.'],
      [87, 'Fourth edition with a preface by the author and by those who were there at that time, in print'],
      [72, 'Spree, B. Lakes.'],
    ])
    expect(blocks[0]).toMatch(/all of the hills\. Lake\. Fourth edition/)
  })
})

describe('a line that begins with a dash', () => {
  test('goes on with the sentence of a full line', async () => {
    const [first, ...others] = await blocksOf([
      [72, `${full} also`],
      [72, '- even after a winter without much snow - or it stays as high as it was.'],
    ])
    expect(others).toEqual([])
    expect(first).toContain('also - even after')
  })

  test('is an item of a list below the end of a sentence, and below another item', async () => {
    const page = await readPdfPage(
      lines([
        [72, `${full} too.`],
        [72, '- even after a winter without much snow'],
        [72, '- in a year in which the rain falls in autumn and in winter and never ends until it is spring also'],
        [72, '- or it stays'],
      ]),
    )
    expect(page).toContain('\n- in a year')
    expect(page).toContain('\n- or it stays')
  })
})

describe('a list', () => {
  test.for([
    ['letters', ['a. Ebb', 'b. Flow']],
    ['letters in brackets', ['(c) Ebb', '(d) Flow']],
    ['small Roman numerals', ['iii) Ebb', 'iv) Flow']],
  ] as const)('with %s has an item for each', async ([, [first, second]]) => {
    expect(
      await readPdfPage(
        lines([
          [72, `${full} too:`],
          [92, first],
          [92, second],
        ]),
      ),
    ).toMatch(new RegExp(`- ${first.replace(/[().]/g, '.')}\\n- ${second.replace(/[().]/g, '.')}`))
  })

  test('is not where two lines begin with the same letter or with letters at different places', async () => {
    const rows: Row[] = [
      [72, 'a. Ebb'],
      [72, 'a. Flow'],
      [132, 'b. High'],
    ]
    expect(await readPdfPage(lines(rows))).not.toContain('- ')
  })
})

describe('a line of code belongs to the paragraph above it', () => {
  test('if the first line of the paragraph is indented', async () => {
    const blocks = await blocksOf([
      [87, 'A level of the lake can be projected to the level of the river with the commands that are called'],
      [72, 'project(lake, level), project(river, level) and more.', 'F3'],
    ])
    expect(blocks).toHaveLength(1)
  })

  test('if the line above it ends in the middle of a sentence, though not at the edge', async () => {
    const blocks = await blocksOf([
      [72, `${full} on all the lakes`],
      [72, 'On some systems, the parameters can be stored in the registry, under the name of the'],
      [72, 'key HKEY_LOCAL_MACHINE/SOFTWARE/lake.', 'F3'],
    ])
    expect(blocks).toHaveLength(1)
  })

  test('if it begins with an operator that looks like a bullet', async () => {
    const mixed = 'BT /F3 10 Tf 1 0 0 1 72 688 Tm (*) Tj /F1 10 Tf ( to pass what is known of the cipher.) Tj ET\n'
    const page = await readPdfPage(lines([[72, `${full} const void`]]) + mixed)
    expect(page).toMatch(/const void `\*` to pass/)
  })
})

describe('a word that is hyphenated at the end of a line', () => {
  test('goes on with the next line, although the line ends before the others', async () => {
    const [first, ...others] = await blocksOf([
      [72, `${full} again.`],
      [72, 'For the lakes of the north there are no addi-'],
      [72, 'tional sources of water.'],
    ])
    expect(first).toMatch(/no additional sources of water\.$/)
    expect(others).toEqual([])
  })

  test('is not before a capital letter or code', async () => {
    const rows = (next: string, font: 'F1' | 'F3'): Row[] => [
      [72, `${full} again.`],
      [72, 'There are no addi-'],
      [72, next, font],
    ]
    expect(await blocksOf(rows('Lakes', 'F1'))).toHaveLength(2)
    expect((await blocksOf(rows('lake', 'F3'))).join()).toContain('addi-')
  })
})
