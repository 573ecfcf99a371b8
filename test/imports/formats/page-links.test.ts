import { describe, expect, test } from 'vitest'
import { holdPages } from '../../../src/imports/formats/epub/page-links.ts'
import { newBlock } from '../../../src/imports/formats/epub/blocks.ts'
import { docxOf, docxParagraph, fb2Of, odtOf, rtfOf } from '../../support/documents.ts'
import { photograph, readEpubFigures, transparentPng } from '../../support/figures.ts'
import { buildKindle } from '../../support/kindle.ts'
import { buildEpub } from '../../support/epub.ts'
import { openEpub } from '../../../src/imports/formats/epub/open-epub.ts'
import { defaultLimits } from '../../../src/imports/formats/format.ts'
import { readDocument } from '../../support/read-document.ts'
import { readParts } from '../../support/read-epub.ts'

const sentence = 'The tide went out and left the boats on the sand for the night. '
const filler = `<p>${sentence.repeat(60)}</p>`

async function pagesOf(chapters: Record<string, string>): Promise<string[]> {
  return (await readParts({ chapters })).pages.map(({ content }) => content)
}

/** The first page of a book whose second file, on page 2, has the element `ebb`. */
async function linked(body: string): Promise<string> {
  const [first = ''] = await pagesOf({ 'one.xhtml': body, 'two.xhtml': '<h2 id="ebb">Ebb</h2><p>It ebbs.</p>' })
  return first
}

describe('links within an EPUB lead to pages', () => {
  test('forward, back, and to the start of a file', async () => {
    const pages = await pagesOf({
      'one.xhtml':
        '<h1 id="sea">Sea</h1><p>See <a href="two.xhtml#ebb">the ebb</a> and <a href="two.xhtml">Two</a>.</p>',
      'two.xhtml': `${filler}<p id="ebb">It ebbs, as <a href="one.xhtml#sea">said</a>.</p>`,
    })
    expect(pages).toHaveLength(3)
    expect(pages[0]).toBe('# Sea\n\nSee [the ebb](page:3) and [Two](page:2).')
    expect(pages[2]).toMatch(/It ebbs, as \[said\]\(page:1\)\.$/)
  })

  test('in lists, tables, quotations and notes', async () => {
    const link = '<a href="two.xhtml#ebb">x</a>'
    const body = `<ul><li>${link}</li></ul><table><tr><th>a</th><th>b</th></tr><tr><td>${link}</td><td>c</td></tr></table><blockquote><p>${link}</p></blockquote><p>Sea<a epub:type="noteref" href="#n1">1</a></p><aside epub:type="footnote" id="n1">See ${link}.</aside>`
    expect(await linked(body)).toBe(
      '- [x](page:2)\n\n| a | b |\n| --- | --- |\n| [x](page:2) | c |\n\n> [x](page:2)\n\nSea[^1]\n\n[^1]: See [x](page:2).',
    )
  })

  test('from notes of other files', async () => {
    const mark = (id: number) => `<sup><a id="r${id}" href="notes.xhtml#n${id}">${id}</a></sup>`
    const pages = await pagesOf({
      'one.xhtml': `<p>Sea${mark(1)}.</p>`,
      'two.xhtml': '<p id="ebb">It ebbs.</p>',
      'notes.xhtml':
        '<h2>Notes</h2><p id="n1"><a href="one.xhtml#r1">1</a>. See <a href="two.xhtml#ebb">the ebb</a>.</p>',
    })
    expect(pages[0]).toBe('Sea[^1].\n\n[^1]: See [the ebb](page:2).')
  })

  test.for([
    ['of emphasis', '<i>so <a href="two.xhtml#ebb">x</a></i>', '*so [x](page:2)*'],
    ['with emphasis', '<a href="two.xhtml#ebb">so <b>bold</b></a>', '[so **bold**](page:2)'],
    ['with code', '<a href="two.xhtml#ebb"><code>ls</code></a>', '[`ls`](page:2)'],
    ['in emphasis within a word', 'a<b><a href="two.xhtml#ebb">x</a></b>b', 'a[x](page:2)b'],
    ['with brackets', '<a href="two.xhtml#ebb">[12]</a>', '[[12]](page:2)'],
    ['with a number at the start of a line', '<a href="two.xhtml#ebb">1</a>. Sea', '[1](page:2)\\. Sea'],
    ['with a sign at the start of a line', '<a href="two.xhtml#ebb"># x</a>', '[\\# x](page:2)'],
    ['with an encoded address', '<a href="TWO.xhtml#%65bb">x</a>', '[x](page:2)'],
    ['to a missing element of another file', '<a href="two.xhtml#none">x</a>', '[x](page:2)'],
  ] as const)('%s', async ([, body, markdown]) => {
    expect(await linked(`<p>${body}</p>`)).toBe(markdown)
  })

  test.for([
    ['to the same page', '<a href="#here">x</a> <b id="here">y</b>', 'x **y**'],
    ['to a number on the same page', '<a href="#here">1</a>. Sea<i id="here"/>', '1\\. Sea'],
    ['to a missing element of the same file', '<a href="#none">x</a>', 'x'],
    ['in a heading', '<h2><a href="two.xhtml#ebb">Ebb</a></h2>', '## Ebb'],
    ['in code', '<code>a <a href="two.xhtml#ebb">b</a></code>', '`a b`'],
    ['in preformatted text', '<pre>a <a href="two.xhtml#ebb">b</a></pre>', '```\na b\n```'],
    ['without text', 'a<a href="two.xhtml#ebb"></a>b', 'ab'],
    ['with an unpaired bracket', '<a href="two.xhtml#ebb">a] b</a>', 'a] b'],
  ] as const)('stay text %s', async ([, body, markdown]) => {
    expect(await linked(body)).toBe(markdown)
  })

  test('stay text around a figure, whose marker is whole', async () => {
    const { pages } = await readEpubFigures({
      chapters: {
        'one.xhtml': '<p>See <a href="two.xhtml">it: <img src="x.jpg" alt="A cat"/></a></p>',
        'two.xhtml': '<p>Two</p>',
      },
      files: { 'x.jpg': photograph() },
    })
    expect(pages[0]).toMatch(/^See it: !\[A cat\]\(figure:1\)$/)
  })

  test('hold no control characters, and text that imitates placeholders stays text', async () => {
    const text = await linked('<p>&#x97;a&#x98;&#x80; \u0097b\u0098\u0081 <a href="two.xhtml">c</a></p>')
    expect(text).not.toMatch(/[\u0080-\u008F\u0097\u0098]/)
    expect(text).toContain('[c](page:2)')
  })

  test('survive at the end of a page, whatever their length', async () => {
    const words = Array.from({ length: 900 }, (_, at) => `<a href="two.xhtml#ebb">甲${at}</a>`).join('、')
    const long = `<a href="two.xhtml#ebb">${'無'.repeat(9_000)}</a>`
    const pages = await pagesOf({ 'one.xhtml': `<p>${words}</p><p>${long}</p>`, 'two.xhtml': '<p id="ebb">z</p>' })
    const target = pages.length
    const text = pages.slice(0, -1).join('')
    expect(text.match(/\[甲\d+\]\(page:\d+\)/g)).toHaveLength(900)
    expect(new Set(text.match(/page:\d+/g))).toEqual(new Set([`page:${target}`]))
    expect(text.replaceAll(/[^無]/g, '')).toHaveLength(9_000)
    expect(text).not.toMatch(/[\u0080-\u0098]/)
  })

  test('of an index are counted as a part of their pages', async () => {
    const entries = Array.from({ length: 1_500 }, () => '<a href="one.xhtml#sea">7</a>').join(', ')
    const pages = await pagesOf({ 'one.xhtml': '<p id="sea">Sea</p>', 'index.xhtml': `<p>Sea, ${entries}</p>` })
    for (const page of pages) expect(page.length).toBeLessThanOrEqual(6_000)
    expect(pages.join('').match(/\[7\]\(page:1\)/g)).toHaveLength(1_500)
  })

  test('do not delay the pages before the first of them', async () => {
    const bytes = await buildEpub({
      chapters: { 'one.xhtml': '<p>Cover</p>', 'two.xhtml': '<p><a href="three.xhtml">x</a></p>', 'three.xhtml': 'y' },
    })
    const book = await openEpub(bytes, defaultLimits)
    const pages = book.pages()[Symbol.asyncIterator]()
    expect((await pages.next()).value).toMatchObject({ content: 'Cover' })
    expect((await pages.next()).value).toMatchObject({ content: '[x](page:3)' })
    await book.close()
  })

  test('lead back only in a book that is too long to be held', async () => {
    const page = (text: string) => ({ blocks: [newBlock('text', text)] })
    const made: string[] = []
    const pages = async function* () {
      for (const text of ['a', '\u0097b\u0098\u0080', 'c'.repeat(5_000_000), 'd'.repeat(5_000_000), 'e']) {
        made.push(text.slice(0, 1))
        yield page(text)
      }
    }
    const madeBefore: number[] = []
    for await (const _ of holdPages(pages())) madeBefore.push(made.length)
    expect(madeBefore).toEqual([1, 4, 4, 4, 5])
  })

  test('lead back only where a book has much more markup than text', async () => {
    const made: number[] = []
    let markup = 0
    const pages = async function* () {
      for (let number = 1; number <= 5; number++) {
        markup += 10_000_000
        made.push(number)
        yield { blocks: [newBlock('text', '\u0097b\u0098\u0080')] }
      }
    }
    const madeBefore: number[] = []
    for await (const _ of holdPages(pages(), () => markup)) madeBefore.push(made.length)
    expect(madeBefore).toEqual([3, 3, 3, 5, 5])
  })
})

describe('links within other documents lead to pages', () => {
  const long = sentence.repeat(60)

  test('HTML', async () => {
    const html = `<body><p>See <a href="#ebb">the ebb</a>, <a href="#none">x</a>, <a href="other.html#ebb">y</a>.</p>${filler}<p><a name="ebb"></a>It ebbs.</p></body>`
    const { pages } = await readDocument(Buffer.from(html), 'html')
    expect(pages[0]?.content).toMatch(/^See \[the ebb\]\(page:2\), x, y\.$/m)
    expect(pages[1]?.content).toBe('It ebbs.')
  })

  test('Word: hyperlinks, cross-references and their fields', async () => {
    const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`
    const field = (instruction: string, text: string) =>
      `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> ${instruction} </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>${run(text)}<w:r><w:fldChar w:fldCharType="end"/></w:r>`
    const paragraph = (content: string) => `<w:p>${content}</w:p>`
    const body =
      paragraph(`<w:hyperlink w:anchor="_Ref1">${run('a')}</w:hyperlink>${run(' ')}${field('REF _Ref1 \\h', 'b')}`) +
      paragraph(`${field('HYPERLINK \\l "_Ref1"', 'c')}${run(' ')}${field('HYPERLINK "https://e.org/"', 'd')}`) +
      paragraph(
        `<w:fldSimple w:instr=" PAGEREF _Ref1 \\h ">${run('7')}</w:fldSimple>${run(' ')}${field('DATE', 'e')}`,
      ) +
      docxParagraph(long) +
      `<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:bookmarkStart w:id="0" w:name="_Ref1"/>${run('Ebb')}<w:bookmarkEnd w:id="0"/></w:p>`
    const { pages } = await readDocument(await docxOf({ body }), 'docx')
    expect(pages[0]?.content.split('\n\n').slice(0, 3)).toEqual([
      '[a](page:2) [b](page:2)',
      '[c](page:2) [d](https://e.org/)',
      '[7](page:2) e',
    ])
    expect(pages[1]?.content).toBe('# Ebb')
  })

  test('Word: a field over several paragraphs is no link, and closes nothing else', async () => {
    const run = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`
    const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`
    const body = `<w:p>${mark('begin')}<w:r><w:instrText>REF x</w:instrText></w:r>${mark('separate')}${run('a')}</w:p><w:p>${run('b')}${mark('end')}${run('c')}</w:p>${docxParagraph(long)}<w:p><w:bookmarkStart w:name="x"/>${run('d')}</w:p>`
    const { pages } = await readDocument(await docxOf({ body }), 'docx')
    expect(pages[0]?.content).toMatch(/^\[a\]\(page:2\)\n\nbc\n\n/)
  })

  test('Word: a field over several items of a list is no link after the first', async () => {
    const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`
    const item = (level: number, content: string) =>
      `<w:p><w:pPr><w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="5"/></w:numPr></w:pPr>${content}</w:p>`
    const run = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`
    const begin = `${mark('begin')}<w:r><w:instrText>REF x</w:instrText></w:r>${mark('separate')}`
    const body = `${item(0, begin + run('a'))}${item(1, run('b'))}${item(0, run('c') + mark('end'))}${docxParagraph(long)}<w:p><w:bookmarkStart w:name="x"/>${run('d')}</w:p>`
    const { pages } = await readDocument(await docxOf({ body }), 'docx')
    expect(pages[0]?.content).toMatch(/^- \[a\]\(page:2\)\n {2}- b\n- c\n\n/)
  })

  test('OpenDocument: bookmarks, headings and cross-references, whose words are kept', async () => {
    const body = `<text:p><text:a xlink:href="#ebb">a</text:a> <text:a xlink:href="#1.2.The%20Ebb%7Coutline">b</text:a> <text:bookmark-ref text:reference-format="text" text:ref-name="ebb">c</text:bookmark-ref> <text:sequence-ref text:ref-name="refTable0">Table 1</text:sequence-ref></text:p><text:p>${long}</text:p><text:h text:outline-level="1"><text:bookmark-start text:name="ebb"/>The Ebb<text:bookmark-end text:name="ebb"/></text:h><text:p>Table <text:sequence text:ref-name="refTable0">1</text:sequence></text:p>`
    const { pages } = await readDocument(await odtOf({ body }), 'odt')
    expect(pages[0]?.content.split('\n\n')[0]).toBe('[a](page:2) [b](page:2) [c](page:2) [Table 1](page:2)')
    expect(pages[1]?.content).toBe('# The Ebb\n\nTable 1')
  })

  test('FictionBook: sections', async () => {
    const body = `<section><p>See <a l:href="#ebb">the ebb</a>.</p><p>${long}</p></section><section id="ebb"><title><p>Ebb</p></title><p>It ebbs.</p></section>`
    const { pages } = await readDocument(fb2Of({ body }), 'fb2')
    expect(pages[0]?.content).toMatch(/^See \[the ebb\]\(page:2\)\./)
  })

  test('RTF: bookmarks and their fields', async () => {
    const field = (instruction: string, text: string) => `{\\field{\\*\\fldinst{ ${instruction} }}{\\fldrslt{${text}}}}`
    const body = `${field('HYPERLINK \\\\l "ebb"', 'a')} ${field('REF ebb \\\\h', 'b')} ${field('HYPERLINK "https://e.org/"', 'c')}\\par ${long}\\par {\\*\\bkmkstart ebb}It ebbs.{\\*\\bkmkend ebb}\\par`
    const { pages } = await readDocument(rtfOf({ body }), 'rtf')
    expect(pages[0]?.content.split('\n\n')[0]).toBe('[a](page:2) [b](page:2) [c](https://e.org/)')
    expect(pages[1]?.content).toBe('It ebbs.')
  })

  test('RTF and Word: names with half of a surrogate pair', async () => {
    const rtf = `{\\field{\\*\\fldinst{ REF e\\u-10240?b \\\\h }}{\\fldrslt{a}}}\\par ${long}\\par {\\*\\bkmkstart e\\u-10240?b}It ebbs.{\\*\\bkmkend e}\\par`
    const { pages } = await readDocument(rtfOf({ body: rtf }), 'rtf')
    expect(pages[0]?.content).toMatch(/^\[a\]\(page:2\)\n/)
    const link = '<w:p><w:hyperlink w:anchor="&#xD800;"><w:r><w:t>a</w:t></w:r></w:hyperlink></w:p>'
    const word = await readDocument(await docxOf({ body: link }), 'docx')
    expect(word.text).toBe('a')
  })

  test('MOBI: byte offsets, whatever the length of the text', async () => {
    const html = (at: number) =>
      `<html><body><p><a filepos=${String(at).padStart(10, '0')}>The second chapter, on the ebb</a></p><mbp:pagebreak/><p>It ebbs.</p></body></html>`
    const at = html(0).indexOf('<p>It')
    const { pages } = await readDocument(buildKindle({ html: html(at) }), 'mobi')
    expect(pages.map(({ content }) => content)).toEqual(['[The second chapter, on the ebb](page:2)', 'It ebbs.'])
  })

  test('with pictures in their headings, whose titles stay those of the table of contents', async () => {
    const source = `data:image/png;base64,${transparentPng().toString('base64')}`
    const html = `<body><h1>Sea <img alt="a map" src="${source}"></h1><p>Text</p></body>`
    const { toc } = await readDocument(Buffer.from(html), 'html')
    expect(toc.map(({ title }) => title)).toEqual(['Sea'])
  })
})
