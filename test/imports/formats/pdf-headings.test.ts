import { describe, expect, test } from 'vitest'
import { paragraph, showLines, showText } from '../../support/pdf.ts'
import { headingsOf, readPdf } from '../../support/read-pdf.ts'

describe('titles in the outline', () => {
  test.for([
    ['without accents', 'Methodologie', 'M\\351thodologie', '# Méthodologie'],
    ['with a number that the page does not have', '2.1 Springs', 'Springs', '# Springs'],
    ['without the number that the page has', 'Springs', '2.1 Springs', '# 2.1 Springs'],
    ['shortened', 'Rivers of Europe', 'Rivers of Europe and what they carry', '# Rivers of Europe and what they carry'],
    [
      'with a formula left out',
      'Growth of in closed form',
      'Growth of n2 in closed form',
      '# Growth of n2 in closed form',
    ],
  ] as const)('are found if written %s', async ([, title, shown, heading]) => {
    const content =
      showText(shown, { x: 72, y: 720, size: 12, font: 'F2' }).replaceAll('\\\\351', '\\351') +
      showLines(paragraph, { x: 72, y: 680 })
    const [page] = await readPdf({ pages: [{ content }], outline: [{ title, page: 0 }] })
    expect(headingsOf(page)).toEqual([heading])
  })

  test('include the line with their number, but not the last words of the text above', async () => {
    const content =
      showText('It ends here.', { x: 72, y: 740 }) +
      showText('Chapter 4', { x: 72, y: 712, size: 16, font: 'F2' }) +
      showText('Rivers', { x: 72, y: 690, size: 20, font: 'F2' }) +
      showLines(paragraph, { x: 72, y: 660 }) +
      showText('(see 3).', { x: 72, y: 620 }) +
      showText('4.1 Springs', { x: 72, y: 600, size: 12, font: 'F2' }) +
      showLines(paragraph, { x: 72, y: 570 })
    const outline = [{ title: 'Rivers', page: 0, children: [{ title: 'Springs', page: 0 }] }]
    const [page] = await readPdf({ pages: [{ content }], outline })
    expect(headingsOf(page)).toEqual(['# Chapter 4 Rivers', '## 4.1 Springs'])
    expect(page).toContain('\n(see 3).\n')
  })

  test('do not include the line above their number, even in a large or bold font', async () => {
    const content =
      showText('Download it', { x: 72, y: 712, size: 12 }) +
      showText('2.1 Springs', { x: 72, y: 698, size: 12, font: 'F2' }) +
      showLines(paragraph, { x: 72, y: 660 })
    const [page] = await readPdf({ pages: [{ content }], outline: [{ title: 'Springs', page: 0 }] })
    expect(headingsOf(page)).toEqual(['# 2.1 Springs'])
  })

  test('whose destination is before the page break are found at the start of the next page with text', async () => {
    const text = { content: showLines(paragraph, { x: 72, y: 680 }) }
    const titled = { content: showText('Springs', { x: 72, y: 720 }) + showLines(paragraph, { x: 72, y: 680 }) }
    const outline = [{ title: 'Springs', page: 0 }]
    const [first, , third] = await readPdf({ pages: [text, { content: '' }, titled, titled], outline })
    expect([headingsOf(first), headingsOf(third)]).toEqual([[], ['# Springs']])
    const [, , , last] = await readPdf({ pages: [text, text, text, titled], outline })
    expect(headingsOf(last)).toEqual([])
  })

  test('on their page are not looked for on the next one', async () => {
    const titled = { content: showText('Springs', { x: 72, y: 720 }) + showLines(paragraph, { x: 72, y: 680 }) }
    const [first, second] = await readPdf({ pages: [titled, titled], outline: [{ title: 'Springs', page: 0 }] })
    expect([headingsOf(first), headingsOf(second)]).toEqual([['# Springs'], []])
  })

  test('at the start of a paragraph become a heading above it', async () => {
    const line =
      'BT /F2 10 Tf 1 0 0 1 72 700 Tm (2.1. Springs.) Tj /F1 10 Tf ( Water comes out of the ground in the hills, which is) Tj ET\n'
    const content = line + showLines(paragraph, { x: 72, y: 688 })
    const [page] = await readPdf({ pages: [{ content }], outline: [{ title: 'Springs', page: 0 }] })
    expect(page).toMatch(/^# 2\.1\. Springs\.\n\nWater comes out of the ground in the hills, which is A paragraph/)
  })

  test('are not taken from the printed table of contents on the same page', async () => {
    const entry = (title: string, y: number): string =>
      showText(title, { x: 72, y, font: 'F2' }) + showText('1', { x: 500, y, font: 'F2' })
    const content =
      entry('1 Springs', 740) +
      entry('2 Rivers', 726) +
      showText('1 Springs', { x: 72, y: 680, size: 14, font: 'F2' }) +
      showLines(paragraph, { x: 72, y: 650 })
    const [page] = await readPdf({ pages: [{ content }], outline: [{ title: '1 Springs', page: 0 }] })
    expect(headingsOf(page)).toEqual(['# 1 Springs'])
    expect(page?.indexOf('# 1 Springs')).toBeGreaterThan(page?.indexOf('2 Rivers') ?? Infinity)
  })
})

describe('headings recognized by appearance', () => {
  test('have the style of headings in the outline', async () => {
    const content =
      showText('Springs', { x: 72, y: 720, size: 14, font: 'F2' }) +
      showLines(paragraph, { x: 72, y: 690 }) +
      showText('Acknowledgements', { x: 72, y: 600, size: 14, font: 'F2' }) +
      showLines(paragraph, { x: 72, y: 570 })
    const [page] = await readPdf({ pages: [{ content }], outline: [{ title: 'Springs', page: 0 }] })
    expect(headingsOf(page)).toEqual(['# Springs', '# Acknowledgements'])
  })

  test('are few in a book with few outline entries', async () => {
    const pages = Array.from({ length: 12 }, (_, index) => ({
      content:
        showText(`Large words ${index}`, { x: 72, y: 720, size: 14, font: 'F2' }) +
        showLines(paragraph, { x: 72, y: 690 }) +
        showText(`More of them ${index}`, { x: 72, y: 600, size: 14, font: 'F2' }) +
        showLines(paragraph, { x: 72, y: 570 }),
    }))
    const contents = await readPdf({ pages, outline: [{ title: 'Large words 0', page: 0 }] })
    expect(contents.flatMap(headingsOf).length).toBeLessThanOrEqual(2)
    expect(contents.join('\n')).toContain('More of them 11')
  })

  test('depend on the size of the prose, even if most of the book is code', async () => {
    const code = Array.from({ length: 40 }, (_, index) => `value_${index} = compute(value_${index + 1}, other_value)`)
    const content =
      showLines(code, { x: 72, y: 540, size: 7, font: 'F3' }) +
      showLines(paragraph, { x: 72, y: 720 }) +
      showText('Springs', { x: 72, y: 660, size: 14, font: 'F2' }) +
      showLines(paragraph, { x: 72, y: 640 })
    const pages = [{ content }, { content }, { content }]
    for (const page of await readPdf({ pages })) expect(headingsOf(page)).toEqual(['# Springs'])
  })
})

describe('in a book without an outline', () => {
  const bold = (text: string, y: number, x = 72) => showText(text, { x, y, font: 'F2' })
  const sections = (title: (index: number, y: number) => string, left = 72) =>
    Array.from({ length: 4 }, (_, index) => {
      const y = 720 - index * 90
      return title(index, y) + showLines(paragraph, { x: left, y: y - 14 })
    }).join('')

  test('bold lines that are set apart are headings, in the size of the text too', async () => {
    const [page] = await readPdf({ pages: [{ content: sections((index, y) => bold(`River ${index}`, y)) }] })
    expect(headingsOf(page)).toEqual(['# River 0', '# River 1', '# River 2', '# River 3'])
  })

  test('they are headings of the level below those of the larger ones, and may have two lines', async () => {
    const content =
      showText('Rivers', { x: 72, y: 760, size: 16, font: 'F2' }) +
      sections((index, y) => bold(`River ${index} and all of`, y + 12) + bold('its lakes', y))
    const [page] = await readPdf({ pages: [{ content }] })
    const titles = Array.from({ length: 4 }, (_, index) => `## River ${index} and all of its lakes`)
    expect(headingsOf(page)).toEqual(['# Rivers', ...titles])
  })

  test('they are headings where each paragraph has one line, and running heads and options begin at other edges', async () => {
    const row = (y: number) => showText('RIVERS(1)', { x: 72, y }) + showText('Manual', { x: 400, y })
    const section = (title: string, y: number) =>
      showText(title, { x: 72, y, size: 10.9, font: 'F2' }) +
      [0, 1, 2, 3].map((line) => showText(`All about item ${line}.`, { x: 108, y: y - 12 - line * 17 })).join('')
    const option = (index: number, y: number) =>
      bold(`--river-${index}`, y, 108) + showText('Shows it', { x: 144, y: y - 12 })
    const [page] = await readPdf({
      pages: [
        {
          content:
            row(780) +
            section('NAME', 740) +
            section('OPTIONS', 660) +
            [0, 1, 2, 3, 4, 5].map((index) => option(index, 580 - index * 29)).join('') +
            section('SEE ALSO', 400),
        },
      ],
    })
    expect(headingsOf(page)).toEqual(['# NAME', '# OPTIONS', '# SEE ALSO'])
  })

  test('they end above bold text in another size and above bold options', async () => {
    const large = (text: string, y: number) => showText(text, { x: 72, y, size: 10.9, font: 'F2' })
    const [page] = await readPdf({
      pages: [
        { content: sections((index, y) => large(`River ${index}`, y + 12) + bold('its lakes and its springs', y)) },
      ],
    })
    expect(headingsOf(page)).toEqual(['# River 0', '# River 1', '# River 2', '# River 3'])
    const [options] = await readPdf({
      pages: [{ content: sections((index, y) => bold(`River ${index}`, y + 12) + bold('-a, --all', y, 90), 108) }],
    })
    expect(headingsOf(options)).toEqual(['# River 0', '# River 1', '# River 2', '# River 3'])
  })

  test.for([
    [
      'terms above their descriptions',
      sections((index, y) => bold(`River ${index}`, y), 90) + showText('All.', { x: 72, y: 300 }),
    ],
    ['sentences', sections((index, y) => bold(`Beware of river ${index}.`, y))],
    ['items of a list', sections((index, y) => bold(`- River ${index}`, y))],
    [
      'paragraphs',
      sections((index, y) =>
        ['Beware of the river that is', `number ${index} of all rivers`, 'here and of all that', 'are in it too']
          .map((line, at) => bold(line, y + 36 - at * 12))
          .join(''),
      ),
    ],
  ] as const)('%s are not', async ([, content]) => {
    const [page] = await readPdf({ pages: [{ content }] })
    expect(headingsOf(page)).toEqual([])
  })

  test('prose is not, even if most of the book is smaller', async () => {
    const code = Array.from({ length: 30 }, (_, index) => `the_level_of_the_lake_${index} := read(${index})`)
    const prose = Array.from({ length: 24 }, (_, index) => `Line ${index} of the words that are about the program`)
    const pages = [0, 1].map(() => ({
      content:
        showLines(prose, { x: 72, y: 760, size: 12 }) + showLines([...code, ...code], { x: 72, y: 450, size: 7 }),
    }))
    expect((await readPdf({ pages })).flatMap(headingsOf)).toEqual([])
  })
})

test('a bold title in a table of contents keeps its page number', async () => {
  const row = (title: string, page: string, y: number): string =>
    showText(title, { x: 72, y, font: 'F2' }) + showText(page, { x: 480, y, font: 'F2' })
  const contents = row('1 Springs', '1', 700) + showText('1.1 Meadows . . . . . . . . . . . . . 1', { x: 90, y: 688 })
  const body = showText('1 Springs', { x: 72, y: 640, size: 14, font: 'F2' }) + showLines(paragraph, { x: 72, y: 610 })
  const pages = [{ content: contents + body }]
  const [page = ''] = await readPdf({ pages, outline: [{ title: 'Springs', page: 0 }] })
  expect(page).toMatch(/^- 1 Springs … 1\n {2}- 1\.1 Meadows … 1\n\n# 1 Springs\n/)
})

describe('a table of contents', () => {
  const row = (title: string, page: string, y: number): string =>
    showText(title, { x: 72, y }) + showText(page, { x: 480, y })
  const rows = row('1 Springs', '2', 680) + row('2 Brooks', '5', 666) + row('3 Rivers', '9', 652)

  test('without leader dots is a list below its title', async () => {
    const content = showText('Inhaltsverzeichnis', { x: 72, y: 700, size: 12, font: 'F2' }) + rows
    const [page = ''] = await readPdf({ pages: [{ content: content + showLines(paragraph, { x: 72, y: 600 }) }] })
    expect(page).toContain('- 1 Springs … 2\n- 2 Brooks … 5\n- 3 Rivers … 9\n\nA paragraph')
  })

  test('needs a title: rows below other words are a table', async () => {
    const content = showText('Depths', { x: 72, y: 700, size: 12, font: 'F2' }) + rows
    const [page = ''] = await readPdf({ pages: [{ content: content + showLines(paragraph, { x: 72, y: 600 }) }] })
    expect(page).toContain('| 2 Brooks | 5 |')
  })
})

describe('the title of a document', () => {
  const title = (text: string, y: number, size = 18): string => showText(text, { x: 120, y, size })
  const outline = [{ title: 'Springs', page: 0 }]
  const body = showText('1 Springs', { x: 72, y: 600, size: 12, font: 'F2' }) + showLines(paragraph, { x: 72, y: 570 })
  const headingsWith = async (content: string) => headingsOf((await readPdf({ pages: [{ content }], outline }))[0])

  test('is a heading with all of its lines on the first page, even if it is not in the outline', async () => {
    const author = title('Ada Marsh', 660, 12)
    const content = title('The Rivers of Europe and', 720) + title('What They Carry', 698) + author + body
    expect(await headingsWith(content)).toEqual(['# The Rivers of Europe and What They Carry', '# 1 Springs'])
  })

  test('is not text in a size that occurs in several places or is hardly larger than the body', async () => {
    expect(await headingsWith(title('First', 740) + title('Note', 720, 9) + title('Second', 700) + body)).toEqual([
      '# 1 Springs',
    ])
    expect(await headingsWith(title('In larger type', 740, 12) + body)).toEqual(['# 1 Springs'])
  })

  test('is only on the first page with text', async () => {
    const pages = [{ content: '' }, { content: title('The Rivers', 720) + body }, { content: title('Later', 720) }]
    const texts = await readPdf({ pages, outline: [{ title: 'Springs', page: 1 }] })
    expect(texts.map(headingsOf)).toEqual([[], ['# The Rivers', '# 1 Springs'], []])
  })

  test('does not include a date before the title of the table of contents', async () => {
    const date = showText('March 5, 2022', { x: 250, y: 690, size: 12 })
    const contents = showText('Contents', { x: 72, y: 650, size: 14, font: 'F2' })
    const content = title('The Rivers', 720) + date + contents + body
    const [page] = await readPdf({ pages: [{ content }], outline: [{ title: 'Contents', page: 0 }, ...outline] })
    expect(headingsOf(page)).toEqual(['# The Rivers', '# Contents', '# 1 Springs'])
  })
})

describe('line numbers in the margin', () => {
  const numbered = (first: number, x: number): string =>
    Array.from({ length: 30 }, (_, index) => {
      const y = 720 - index * 14
      return (
        showText(String(first + index), { x: first + index < 10 ? x + 6 * 0.556 : x, y, size: 6 }) +
        showText(`line ${first + index} has words of its own and goes on to the end of the line`, { x: 100, y })
      )
    }).join('')

  test.for([
    ['left', 60],
    ['right', 540],
  ] as const)('on the %s are not part of the text', async ([, x]) => {
    const pages = [{ content: numbered(1, x) }, { content: numbered(31, x) }]
    const [first, second] = await readPdf({ pages })
    expect(first).toMatch(/^line 1 has words of its own and goes on to the end of the line line 2 has words/)
    expect(second).toMatch(/^line 31 has words of its own and goes on to the end of the line line 32 has words/)
  })

  test('are not part of the text even if the page has more numbers than text', async () => {
    const numbers = Array.from({ length: 30 }, (_, index) =>
      showText(String(31 + index), { x: 60, y: 720 - index * 14, size: 6 }),
    )
    const figure = numbers.join('') + showText('Figure 1. A river', { x: 100, y: 395 })
    const pages = [{ content: numbered(1, 60) }, { content: figure }, { content: numbered(61, 60) }]
    expect((await readPdf({ pages }))[1]).toBe('Figure 1. A river')
  })

  test('that form a ruler, identical on every page, are not part of the text', async () => {
    const ruler = Array.from({ length: 9 }, (_, index) =>
      showText(String(index + 1), { x: 20, y: 720 - index * 72, size: 6 }),
    ).join('')
    const pages = [0, 1].map((page) => ({ content: ruler + showLines(paragraph, { x: 72, y: 640 - page * 100 }) }))
    for (const page of await readPdf({ pages })) expect(page).toBe(paragraph.join(' '))
  })

  test('stay if they are the first column of a table', async () => {
    const rows = Array.from({ length: 10 }, (_, index) => {
      const y = 600 - index * 14
      return showText(String(index + 1), { x: 90, y }) + showText(`name ${index}`, { x: 160, y })
    })
    const [page] = await readPdf({ pages: [{ content: showLines(paragraph, { x: 72, y: 700 }) + rows.join('') }] })
    expect(page).toContain('| 7 | name 6 |')
  })
})
