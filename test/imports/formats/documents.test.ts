import { describe, expect, test } from 'vitest'
import { defaultLimits } from '../../../src/imports/formats/format.ts'
import { docxOf, docxParagraph, fb2Of, odtOf, rtfOf, zipOf } from '../../support/documents.ts'
import { photograph } from '../../support/figures.ts'
import { readDocument } from '../../support/read-document.ts'
import { smallBooks } from '../../support/small-books.ts'

const odt = async (body: string, parts = {}) => readDocument(await odtOf({ body, ...parts }), 'odt')
const html = (source: string) => readDocument(Buffer.from(source), 'html')
const text = (source: string | Uint8Array) => readDocument(Buffer.from(source as string), 'text')
const prose = 'The tide went out and left the boats on the sand for the night. '

describe('an OpenDocument text', () => {
  test('keeps the letters and Roman numerals of its lists', async () => {
    const level = (at: number, format: string, suffix: string) =>
      `<text:list-level-style-number text:level="${at}" style:num-format="${format}" style:num-suffix="${suffix}"/>`
    const automatic = `<text:list-style style:name="L1">${level(1, 'a', ')')}${level(2, 'I', '.')}</text:list-style>`
    const item = (content: string) => `<text:list-item>${content}</text:list-item>`
    const deep = `<text:list>${item('<text:p>deep</text:p>')}</text:list>`
    const body = `<text:list text:style-name="L1">${item('<text:p>one</text:p>')}${item(`<text:p>two</text:p>${deep}`)}</text:list>`
    expect((await odt(body, { automatic })).text).toBe('- a) one\n- b) two\n  - I. deep')
  })

  test('keeps headings, emphasis, lists, tables, notes and formulas', async () => {
    const automatic =
      '<style:style style:name="T1" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style><text:list-style style:name="L1"><text:list-level-style-number text:level="1"/></text:list-style>'
    const math =
      '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mfrac><mi>a</mi><mi>b</mi></mfrac><annotation encoding="StarMath 5.0">a over b</annotation></semantics></math>'
    const body = [
      '<text:h text:outline-level="2">Tides</text:h>',
      '<text:p>so <text:span text:style-name="T1">bold</text:span><text:s/>and<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>Below.</text:p></text:note-body></text:note><office:annotation><text:p>no</text:p></office:annotation></text:p>',
      '<text:list text:style-name="L1"><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>deep</text:p></text:list-item></text:list></text:list-item></text:list>',
      '<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>A</text:p></table:table-cell><table:table-cell><text:p>B</text:p></table:table-cell></table:table-row></table:table-header-rows><table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>x</text:p></table:table-cell><table:covered-table-cell/></table:table-row></table:table>',
      '<text:p><draw:frame><draw:object xlink:href="./Object 1"/></draw:frame> <draw:frame><draw:image/><svg:desc>A boat</svg:desc></draw:frame></text:p>',
      '<text:table-of-content><text:index-body><text:p>Tides 3</text:p></text:index-body></text:table-of-content>',
    ]
    const {
      text: content,
      toc,
      hasFormulas,
    } = await odt(body.join(''), { automatic, files: { 'Object 1/content.xml': math } })
    expect(content).toBe(
      '## Tides\n\nso **bold** and[^1]\n\n[^1]: Below.\n\n1. one\n   1. deep\n\n| A | B |\n| --- | --- |\n| x |  |\n\n$\\frac{a}{b}$ [Image: A boat]',
    )
    expect(toc).toEqual([{ title: 'Tides', level: 2, page: 1 }])
    expect(hasFormulas).toBe(true)
  })

  test('leaves out hidden text and sections', async () => {
    const style = (name: string, family: string, parent = '') =>
      `<style:style style:name="${name}" style:family="${family}"${parent}>${parent === '' ? '<style:text-properties text:display="none"/>' : ''}</style:style>`
    const automatic =
      style('T1', 'text') + style('Hidden', 'paragraph') + style('P1', 'paragraph', ' style:parent-style-name="Hidden"')
    const body =
      '<text:p>One <text:span text:style-name="T1">gone</text:span>two</text:p><text:p text:style-name="P1">gone</text:p>' +
      '<text:section text:display="none"><text:p>gone</text:p></text:section><text:section text:display="true"><text:p>three</text:p></text:section>'
    expect((await odt(body, { automatic })).text).toBe('One two\n\nthree')
  })

  test('keeps its bibliography, and readings of characters in brackets', async () => {
    const body =
      '<text:bibliography><text:bibliography-source><text:index-title-template>Title</text:index-title-template></text:bibliography-source><text:index-body><text:index-title><text:p>Sources</text:p></text:index-title><text:p>Doe, Tides, 2000</text:p></text:index-body></text:bibliography>' +
      '<text:p><text:ruby><text:ruby-base>潮</text:ruby-base><text:ruby-text>しお</text:ruby-text></text:ruby>の</text:p>'
    expect((await odt(body)).text).toBe('Sources\n\nDoe, Tides, 2000\n\n潮(しお)の')
  })

  test('has its pictures as figures, and formulas from anywhere in the file', async () => {
    const body =
      '<text:p>so <draw:frame><draw:object xlink:href="Formula-0/"/></draw:frame></text:p>' +
      '<text:p><draw:frame><svg:title>A boat</svg:title><draw:image xlink:href="Pictures/1.jpg"/></draw:frame></text:p>' +
      '<text:p><draw:frame><svg:title>Elsewhere</svg:title><draw:image xlink:href="https://example.org/a.png"/></draw:frame></text:p>'
    const files = {
      'Formula-0/content.xml': '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>x</mi></math>',
      'Pictures/1.jpg': photograph(1),
    }
    const { text: content, figures } = await odt(body, { files })
    expect(content).toBe(`so $x$\n\n![A boat](figure:${figures[0]?.id})\n\n[Image: Elsewhere]`)
    expect(figures).toHaveLength(1)
  })

  test('has its footnotes after the paragraphs of their references, its endnotes at the end, and code in lines', async () => {
    const note = (kind: string, mark: string) =>
      `<text:note text:note-class="${kind}"><text:note-citation>${mark}</text:note-citation><text:note-body><text:p>In ${mark}.</text:p></text:note-body></text:note>`
    const body = `<text:p>One${note('footnote', '1')}${note('endnote', 'i')} with <text:span text:style-name="Source_Text">x()</text:span></text:p><text:p>Two${note('footnote', '2')}</text:p>`
    expect((await odt(body)).text).toBe(
      'One[^1][^i] with `x()`\n\n[^1]: In 1.\n\nTwo[^2]\n\n[^2]: In 2.\n\n[^i]: In i.',
    )
  })

  test('has code where its font is a typewriter font, unless the whole text is', async () => {
    const automatic =
      '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Standard"><style:text-properties fo:font-family="\'Courier New\'"/></style:style><style:style style:name="T1" style:family="text"><style:text-properties style:font-name="Consolas"/></style:style>'
    const line = (said: string) => `<text:p text:style-name="P1">${said}</text:p>`
    const plain = (said: string) => `<text:p text:style-name="Standard">${said}</text:p>`
    const call = 'Call <text:span text:style-name="T1">open()</text:span>.'
    const mixed = plain(call) + plain('So:') + line('a = 1') + line('b = 2') + ['x', 'y', 'z', 'w'].map(plain).join('')
    expect((await odt(mixed, { automatic })).text).toMatch(/^Call `open\(\)`\.\n\nSo:\n\n```\na = 1\nb = 2\n```\n\nx\n/)
    expect((await odt(line('It was night.') + line('A boat came in.'), { automatic })).text).toBe(
      'It was night.\n\nA boat came in.',
    )
  })

  test('that is encrypted is refused as encrypted', async () => {
    const files = { 'META-INF/manifest.xml': '<manifest:manifest><manifest:encryption-data/></manifest:manifest>' }
    await expect(odt('<text:p>x</text:p>', { files })).rejects.toMatchObject({ code: 'ENCRYPTED' })
  })
})

describe('a FictionBook', () => {
  const book = {
    title:
      '<author><first-name>Ada</first-name><last-name>Marsh</last-name></author><book-title>Tides</book-title><annotation><p>Of the sea.</p></annotation><lang>ru</lang>',
    body: '<title><p>Tides</p></title><section><title><p>One</p><p>The start</p></title><p>A <emphasis>boat</emphasis><a l:href="#n1" type="note">[1]</a>.</p><poem><stanza><v>line a</v><v>line b</v></stanza></poem><subtitle>* * *</subtitle><section><title><p>Inner</p></title><p>x</p></section></section>',
    others:
      '<body name="notes"><section id="n1"><title><p>1</p></title><p>A note.</p></section></body><binary id="c">AAAA</binary>',
  }

  test('keeps sections, verses, notes and metadata', async () => {
    const { text: content, toc, info } = await readDocument(fb2Of(book), 'fb2')
    expect(content).toBe(
      '> Of the sea.\n\n# Tides\n\n# One. The start\n\nA *boat*[^1].\n\n> line a  \n> line b\n\n---\n\n## Inner\n\nx\n\n[^1]: A note.',
    )
    expect(toc.map(({ title, level }) => `${level} ${title}`)).toEqual(['1 Tides', '1 One. The start', '2 Inner'])
    expect(info).toMatchObject({ title: 'Tides', author: 'Ada Marsh', language: 'ru', description: 'Of the sea.' })
  })

  test('is read from an archive, and in another encoding', async () => {
    const zipped = await readDocument(await zipOf({ 'tides.fb2': fb2Of(book) }), 'fb2')
    expect(zipped.toc).toHaveLength(3)
    const cyrillic = Buffer.concat([
      Buffer.from('<?xml version="1.0" encoding="windows-1251"?><FictionBook><body><section><p>'),
      Buffer.from([0xcc, 0xee, 0xf0, 0xe5]),
      Buffer.from('</p></section></body></FictionBook>'),
    ])
    expect((await readDocument(cyrillic, 'fb2')).text).toBe('Море')
  })
})

describe('a page of HTML', () => {
  test('has the footnotes and comments of Google Docs', async () => {
    const reference = (kind: string, shown: string) => `<sup><a href="#${kind}1" id="${kind}_ref1">[${shown}]</a></sup>`
    const note = (kind: string, shown: string, value: string) =>
      `<div><p><a href="#${kind}_ref1" id="${kind}1">[${shown}]</a><span>&nbsp;${value}</span></p><p>More.</p></div>`
    const body = `<p>Tides${reference('ftnt', '1')}${reference('cmnt', 'a')}.</p><hr>${note('ftnt', '1', 'Ebb.')}${note('cmnt', 'a', 'Why?')}`
    expect((await html(`<html><body>${body}</body></html>`)).text).toBe(
      'Tides[^1][^a].\n\n---\n\n[^1]: Ebb.\n\n    More.\n\n[^a]: Why?\n\n    More.',
    )
  })

  test('has the language of code on GitHub', async () => {
    const code = '<div class="highlight highlight-source-shell"><pre>npm install</pre></div>'
    expect((await html(`<html><body>${code}</body></html>`)).text).toBe('```shell\nnpm install\n```')
  })

  test('leaves out what browsers with scripts do not show, unless nothing else is there', async () => {
    const message = '<noscript><p>Switch on scripts.</p><img alt="A boat" src="boat.jpg"></noscript>'
    expect((await html(`<html><body><p>Tides.</p>${message}</body></html>`)).text).toBe('Tides.')
    expect((await html(`<html><body>${message}</body></html>`)).text).toContain('Switch on scripts.')
  })

  test.for([
    ['a form', (inside: string) => `<form>${inside}</form>`],
    ['what browsers without scripts show', (inside: string) => `<div><noscript>${inside}</noscript></div>`],
  ] as const)('has its text in %s, without the navigation in it', async ([, around]) => {
    const page = `<nav><a href="/">Home</a></nav><h1>Tides</h1><p>${prose}</p>`
    expect((await html(`<html><body>${around(page)}</body></html>`)).text).toBe(`# Tides\n\n${prose.trim()}`)
  })

  test('has several main texts, and no longer only the longest', async () => {
    const main = (words: string) => `<div role="main"><p>${words}</p></div>`
    const { text: content } = await html(
      `<html><body>${main(prose.repeat(20))}${main('Comment. '.repeat(500))}</body></html>`,
    )
    expect(content).toContain(prose.trim())
    expect(content).toContain('Comment.')
  })

  test('is reduced to its main text, without the navigation of the site', async () => {
    const {
      text: content,
      info,
      toc,
    } = await html(
      `<!DOCTYPE html><html lang="de"><head><title>Tides | Site</title><meta name="author" content="Ada Marsh"><meta property="og:title" content="Tides"></head><body><header><a href="/">Home</a></header><nav><a href="/a">Menu</a></nav><main><h1>Tides</h1><p>${prose}</p><div class="share"><a href="x">Share</a></div><h2>Ebb</h2><p>Low <a href="https://e.example/">water</a>.</p><aside><p>A remark.</p></aside><form><input><button>Send</button></form></main><footer>© Site</footer><script>alert(1)</script></body></html>`,
    )
    expect(content).toBe(`# Tides\n\n${prose.trim()}\n\n## Ebb\n\nLow [water](https://e.example/).\n\nA remark.`)
    expect(info).toMatchObject({ title: 'Tides', author: 'Ada Marsh', language: 'de' })
    expect(toc.map(({ title }) => title)).toEqual(['Tides', 'Ebb'])
  })

  test('has no permalinks of headings, no navigation bars of manuals, and drawings by their labels', async () => {
    const page = `<div class="nav-panel">Next: <a href="b">B</a></div><h1>Ebb<a class="headerlink" href="#ebb">¶</a></h1><p>${prose}</p><h2><a class="anchor" href="#s">Flood</a></h2><svg><text>low</text><g><text>high</text></g></svg><svg><title>Chart</title><text>x</text></svg><svg><path d=""></path></svg><ul class="docnav"><li>The Sea</li></ul>`
    expect((await html(page)).text).toBe(`# Ebb\n\n${prose.trim()}\n\n## Flood\n\n[Image: low high][Image: Chart]`)
  })

  test.for(['theme-edit-this-page', 'edit-link', 'edit-page-link'])('has no link of the class %s', async (name) => {
    const footer = `<footer><a class="${name}" href="https://e.example/">Edit this page</a><p>Last changed in May.</p></footer>`
    const { text: content } = await html(`<article><p>${prose}</p>${footer}</article>`)
    expect(content).toBe(`${prose.trim()}\n\nLast changed in May.`)
  })

  test('without a main element is its body, without hidden parts', async () => {
    const { text: content } = await html(
      '<p>One</p><p style="display:none">hidden</p><div aria-hidden="true">no</div><table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>',
    )
    expect(content).toBe('One\n\n| A | B |\n| --- | --- |\n| 1 | 2 |')
  })

  test('with several articles keeps all of them', async () => {
    const article = (name: string) => `<article><h2>${name}</h2><p>${prose.repeat(3)}</p></article>`
    const { toc } = await html(`<html><body>${article('a')}${article('b')}${article('c')}</body></html>`)
    expect(toc.map(({ title }) => title)).toEqual(['a', 'b', 'c'])
  })

  test('with one long article among others keeps what has a text of its own, and leaves out summaries and comments', async () => {
    const article = (name: string, times: number, attributes = '') =>
      `<article ${attributes}><h2>${name}</h2><p>${prose.repeat(times)}</p></article>`
    const page = (...others: string[]) => html(`<body><p>Beside</p>${article('long', 90)}${others.join('')}</body>`)
    const titles = async (...others: string[]) => (await page(...others)).toc.map(({ title }) => title)
    expect(await titles(article('chapter', 30))).toEqual(['long', 'chapter'])
    expect(await titles(article('summary', 1))).toEqual(['long'])
    expect(await titles(article('comment', 30, 'class="comment-body"'))).toEqual(['long'])
  })

  test.for([
    ['does not close its head', '<head><title>T</title><meta name="a" content="b"><h1>Ebb</h1>Low.'],
    ['has no head and no body', '<title>T</title><h1>Ebb</h1>Low.'],
    [
      'goes on after the end of its body',
      '<html><head><title>T</title></head><body><h1>Ebb</h1></body></html><p>Low.</p>',
    ],
    [
      'is written twice',
      '<html><head><title>T</title></head><body><h1>Ebb</h1></body></html><html><body>Low.</body></html>',
    ],
    ['has the title before its body', '<html><title>T</title><body><h1>Ebb</h1>Low.</body></html>'],
  ])('that %s is read like in a browser', async ([, source = '']) => {
    const { text: content, info } = await html(source)
    expect(content).toBe('# Ebb\n\nLow.')
    expect(info.title).toBe('T')
  })

  test('that is nothing but navigation keeps its links', async () => {
    const { text: content } = await html(
      '<nav><ul><li><a href="/a">Ebb</a></li><li><a href="/b">Flood</a></li></ul></nav>',
    )
    expect(content).toBe('- Ebb\n- Flood')
  })
})

describe('a plain text', () => {
  const wrapped =
    'It was a long day on the water, and the nets came up empty every time\nuntil the evening, when the wind turned and the fish came in from the\nopen sea.'

  test('has paragraphs with joined lines, and verses with separate lines', async () => {
    const { text: content } = await text(
      `${wrapped}\n\nThe sea is wide,\nThe boat is small,\nAnd that is all.\n\n${wrapped}\n`,
    )
    expect(content.split('\n\n')[0]).toBe(wrapped.replaceAll('\n', ' '))
    expect(content).toContain('The sea is wide,  \nThe boat is small,  \nAnd that is all.')
  })

  test('has its chapters as table of contents, without the printed table of contents', async () => {
    const list = 'CONTENTS\n\nCHAPTER I. Morning\n\nCHAPTER II. Evening\n\n\n'
    const chapter = (name: string) => `CHAPTER ${name}\n\n${wrapped}\n\n\n`
    const { toc, text: content } = await text(
      `${list}\nBOOK ONE\n\n${chapter('I. Morning')}${chapter('II. Evening')}\n\n\nIII\n\n${wrapped}\n\nEpilogue\n\n${wrapped}`,
    )
    expect(toc.map(({ title, level }) => `${level} ${title}`)).toEqual([
      '1 BOOK ONE',
      '2 CHAPTER I. Morning',
      '2 CHAPTER II. Evening',
      '2 III',
      '2 Epilogue',
    ])
    expect(content).toContain('CHAPTER I. Morning\n\nCHAPTER II. Evening')
  })

  test.for([
    ['第一章 海', '第一章 海\n\n船\n\n第二章 風\n\n帆'],
    ['Глава 1', 'Глава 1\n\nМоре.\n\nГлава 2\n\nВетер.'],
    ['Kapitel 3: Das Meer', 'Kapitel 3: Das Meer\n\nEs war still.'],
    ['Tides', 'Tides\n=====\n\nThe sea.'],
  ])('recognises the heading %s', async ([title, source]) => {
    expect((await text(source as string)).toc[0]?.title).toBe(title)
  })

  test('a sentence that begins with such a word is not a heading', async () => {
    expect((await text('Chapter houses were built of stone.\n\nPart of the fleet stayed out.')).toc).toEqual([])
  })

  test('a table made of spaces stays unchanged', async () => {
    expect((await text('Port      Boats    Men\nNorth     12       40\nSouth     7        21')).text).toBe(
      '```\nPort      Boats    Men\nNorth     12       40\nSouth     7        21\n```',
    )
  })

  test.for([
    ['UTF-8', 'utf-8', Buffer.from('Grüße aus Łódź')],
    ['UTF-8 with a mark', 'utf-8', Buffer.from('\uFEFFGrüße aus Łódź')],
    ['UTF-16', 'utf-16', Buffer.from('\uFEFFGrüße aus Łódź', 'utf16le')],
  ] as const)('is read in %s', async ([, , bytes]) => {
    expect((await text(bytes)).text).toBe('Grüße aus Łódź')
  })

  test('with zero bytes is refused', async () => {
    await expect(text('a\0b')).rejects.toMatchObject({ code: 'BROKEN' })
  })
})

describe('a document', () => {
  test('is read by its content, whatever its name', async () => {
    const read = await readDocument(await smallBooks.docx(), 'odt')
    expect(read.format).toBe('docx')
    expect(read.toc.map(({ title }) => title)).toEqual(['Chapter 1', 'Chapter 2'])
    expect((await readDocument(await smallBooks.html(), 'docx')).format).toBe('html')
    expect((await readDocument(await smallBooks.epub(), 'text')).format).toBe('epub')
  })

  const slidePictures = Object.fromEntries([1, 2, 3].map((n) => [`ppt/media/image${n}.png`, 'x']))
  const run = '<w:r><w:t>x</w:t></w:r>'
  const span = '<text:span>x</text:span>'
  const nested = (depth: number, open: string, close: string, inner = 'x') =>
    open.repeat(depth) + inner + close.repeat(depth)
  test.for([
    [
      'HTML of 200,000 levels',
      'html',
      async () => Buffer.from(`<html><body>${nested(200_000, '<div>', '</div>')}`),
      'TOO_DEEP',
    ],
    [
      'HTML of two million elements',
      'html',
      async () => Buffer.from(`<html><body>${'<b>a</b>'.repeat(1_000_000)}`),
      'TOO_LARGE',
    ],
    [
      'a Word document of 100,000 levels',
      'docx',
      () => docxOf({ body: nested(100_000, '<w:sdt>', '</w:sdt>') }),
      'TOO_DEEP',
    ],
    [
      'tables in tables in tables',
      'docx',
      () => docxOf({ body: nested(300, '<w:tbl><w:tr><w:tc>', '</w:tc></w:tr></w:tbl>') }),
      'TOO_DEEP',
    ],
    [
      'an OpenDocument of 100,000 levels',
      'odt',
      () => odtOf({ body: nested(100_000, '<text:section>', '</text:section>') }),
      'TOO_DEEP',
    ],
    [
      'a FictionBook of 100,000 levels',
      'fb2',
      async () => fb2Of({ body: nested(100_000, '<section>', '</section>') }),
      'TOO_DEEP',
    ],
    [
      'styles that are based on each other',
      'docx',
      () =>
        docxOf({
          body: docxParagraph('x', 'A'),
          styles:
            '<w:style w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:styleId="B"><w:basedOn w:val="A"/></w:style>',
        }),
      'ok',
    ],
    [
      'an entity bomb',
      'docx',
      () =>
        docxOf({
          body: docxParagraph('x'),
          files: {
            'word/styles.xml': `<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">${'bcdefghij'
              .split('')
              .map((name, at) => `<!ENTITY ${name} "${`&${'abcdefghi'[at]};`.repeat(10)}">`)
              .join('')}]><w:styles>&j;</w:styles>`,
          },
        }),
      'ok',
    ],
    ['a document without a body', 'docx', () => zipOf({ 'word/document.xml': '<w:document/>' }), 'EMPTY'],
    [
      'a presentation',
      'docx',
      () => zipOf({ '[Content_Types].xml': '<Types/>', 'ppt/presentation.xml': '<p/>', ...slidePictures }),
      'UNREAD_OFFICE',
    ],
    [
      'a spreadsheet',
      'cbz',
      () => zipOf({ '[Content_Types].xml': '<Types/>', 'xl/workbook.xml': '<w/>' }),
      'UNREAD_OFFICE',
    ],
    [
      'an OpenDocument presentation',
      'odt',
      () =>
        zipOf({
          mimetype: 'application/vnd.oasis.opendocument.presentation',
          'content.xml': '<office:document-content/>',
        }),
      'UNREAD_OFFICE',
    ],
    ['an archive of something else', 'docx', () => zipOf({ 'a.txt': 'x' }), 'BROKEN'],
    ['a PDF', 'docx', async () => Buffer.from('%PDF-1.7 x'), 'BROKEN'],
    ['plain text', 'docx', async () => Buffer.from('words'), 'BROKEN'],
    ['a FictionBook without a body', 'fb2', async () => Buffer.from('<FictionBook/>'), 'BROKEN'],
    ['a million empty lines', 'text', async () => Buffer.from('\n'.repeat(1_000_000)), 'EMPTY'],
    ['a line of ten million letters', 'text', async () => Buffer.from('x'.repeat(10_000_000)), 'ok'],
    ['200,000 paragraphs', 'text', async () => Buffer.from('x\n\n'.repeat(200_000)), 'ok'],
    ['150,000 headings', 'text', async () => Buffer.from('Chapter 1\n\nx\n\n'.repeat(150_000)), 'TOO_LARGE'],
    ['150,000 paragraphs in one element', 'html', async () => Buffer.from('<p>x</p>\n'.repeat(150_000)), 'ok'],
    ['a head with 150,000 paragraphs', 'html', async () => Buffer.from(`<head>${'<p>x</p>\n'.repeat(150_000)}`), 'ok'],
    ['150,000 runs in a paragraph', 'docx', () => docxOf({ body: `<w:p>${run.repeat(150_000)}</w:p>` }), 'ok'],
    ['150,000 spans in a paragraph', 'odt', () => odtOf({ body: `<text:p>${span.repeat(150_000)}</text:p>` }), 'ok'],
    ['150,000 bookmarks', 'rtf', async () => rtfOf({ body: `${'{\\*\\bkmkstart b}'.repeat(150_000)}x\\par` }), 'ok'],
  ] as const)('that is %s fails or is read without a crash', { timeout: 30_000 }, async ([, named, make, outcome]) => {
    const limits = { ...defaultLimits, pages: 5_000 }
    const startedAt = performance.now()
    const ended = await readDocument(await make(), named, limits).then(
      () => 'ok',
      (error) => error.code ?? error,
    )
    expect(ended).toBe(outcome)
    expect(performance.now() - startedAt).toBeLessThan(15_000)
  })

  test('that unpacks to more than a book may have is too large', async () => {
    const bomb = await docxOf({ body: `<w:p><w:r><w:t>${'x'.repeat(3_000_000)}</w:t></w:r></w:p>` })
    const limits = { ...defaultLimits, totalBytes: 1_000_000, entryBytes: 1_000_000 }
    await expect(readDocument(bomb, 'docx', limits)).rejects.toMatchObject({ code: 'TOO_LARGE' })
  })
})
