import { describe, expect, test } from 'vitest'
import { defaultLimits } from '../../../src/imports/formats/format.ts'
import { openPdf, openPdfWith } from '../../../src/imports/formats/pdf/open-pdf.ts'
import { readWithEachEngine } from '../../support/pdf-engines.ts'
import { paragraph, showText, showLines, writePdf } from '../../support/pdf.ts'
import { readPdfPage } from '../../support/read-pdf.ts'
import type { TestPdf } from '../../support/pdf.ts'

async function markdown(pdf: TestPdf): Promise<string[]> {
  return readWithEachEngine(async (engine) => {
    const book = await openPdfWith(engine, writePdf(pdf), defaultLimits)
    const pages: string[] = []
    for await (const page of book.pages()) pages.push(page.content)
    await book.close()
    return pages
  })
}

async function labels(pdf: TestPdf): Promise<(string | null)[]> {
  const book = await openPdf(writePdf(pdf), defaultLimits)
  const found: (string | null)[] = []
  for await (const page of book.pages()) found.push(page.label)
  await book.close()
  return found
}

async function onePage(content: string): Promise<string> {
  const [page = ''] = await markdown({ pages: [{ content }] })
  return page
}

function body(number: number): string {
  const first = `Page ${number} has text of its own in three lines of words that`
  return showLines([first, ...paragraph.slice(1)], { x: 72, y: 700 })
}

function twoFonts(first: string, second: string): string {
  return `BT /${first} 10 Tf 1 0 0 1 72 700 Tm (Spring) Tj /${second} 10 Tf ( is where a river begins) Tj ET`
}

test('two columns below a full-width title and abstract are read one after the other', async () => {
  const wide = Array.from(
    { length: 9 },
    (_, index) => `Line ${index + 1} of the abstract goes over both of the columns that are below it, as is usual`,
  )
  const side = (name: string) =>
    Array.from({ length: 12 }, (_, index) => `${name} line ${index + 1} has as many words as others`)
  const page = await readPdfPage(
    showLines(['On the Springs of Rivers and What They Are Called by Those Who Live There'], { x: 90, y: 760 }) +
      showLines([...wide, 'and it ends here.'], { x: 72, y: 730 }) +
      showLines(side('Left'), { x: 72, y: 580 }) +
      showLines(side('Right'), { x: 320, y: 580 }),
  )
  const order = [
    'Springs',
    'Line 9',
    'and it ends here',
    'Left line 1 ',
    'Left line 12',
    'Right line 1 ',
    'Right line 12',
  ]
  const places = order.map((words) => page.indexOf(words))
  expect(places).not.toContain(-1)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
})

describe('columns on part of a page', () => {
  const wide = Array.from(
    { length: 9 },
    (_, index) => `Line ${index + 1} of the abstract goes over both of the columns that are below it, as is usual`,
  )
  const prose = Array.from({ length: 14 }, (_, index) => `Line ${index + 1} of prose fills the column that it is in`)

  const running = prose.map((_, index) => `goes on in line ${index + 1} and fills the column it is in`)

  test('a table of contents beside prose is a separate column', async () => {
    const contents = Array.from({ length: 14 }, (_, index) => `${index + 1} A chapter${' of it'.repeat(index % 3)}`)
    const page = await onePage(
      showLines(wide, { x: 72, y: 740 }) +
        showLines(contents, { x: 72, y: 600 }) +
        showLines(running, { x: 280, y: 600 }),
    )
    expect(page).toContain(running.join(' '))
    expect(page.indexOf('14 A chapter')).toBeLessThan(page.indexOf(running[0] ?? '?'))
  })

  test('a table of terms and sentences is not split', async () => {
    const terms = running.map((_, index) => `${index + 1} A term`)
    const page = await onePage(
      showLines(wide, { x: 72, y: 740 }) + showLines(terms, { x: 72, y: 600 }) + showLines(prose, { x: 280, y: 600 }),
    )
    expect(page).toContain(`| 14 A term | ${prose.at(-1)} |`)
  })

  test('a column with headings between its paragraphs is read before the next one', async () => {
    const other = prose.map((line) => line.replace('prose', 'text'))
    const gaps = showLines(prose.slice(0, 5), { x: 300, y: 600 }) + showLines(prose.slice(5), { x: 300, y: 450 })
    const page = await onePage(showLines(wide, { x: 72, y: 740 }) + showLines(other, { x: 72, y: 600 }) + gaps)
    expect(page).toContain(other.join(' '))
    expect(page).toContain(prose.slice(5).join(' '))
  })

  test('short terms beside long explanations are not a separate column', async () => {
    const terms = [0, 5, 9].map((at) => showText('spring', { x: 72, y: 600 - at * 12 })).join('')
    const page = await onePage(showLines(wide, { x: 72, y: 740 }) + terms + showLines(prose, { x: 300, y: 600 }))
    expect(page.indexOf('spring', page.indexOf('Line 2 of prose'))).toBeGreaterThan(0)
  })
})

describe('paragraphs side by side', () => {
  const left = [
    'Which of these is not one of the springs of',
    'the river that is named on the map and rises',
    'in the hills?',
  ]
  const right = [
    'Welche von diesen ist keine der Quellen des',
    'Flusses, der auf der Karte genannt ist und',
    'in den Bergen entspringt?',
  ]

  test.for([
    ['with the same baselines', 0],
    ['with interleaved baselines', 5],
  ] as const)('%s are read one after the other', async ([, shift]) => {
    const page = await onePage(
      showText('A question in two languages:', { x: 72, y: 740 }) +
        showLines(left, { x: 72, y: 700 }) +
        showLines(right, { x: 320, y: 700 - shift }) +
        showLines(paragraph, { x: 72, y: 620 }),
    )
    const order = ['two languages', left.join(' '), right.join(' '), paragraph.join(' ')]
    const places = order.map((words) => page.indexOf(words))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  })

  test('table cells of several lines that repeatedly begin side by side stay in rows', async () => {
    const wide = Array.from({ length: 9 }, () => 'A line goes over both of the columns that are below it, as is usual')
    const row = (y: number) => showLines(left.slice(0, 2), { x: 72, y }) + showLines(right.slice(0, 2), { x: 320, y })
    const page = await onePage(showLines(wide, { x: 72, y: 740 }) + row(600) + row(560))
    expect(page.lastIndexOf('Which of these')).toBeGreaterThan(page.indexOf('Welche von diesen'))
  })

  test('a short term stays beside its explanation', async () => {
    const page = await onePage(showText('A question', { x: 72, y: 700 }) + showLines(right, { x: 320, y: 700 }))
    expect(page).toMatch(/^A question {1,2}Welche von diesen/)
  })
})

describe('margin notes', () => {
  const lines = [
    'The first of the lines of a paragraph that has a note beside it goes',
    'on in the second line, where the note stands, and in a third one that',
    'fills the column as well and has another line of the note beside it,',
    'and ends in the fourth.',
  ]
  const others = [
    'Another paragraph follows it on the same page, with lines as long as',
    'those of the first one, so that the column has an edge on both sides,',
    'as columns of books do, and ends.',
  ]
  const column = showLines(lines, { x: 150, y: 700 }) + showLines(others, { x: 150, y: 630 })

  test('are read before the paragraph beside them', async () => {
    const note = showLines(['river', 'spring'], { x: 80, y: 688 })
    const page = await onePage(column + note)
    expect(page).toContain(lines.join(' '))
    expect(page.indexOf('river')).toBeLessThan(page.indexOf('The first'))
    expect(page.indexOf('spring')).toBeLessThan(page.indexOf('The first'))
    expect(page).toContain(others.join(' '))
  })

  test('are read before their paragraph even if command names are beside all of its lines', async () => {
    const names = showLines(['set_river', 'set_lake', 'set_hill', 'set_sea'], { x: 60, y: 695, font: 'F3' })
    const page = await onePage(showLines(lines, { x: 150, y: 700 }) + names)
    expect(page).toContain(lines.join(' '))
  })

  test('are separated from a line that is close to them', async () => {
    const note = showText('spring', { x: 116, y: 688 }) + showText('river', { x: 122, y: 676 })
    const page = await onePage(column + note)
    expect(page).toContain(lines.join(' '))
    expect(page).toMatch(/spring\s+river\s/)
  })

  test('are read before their paragraph even next to a line that follows a semicolon', async () => {
    const clauses = lines.with(0, 'The first of the lines of a paragraph that has a note beside it ends;')
    const page = await onePage(
      showLines(clauses, { x: 150, y: 700 }) +
        showLines(others, { x: 150, y: 630 }) +
        showText('spring', { x: 80, y: 688 }),
    )
    expect(page).toContain(clauses.join(' '))
  })

  test('are distinguished from a sentence behind a wide space in wider text', async () => {
    const wide = [
      'Here the text of the page begins, which is wider than the examples below it are',
      'hills. And here a sentence begins where the examples do, behind a wide space, so',
      'that it seems to be a column of its own, which it is not, as the lines around it show.',
    ]
    const [first = '', second = '', third = ''] = wide
    const start = 'hills.'
    const content =
      showText(first, { x: 72, y: 740 }) +
      showText(start, { x: 72, y: 728 }) +
      showText(second.slice(start.length + 1), { x: 104, y: 728 }) +
      showText(third, { x: 72, y: 716 }) +
      showLines([...others, ...others, ...others], { x: 104, y: 690 })
    expect(await onePage(content)).toContain(wide.join(' '))
  })

  test('stay before the first line of their paragraph, like terms', async () => {
    const page = await onePage(column + showLines(['river'], { x: 80, y: 700 }))
    expect(page).toMatch(/^river {1,2}The first of the lines/)
  })
})

describe('slanted and mirrored text', () => {
  test('a watermark over a page does not split its lines', async () => {
    const lines = [...paragraph, ...paragraph].map((line, index) => `${index + 1} ${line}`)
    const watermark = 'BT /F1 60 Tf 0.7 0.7 -0.7 0.7 150 560 Tm (Sample) Tj ET\n'
    const page = await onePage(watermark + showLines(lines, { x: 72, y: 700 }))
    for (const line of lines) expect(page).toContain(line)
    expect(page.indexOf('Sample')).toBeGreaterThan(page.indexOf(lines.at(-1) ?? '?'))
  })

  test('letters slanted to look italic are apart from the next word', async () => {
    const page = await readPdfPage(
      'BT /F1 10 Tf 1 0 0.33 1 72 700 Tm (slanted) Tj ET\nBT /F1 10 Tf 1 0 0 1 107 700 Tm (words) Tj ET\n',
    )
    expect(page).toBe('slanted words')
  })

  test('a mirrored letter is in its place in the word', async () => {
    const page = await readPdfPage(
      'BT /F1 10 Tf 1 0 0 1 72 700 Tm [(written with X) -560 (T)] TJ ET\n' +
        'BT /F1 10 Tf -1 0 0 1 137.6 698 Tm (E) Tj ET\n' +
        'BT /F1 10 Tf 1 0 0 1 142.6 698 Tm (EX) Tj 0 2 Td (  and more) Tj ET\n',
    )
    expect(page).toContain('written with XETEX')
  })
})

describe('paragraphs', () => {
  test('lines are joined, and a gap starts the next paragraph', async () => {
    const content = showLines(paragraph, { x: 72, y: 700 }) + showLines(paragraph, { x: 72, y: 655 })
    expect(await onePage(content)).toBe(`${paragraph.join(' ')}\n\n${paragraph.join(' ')}`)
  })

  test('the many labels of a chart do not break paragraphs with more space between their lines', async () => {
    const marks = Array.from({ length: 40 }, (_, row) =>
      showText(String(row + 10), { x: 480, y: 700 - row * 2, size: 2 }),
    )
    const lines = paragraph.map((line, row) => showText(line, { x: 72, y: 590 - row * 13, size: 10 }))
    expect(await onePage([...marks, ...lines].join(''))).toContain(paragraph.join(' '))
  })

  test('an indented line starts a paragraph', async () => {
    const content =
      showLines(paragraph, { x: 72, y: 700 }) +
      showText('An indented line begins another paragraph, as printers have it', { x: 84, y: 664 }) +
      showText('and it goes on at the margin.', { x: 72, y: 652 })
    expect((await onePage(content)).split('\n\n')[1]).toMatch(/^An indented line .* and it goes on at the margin\.$/)
  })

  test.for([
    ['a hyphenated word', 'the end of this long line has infor-', 'mation on it', 'information'],
    ['a compound', 'the well-known end of a line has well-', 'known words', 'well-known words'],
    ['a word that begins like a prefix', 'the end of this long line is ex-', 'plicitly there', 'explicitly there'],
    ['a hyphenated name', 'the end of this long line has Anglo-', 'Saxon words', 'Anglo-Saxon'],
    ['a range', 'the end of this long line has 1990-', '1995 on it', '1990-1995'],
    ['an omitted part', 'the end of this long line has pre-', 'and postfix', 'pre- and postfix'],
  ] as const)('%s at a line end is joined correctly', async ([, first, second, expected]) => {
    expect(await onePage(showLines([first, second], { x: 72, y: 700 }))).toContain(expected)
  })

  test('ligatures are spelled out', async () => {
    // Octal 256 and 257 are the ligatures fi and fl of the standard encoding.
    expect(await onePage('BT /F1 10 Tf 1 0 0 1 72 700 Tm (\\256nd a \\257ower) Tj ET')).toBe('find a flower')
  })

  test('text drawn twice to look bold is read once', async () => {
    const twice = showText('Heavy words', { x: 72, y: 700 }) + showText('Heavy words', { x: 72.3, y: 700 })
    expect(await onePage(twice)).toBe('Heavy words')
  })

  test('a bold term at the start of a paragraph stays bold, other bold text becomes plain', async () => {
    expect(await onePage(twoFonts('F2', 'F1'))).toBe('**Spring** is where a river begins')
    expect(await onePage(twoFonts('F1', 'F2'))).toBe('Spring is where a river begins')
  })

  test('a superscript number is not part of the word before it', async () => {
    const words = 'BT /F1 10 Tf 1 0 0 1 72 700 Tm (a note) Tj /F1 6 Tf 4 Ts (12) Tj /F1 10 Tf 0 Ts ( follows) Tj ET'
    expect(await onePage(words)).toBe('a note^12 follows')
  })
})

describe('text that Markdown would interpret', () => {
  test.for([
    ['a number sign', '# of items', '\\# of items'],
    ['a plus sign', '+ one', '\\+ one'],
    ['a quote sign', '> said he', '\\> said he'],
    ['a rule', '=====', '\\====='],
    ['a tag', 'a <b> tag', 'a \\<b> tag'],
    ['asterisks', '2 * 3 and *this*', '2 * 3 and \\*this\\*'],
    ['underscores', 'snake_case and _this_', 'snake_case and \\_this\\_'],
    ['a backslash', 'a \\* star', 'a \\\\\\* star'],
    ['an entity', 'AT&amp;T', 'AT\\&amp;T'],
    ['a link', 'see [1](2)', 'see [1\\](2)'],
    ['a fence', '``` code', '\\`\\`\\` code'],
  ] as const)('%s is escaped', async ([, text, expected]) => {
    expect(await onePage(showText(text, { x: 72, y: 700, font: 'F2' }))).toBe(expected)
  })
})

describe('blocks', () => {
  test('headings come from the outline, with its levels', async () => {
    const content =
      showText('Chapter 4', { x: 72, y: 720, size: 18, font: 'F2' }) +
      showText('Rivers', { x: 72, y: 698, size: 18, font: 'F2' }) +
      showLines(paragraph, { x: 72, y: 660 }) +
      showText('4.1 Springs', { x: 72, y: 600, size: 11, font: 'F2' }) +
      showLines(paragraph, { x: 72, y: 570 })
    const outline = [{ title: 'Rivers', page: 0, children: [{ title: 'Springs', page: 0 }] }]
    const [page] = await markdown({ pages: [{ content }], outline })
    const text = paragraph.join(' ')
    expect(page).toBe(`# Chapter 4 Rivers\n\n${text}\n\n## 4.1 Springs\n\n${text}`)
  })

  test('a line in a large font is not a heading if the outline has no heading of that size', async () => {
    const content = showText('A BIG WORD', { x: 72, y: 720, size: 18 }) + showLines(paragraph, { x: 72, y: 660 })
    const first = { content: showText('Before it', { x: 72, y: 720 }) }
    const [, page] = await markdown({ pages: [first, { content }], outline: [{ title: 'Elsewhere', page: 0 }] })
    expect(page).toMatch(/^A BIG WORD\n/)
  })

  test('code keeps its lines, indentation and blank lines', async () => {
    const code =
      showText('if (a) {', { x: 90, y: 640, font: 'F3' }) +
      showText('return  1', { x: 102, y: 628, font: 'F3' }) +
      showText('}', { x: 90, y: 616, font: 'F3' }) +
      showText('end()', { x: 90, y: 592, font: 'F3' })
    const page = await onePage(showLines(paragraph, { x: 72, y: 700 }) + code)
    expect(page).toBe(`${paragraph.join(' ')}\n\n\`\`\`\nif (a) {\n  return  1\n}\n\nend()\n\`\`\``)
  })

  test('monospaced words in a sentence are inline code', async () => {
    const words = 'BT /F1 10 Tf 1 0 0 1 72 700 Tm (call ) Tj /F3 10 Tf (run\\(\\)) Tj /F1 10 Tf ( at once) Tj ET'
    expect(await onePage(words + showLines(paragraph, { x: 72, y: 660 }))).toMatch(/^call `run\(\)` at once\n/)
  })

  test('a book set in a monospaced font is not code', async () => {
    expect(await onePage(showLines(paragraph, { x: 72, y: 700, font: 'F3' }))).toBe(paragraph.join(' '))
  })

  test('lists keep their items and nesting', async () => {
    const lines = [
      showText('\\225 first item', { x: 72, y: 700 }),
      showText('\\225 inner item', { x: 92, y: 688 }),
      showText('\\225 second item', { x: 72, y: 676 }),
      showText('1. numbered', { x: 72, y: 640 }),
      showText('2. numbered too', { x: 72, y: 628 }),
    ].map((line) => line.replace('\\\\225', '\\267'))
    expect(await onePage(lines.join(''))).toBe(
      '- first item\n  - inner item\n- second item\n1. numbered\n2. numbered too',
    )
  })

  test('a table keeps its columns', async () => {
    const rows = [
      ['Name', 'Size', 'Use'],
      ['alpha', '12', 'reading'],
      ['beta', '7', 'writing'],
    ]
    const content = rows.map((row, line) =>
      row.map((cell, column) => showText(cell, { x: 72 + column * 120, y: 700 - line * 14 })).join(''),
    )
    expect(await onePage(content.join(''))).toBe(
      '| Name | Size | Use |\n| --- | --- | --- |\n| alpha | 12 | reading |\n| beta | 7 | writing |',
    )
  })

  test('a line of a table of contents keeps its page number', async () => {
    expect(await onePage(showText('Rivers and hills . . . . . . . . . . . . . 12', { x: 72, y: 700 }))).toBe(
      '- Rivers and hills … 12',
    )
  })
})

describe('columns', () => {
  const left = Array.from({ length: 12 }, (_, index) => `left column line ${index + 1} with some words`)
  const right = left.map((line) => line.replace('left', 'right'))

  test('two columns are read one after the other, even if drawn row by row', async () => {
    const rows = left.map((line, index) => {
      const y = 640 - index * 12
      return showText(line, { x: 72, y }) + showText(right[index] ?? '', { x: 320, y })
    })
    const title = showText('A title that stands across both of the columns of the page, as it does', { x: 110, y: 700 })
    const page = await onePage(title + rows.join(''))
    const order = [
      'A title',
      'left column line 1 ',
      'left column line 12',
      'right column line 1 ',
      'right column line 12',
    ]
    const places = order.map((words) => page.indexOf(words))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  })

  test('a list of terms with explanations is not two columns', async () => {
    const rows = left.map((line, index) => {
      const y = 640 - index * 12
      return showText(`-${index}`, { x: 72, y }) + showText(line, { x: 160, y })
    })
    expect(await onePage(rows.join(''))).toContain('| -3 | left column line 4 with some words |')
  })
})

describe('running heads and feet', () => {
  test('are removed if they repeat from page to page', async () => {
    const pages = [1, 2, 3, 4, 5].map((number) => ({
      content:
        showText('The Book of Rivers', { x: 72, y: 760 }) +
        body(number) +
        showLines(paragraph, { x: 72, y: 640 }) +
        showText(`${number + 8}`, { x: 300, y: 40 }),
    }))
    for (const [index, page] of (await markdown({ pages })).entries()) {
      const first = `Page ${index + 1} has text of its own in three lines of words that ${paragraph.slice(1).join(' ')}`
      expect(page).toBe(`${first}\n\n${paragraph.join(' ')}`)
    }
  })

  test('are removed from a short book if they are on every page', async () => {
    const head = showText('The Book of Rivers', { x: 72, y: 760 })
    const pages = (count: number, without?: number) =>
      Array.from({ length: count }, (_, index) => ({
        content: (index + 1 === without ? '' : head) + body(index + 1) + showLines(paragraph, { x: 72, y: 640 }),
      }))
    for (const page of await markdown({ pages: pages(3) })) expect(page).toMatch(/^Page \d has text/)
    for (const count of [3, 4]) {
      const text = (await markdown({ pages: pages(count, 1) })).join('\n')
      expect(text.match(/The Book of Rivers/g)).toHaveLength(count - 1)
    }
  })

  test('stay on pages that contain little else, such as slides', async () => {
    const pages = [1, 2, 3, 4, 5, 6].map((number) => ({
      content: showText('Rivers of Asia', { x: 72, y: 500, size: 9 }) + showText(`Slide ${number}`, { x: 72, y: 300 }),
      width: 800,
      height: 600,
    }))
    expect(await markdown({ pages })).toEqual(pages.map((_, index) => `Rivers of Asia\n\nSlide ${index + 1}`))
  })

  test('stay on a page that has nothing else', async () => {
    const head = showText('The Book of Rivers', { x: 72, y: 760 })
    const pages = [1, 2, 3, 4, 5, 6, 7].map((number) => ({
      content: head + (number === 4 ? '' : body(number) + showLines(paragraph, { x: 72, y: 640 })),
    }))
    const contents = await markdown({ pages })
    expect(contents[3]).toBe('The Book of Rivers')
    expect(contents[4]).toMatch(/^Page 5 has text/)
  })

  test('provide the printed number of each page as its label, in Roman numerals and in digits', async () => {
    const printed = ['iii', 'iv', 'v', 'vi', '1', '2', '3', '4', '1999', '6']
    const pages = printed.map((label, index) => ({
      content: body(index) + showLines(paragraph, { x: 72, y: 640 }) + showText(label, { x: 300, y: 40 }),
    }))
    // 1999 is not part of the numbering.
    expect(await labels({ pages })).toEqual(['iii', 'iv', 'v', 'vi', '1', '2', '3', '4', null, '6'])
    const named = await labels({ pages, labels: '<< /Nums [0 << /S /D /St 20 >>] >>' })
    expect(named.slice(0, 2)).toEqual(['20', '21'])
  })

  test('stay if they differ from page to page', async () => {
    const pages = [1, 2].map((number) => ({
      content: showText('The Book of Rivers', { x: 72, y: 760 }) + body(number),
    }))
    for (const page of await markdown({ pages })) expect(page).toMatch(/^The Book of Rivers\n/)
  })

  test('do not include the first line of the text', async () => {
    const pages = ['Alpha', 'Beta', 'Gamma', 'Delta'].map((word) => ({
      content: showText(`${word} begins this page`, { x: 72, y: 720 }) + showLines(paragraph, { x: 72, y: 680 }),
    }))
    const contents = await markdown({ pages })
    expect(contents.map((page) => page.split(' ')[0])).toEqual(['Alpha', 'Beta', 'Gamma', 'Delta'])
  })
})
