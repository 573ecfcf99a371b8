import { describe, expect, test } from 'vitest'
import { docxOf, docxParagraph, type DocxParts, wordNames, zipOf } from '../../support/documents.ts'
import { photograph, transparentPng } from '../../support/figures.ts'
import { readDocument } from '../../support/read-document.ts'

const p = docxParagraph
const docx = async (body: string, parts: Partial<DocxParts> = {}) =>
  readDocument(await docxOf({ body, ...parts }), 'docx')
const run = (content: string, properties = '') => `<w:r><w:rPr>${properties}</w:rPr>${content}</w:r>`
const words = (value: string, properties = '') => run(`<w:t xml:space="preserve">${value}</w:t>`, properties)
const prose = 'The tide went out and left the boats on the sand for the night. '
const item = (value: string, { of = 5, at = 0 } = {}) =>
  `<w:p><w:pPr><w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="${of}"/></w:numPr></w:pPr>${words(value)}</w:p>`
const levelOf = (at: number, format: string, { text = '\u2022', more = '' } = {}) =>
  `<w:lvl w:ilvl="${at}">${more}<w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`
const list = (id: number, levels: string) =>
  `<w:abstractNum w:abstractNumId="${id}">${levels}</w:abstractNum><w:num w:numId="${id}"><w:abstractNumId w:val="${id}"/></w:num>`

describe('a Word document', () => {
  test('has its headings, including custom styles, as table of contents with pages', async () => {
    const styles =
      '<w:style w:type="paragraph" w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="Heading2"/></w:style>'
    const body =
      p('The Sea', 'Title') +
      p('One', 'Heading1') +
      p(prose.repeat(60)) +
      p('A part', 'Mine') +
      p('End.') +
      p('Two', 'Heading1')
    const { toc, pages } = await docx(body, { styles })
    expect(toc.map(({ title, level }) => [title, level])).toEqual([
      ['The Sea', 1],
      ['One', 1],
      ['A part', 2],
      ['Two', 1],
    ])
    for (const { title, page } of toc) expect(pages[page - 1]?.content).toContain(`# ${title}`)
    expect(toc.at(-1)?.page).toBeGreaterThan(1)
  })

  test('has headings by the names of styles in other languages', async () => {
    const style = (id: string, name: string, base = '') =>
      `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${base && `<w:basedOn w:val="${base}"/>`}</w:style>`
    const styles = style('a', '标题 1') + style('b', 'Nagłówek 2') + style('c', '章', 'b') + style('d', '标题')
    const body = p('One', 'a') + p('Two', 'b') + p('Three', 'c') + p('Four', 'd')
    expect((await docx(body, { styles })).text).toBe('# One\n\n## Two\n\n## Three\n\nFour')
  })

  test('nests the items of built-in styles, of which each has a list of its own', async () => {
    const style = (id: string, name: string, of: number) =>
      `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/><w:pPr><w:numPr><w:numId w:val="${of}"/></w:numPr></w:pPr></w:style>`
    const styles = style('b', 'List Bullet', 1) + style('b2', 'List Bullet 2', 2) + style('n2', 'List Number 2', 3)
    const numbering =
      list(1, levelOf(0, 'bullet')) + list(2, levelOf(0, 'bullet')) + list(3, levelOf(0, 'decimal', { text: '%1.' }))
    const body =
      p('one', 'b') + p('in', 'b2') + p('two', 'b') + p('first', 'n2') + p('Text.') + p('a', 'b2') + p('b', 'b2')
    expect((await docx(body, { styles, numbering })).text).toBe('- one\n  - in\n- two\n  1. first\n\nText.\n\n- a\n- b')
  })

  test('keeps emphasis, links, breaks and scripts', async () => {
    const links = '<Relationship Id="r1" Type="http://x/hyperlink" Target="https://example.org/a"/>'
    const body = `<w:p>${words('so ')}${words('bold', '<w:b/>')}${words(', ')}${words('slanted', '<w:i/>')}${words(' and not', '<w:b w:val="0"/>')}${run('<w:br/>')}${words('x')}${words('2', '<w:vertAlign w:val="superscript"/>')} <w:hyperlink r:id="r1">${words('there')}</w:hyperlink></w:p>`
    expect((await docx(body, { links })).text).toBe(
      'so **bold**, *slanted* and not  \nx<sup>2</sup>[there](https://example.org/a)',
    )
  })

  test('leaves out deleted text, field codes, and its own table of contents', async () => {
    const row = (properties: string, value: string) =>
      `<w:tr><w:trPr>${properties}</w:trPr><w:tc>${p(value)}</w:tc><w:tc>${p(value)}</w:tc></w:tr>`
    const table = `<w:tbl>${row('', 'a')}${row('<w:ins/>', 'b')}${row('<w:del/>', '')}</w:tbl>`
    const body = `${table}${p('Chapter 1 ... 7', 'TOC1')}<w:p>${words('kept ')}<w:ins>${words('new')}</w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>${run('<w:instrText>PAGEREF x</w:instrText>')}</w:p>`
    expect((await docx(body)).text).toBe('|  |  |\n| --- | --- |\n| a | a |\n| b | b |\n\nkept new')
  })

  test('leaves out hidden text, by runs and by styles', async () => {
    const hidden = '<w:rPr><w:vanish/></w:rPr>'
    const styles =
      `<w:style w:type="paragraph" w:styleId="Form"><w:name w:val="HTML Top of Form"/>${hidden}</w:style>` +
      `<w:style w:type="character" w:styleId="Answer"><w:name w:val="Answer"/>${hidden}</w:style>`
    const linked = (instruction: string) => run(`<w:instrText>${instruction}</w:instrText>`, '<w:vanish/>')
    const field = (type: string, properties = '') => run(`<w:fldChar w:fldCharType="${type}"/>`, properties)
    const body =
      p('Top of Form', 'Form') +
      `<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>${words('One')}${words(' two', '<w:vanish/>')}${words(' three', '<w:rStyle w:val="Answer"/>')}${words(' four', '<w:rStyle w:val="Answer"/><w:vanish w:val="0"/>')}</w:p>` +
      `<w:p>${words('See ')}${field('begin', '<w:vanish/>')}${linked('HYPERLINK "https://example.org"')}${field('separate')}${words('there')}${field('end', '<w:vanish/>')}<w:ins>${words(' gone', '<w:vanish/>')}</w:ins></w:p>`
    expect((await docx(body, { styles })).text).toBe('One four\n\nSee [there](https://example.org)')
  })

  test('keeps every text box and picture of a group', async () => {
    const box = (value: string) => `<wps:wsp><wps:txbx><w:txbxContent>${p(value)}</w:txbxContent></wps:txbx></wps:wsp>`
    const old = (value: string) =>
      `<v:shape><v:textbox><w:txbxContent>${p(value)}</w:txbxContent></v:textbox></v:shape>`
    const picture = '<pic:pic><pic:blipFill><a:blip r:embed="r1"/></pic:blipFill></pic:pic>'
    const group = `<mc:AlternateContent><mc:Choice><w:drawing><wp:inline><wp:docPr/><a:graphic><a:graphicData><wpg:wgp>${box('one')}${picture}${box('two')}</wpg:wgp></a:graphicData></a:graphic></wp:inline></w:drawing></mc:Choice><mc:Fallback><w:pict><v:group>${old('one')}${old('two')}</v:group></w:pict></mc:Fallback></mc:AlternateContent>`
    const body = `<w:p>${run(group)}</w:p><w:p>${run(`<w:pict><v:group>${old('three')}${old('four')}</v:group></w:pict>`)}</w:p>`
    const links = '<Relationship Id="r1" Type="http://x/image" Target="media/1.jpg"/>'
    const { text, figures } = await docx(body, { links, files: { 'word/media/1.jpg': photograph(1) } })
    expect(text).toBe(`one\n\ntwo\n\n![](figure:${figures[0]?.id})\n\nthree\n\nfour`)
  })

  test('is found by its relationships if its parts have other names', async () => {
    const part = (type: string, target: string) =>
      `<Relationship Id="${type}" Type="http://x/${type}" Target="${target}"/>`
    const related = (all: string) => `<Relationships>${all}</Relationships>`
    const named = (name: string, content: string) => `<w:${name} ${wordNames}>${content}</w:${name}>`
    const heading = '<w:style w:type="paragraph" w:styleId="a1"><w:name w:val="heading 1"/></w:style>'
    const note = `<w:footnote w:id="2">${p('Below.')}</w:footnote>`
    const file = await zipOf({
      '[Content_Types].xml': '<Types/>',
      '_rels/.rels': related(part('officeDocument', '/word/document2.xml')),
      'word/document2.xml': named(
        'document',
        `<w:body>${p('Tides', 'a1')}<w:p>${words('Text')}${run('<w:footnoteReference w:id="2"/>')}</w:p></w:body>`,
      ),
      'word/_rels/document2.xml.rels': related(part('styles', 'styles2.xml') + part('footnotes', '/word/notes.xml')),
      'word/styles2.xml': named('styles', heading),
      'word/notes.xml': named('footnotes', note),
    })
    expect(await readDocument(file, 'odt')).toMatchObject({
      format: 'docx',
      text: '# Tides\n\nText[^1]\n\n[^1]: Below.',
    })
  })

  test('has lists with their kinds, levels and numbers, which continue after other text', async () => {
    const numbering = list(5, levelOf(0, 'decimal') + levelOf(1, 'bullet'))
    const { text: content } = await docx(
      item('one') + item('deep', { at: 1 }) + item('two') + p('between') + item('three'),
      {
        numbering,
      },
    )
    expect(content).toBe('1. one\n   - deep\n2. two\n\nbetween\n\n3. three')
  })

  test('has tables with heads and spans', async () => {
    const cell = (value: string, properties = '') => `<w:tc><w:tcPr>${properties}</w:tcPr>${p(value)}</w:tc>`
    const body = `<w:tbl><w:tr><w:trPr><w:tblHeader/></w:trPr>${cell('A')}${cell('B')}${cell('C')}</w:tr><w:tr>${cell('1', '<w:vMerge w:val="restart"/>')}${cell('wide', '<w:gridSpan w:val="2"/>')}</w:tr><w:tr>${cell('', '<w:vMerge/>')}${cell('x|y')}${cell('z')}</w:tr></w:tbl>`
    expect((await docx(body)).text).toBe('| A | B | C |\n| --- | --- | --- |\n| 1 | wide |  |\n|  | x\\|y | z |')
  })

  test('has its notes at their references, and alternative text of pictures', async () => {
    const footnotes = `<w:footnote w:type="separator" w:id="-1">${p('---')}</w:footnote><w:footnote w:id="2">${p('See the chart.')}</w:footnote>`
    const picture =
      '<w:drawing><wp:inline><wp:docPr id="1" name="Picture 1" descr="A harbour at night"/></wp:inline></w:drawing>'
    const body = `<w:p>${words('Boats')}${run('<w:footnoteReference w:id="2"/>')}${words('.')}</w:p><w:p>${run(picture)}</w:p>`
    expect((await docx(body, { footnotes })).text).toBe(
      'Boats[^1].\n\n[^1]: See the chart.\n\n[Image: A harbour at night]',
    )
  })

  test('has code in one block, quotations, and text boxes once', async () => {
    const box = `<mc:AlternateContent><mc:Choice><w:drawing><wp:anchor><wp:docPr id="1"/><w:txbxContent>${p('boxed')}</w:txbxContent></wp:anchor></w:drawing></mc:Choice><mc:Fallback><w:pict><w:txbxContent>${p('boxed')}</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent>`
    const body = p('a = 1', 'SourceCode') + p('  b = 2', 'SourceCode') + p('said', 'Quote') + `<w:p>${run(box)}</w:p>`
    expect((await docx(body)).text).toBe('```\na = 1\n  b = 2\n```\n\n> said\n\nboxed')
  })

  test('keeps words apart at a page break and at an aligned tab', async () => {
    const body = `<w:p>${run('<w:t>one</w:t><w:br w:type="page"/><w:t>two</w:t><w:ptab/><w:t>three</w:t>')}</w:p>`
    expect((await docx(body)).text).toBe('one two three')
  })

  test('has the texts of its diagrams', async () => {
    const drawing =
      '<w:drawing><wp:inline><wp:docPr id="1"/><a:graphic><a:graphicData><dgm:relIds r:dm="d1"/></a:graphicData></a:graphic></wp:inline></w:drawing>'
    const point = (text: string) =>
      `<dgm:pt><dgm:t><a:p><a:r><a:t>${text}</a:t></a:r><a:r><a:t>s</a:t></a:r></a:p></dgm:t></dgm:pt>`
    const { text } = await docx(`${p('Before')}<w:p>${run(drawing)}</w:p>${p('After')}`, {
      links: '<Relationship Id="d1" Type="http://x/diagramData" Target="diagrams/data1.xml"/>',
      files: {
        'word/diagrams/data1.xml': `<dgm:dataModel><dgm:ptLst><dgm:pt type="doc"/>${point('Tide')}${point('Wave')}</dgm:ptLst></dgm:dataModel>`,
      },
    })
    expect(text).toBe('Before\n\nTides\n\nWaves\n\nAfter')
  })

  test('that only wraps a page in HTML has the text of the page', async () => {
    const links = '<Relationship Id="a1" Type="http://x/aFChunk" Target="/word/page.html"/>'
    const files = { 'word/page.html': '<html><body><h1>Tides</h1><p>The <b>water</b> rises.</p></body></html>' }
    const { text, format } = await docx('<w:altChunk r:id="a1"/>', { links, files })
    expect(text).toBe('# Tides\n\nThe **water** rises.')
    expect(format).toBe('docx')
    expect((await docx(`${p('Own text')}<w:altChunk r:id="a1"/>`, { links, files })).text).toBe('Own text')
  })

  test('has its formulas in LaTeX', async () => {
    const r = (value: string) => `<m:r><m:t>${value}</m:t></m:r>`
    const fraction = `<m:f><m:num>${r('a+1')}</m:num><m:den>${r('2')}</m:den></m:f>`
    const sum = `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${r('i=1')}</m:sub><m:sup>${r('n')}</m:sup><m:e><m:sSup><m:e>${r('x')}</m:e><m:sup>${r('2')}</m:sup></m:sSup></m:e></m:nary>`
    const matrix = `<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e><m:m><m:mr><m:e>${r('a')}</m:e><m:e>${r('b')}</m:e></m:mr></m:m></m:e></m:d>`
    const body = `<w:p>${words('so ')}<m:oMath>${fraction}</m:oMath></w:p><w:p><m:oMathPara><m:oMath>${sum}</m:oMath></m:oMathPara></w:p><w:p><m:oMath>${matrix}</m:oMath></w:p>`
    const { text: content, hasFormulas } = await docx(body)
    expect(content).toBe(
      'so $\\frac{a + 1}{2}$\n\n$$\n\\sum_{i = 1}^n x^2\n$$\n\n$\\begin{bmatrix} a & b \\end{bmatrix}$',
    )
    expect(hasFormulas).toBe(true)
  })

  test('has its title, author and language', async () => {
    const core = '<dc:title>Tides</dc:title><dc:creator>Ada Marsh</dc:creator><dc:language>en-GB</dc:language>'
    expect((await docx(p('x'), { core })).info).toMatchObject({
      title: 'Tides',
      author: 'Ada Marsh',
      language: 'en-GB',
    })
  })

  test('a heading after a list is not part of it', async () => {
    const numbering = list(5, levelOf(0, 'bullet') + levelOf(1, 'bullet'))
    const body = item('one') + item('deep', { at: 1 }) + p('Next', 'Heading1') + p('Text.') + p('More.')
    const { text, toc } = await docx(body, { numbering })
    expect(text).toBe('- one\n  - deep\n\n# Next\n\nText.\n\nMore.')
    expect(toc).toEqual([{ title: 'Next', level: 1, page: 1 }])
  })

  test.for([
    ['with a blank bullet', item('more', { of: 6 })],
    ['of the style List Paragraph', p('more', 'ListParagraph')],
    ['of the style List Continue 2', p('more', 'Continue')],
  ])('continues the item with a paragraph %s', async ([, more]) => {
    const numbering = list(5, levelOf(0, 'bullet')) + list(6, levelOf(0, 'bullet', { text: ' ' }))
    const styles =
      '<w:style w:styleId="ListParagraph"><w:name w:val="List Paragraph"/></w:style><w:style w:styleId="Continue"><w:name w:val="List Continue 2"/></w:style>'
    const { text } = await docx(item('one') + more + item('two') + p('End.'), { numbering, styles })
    expect(text).toBe('- one\n\n  more\n- two\n\nEnd.')
  })

  test('a paragraph in a list style without a list is a paragraph', async () => {
    const styles = '<w:style w:styleId="ListParagraph"><w:name w:val="List Paragraph"/></w:style>'
    expect((await docx(p('alone', 'ListParagraph'), { styles })).text).toBe('alone')
  })

  test('with check boxes as bullets has tasks', async () => {
    const numbering =
      list(5, levelOf(0, 'bullet', { text: '\u2612' })) + list(6, levelOf(0, 'bullet', { text: '\u2610' }))
    const task = (id: number, text: string) =>
      `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="${id}"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`
    const { text } = await docx(task(5, 'Measure') + task(6, 'Publish'), { numbering })
    expect(text.replace(/\n+/g, '\n')).toBe('- [x] Measure\n- [ ] Publish')
  })

  test('has lists that begin with another number', async () => {
    const numbering = list(5, levelOf(0, 'decimal', { more: '<w:start w:val="4"/>' }))
    expect((await docx(item('four') + item('five'), { numbering })).text).toBe('4. four\n5. five')
  })

  test('has the heading numbers that Word displays', async () => {
    const levels =
      levelOf(0, 'upperRoman', { text: 'Part %1', more: '<w:pStyle w:val="Heading1"/>' }) +
      levelOf(1, 'decimal', { text: '%2.', more: '<w:pStyle w:val="Heading2"/>' }) +
      levelOf(2, 'lowerLetter', { text: '%2.%3' })
    const styles = [1, 2].map(
      (at) =>
        `<w:style w:type="paragraph" w:styleId="Heading${at}"><w:name w:val="heading ${at}"/><w:pPr><w:numPr><w:numId w:val="5"/></w:numPr></w:pPr></w:style>`,
    )
    const third = `<w:p><w:pPr><w:pStyle w:val="Heading3"/><w:numPr><w:ilvl w:val="2"/><w:numId w:val="5"/></w:numPr></w:pPr>${words('Deep')}</w:p>`
    const plain = `<w:p><w:pPr><w:pStyle w:val="Heading1"/><w:numPr><w:numId w:val="0"/></w:numPr></w:pPr>${words('Index')}</w:p>`
    const body =
      p('Sea', 'Heading1') + p('Tides', 'Heading2') + p('Boats', 'Heading2') + third + third + p('Land', 'Heading1')
    const { toc } = await docx(body + p('Hills', 'Heading2') + plain, {
      numbering: list(5, levels),
      styles: styles.join(''),
    })
    expect(toc.map(({ title }) => title)).toEqual([
      'Part I Sea',
      '1. Tides',
      '2. Boats',
      '2.a Deep',
      '2.b Deep',
      'Part II Land',
      '1. Hills',
      'Index',
    ])
  })

  test('has its footnotes and endnotes on the pages of their references', async () => {
    const footnotes = [4, 7].map((id) => `<w:footnote w:id="${id}">${p(`Note ${id}.`)}</w:footnote>`).join('')
    const mark = (kind: string, id: number) => run(`<w:${kind}Reference w:id="${id}"/>`)
    const files = {
      'word/endnotes.xml': `<w:endnotes><w:endnote w:id="9">${p('At the end.')}</w:endnote></w:endnotes>`,
    }
    const body =
      `<w:p>${words('One')}${mark('endnote', 9)}${mark('footnote', 7)}</w:p>` +
      p(prose.repeat(80)) +
      `<w:p>${words('Two')}${mark('footnote', 4)}</w:p>`
    const { pages } = await docx(body, { footnotes, files })
    expect(pages.length).toBeGreaterThan(1)
    expect(pages[0]?.content).toMatch(/^One\[\^1\]\[\^1-2\]\n\n\[\^1-2\]: Note 7\./)
    expect(pages[0]?.content).toMatch(/\n\n\[\^1\]: At the end\.$/)
    expect(pages.at(-1)?.content).toMatch(/Two\[\^2\]\n\n\[\^2\]: Note 4\.$/)
  })

  test('has the comments of reviewers as notes that are marked as such', async () => {
    const comment = (id: number, author: string, text: string) =>
      `<w:comment w:id="${id}" w:author="${author}" w:initials="A"><w:p>${run('<w:annotationRef/>')}${words(text)}</w:p></w:comment>`
    const files = {
      'word/comments.xml': `<w:comments>${comment(0, 'Anna Lind', 'Is it so?')}${comment(5, '', 'Yes.')}${comment(6, 'Bo', 'Nowhere.')}</w:comments>`,
    }
    const mark = (id: number) => run(`<w:commentReference w:id="${id}"/>`)
    const range = '<w:commentRangeStart w:id="0"/>'
    const body = `<w:p>${words('The ')}${range}${words('tide')}<w:commentRangeEnd w:id="0"/>${mark(0)}${words(' turns')}${mark(5)}${mark(9)}${words('.')}</w:p>${p('End.')}`
    expect((await docx(body, { files })).text).toBe(
      'The tide[^comment1] turns[^comment2].\n\n[^comment1]: Anna Lind:\n\n    Is it so?\n\n[^comment2]: Yes.\n\nEnd.',
    )
  })

  test('has the letters and Roman numbers of its lists', async () => {
    const level = (at: number, format: string, text: string) =>
      `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`
    const files = {
      'word/numbering.xml': `<w:numbering><w:abstractNum w:abstractNumId="0">${level(0, 'lowerLetter', '(%1)')}${level(1, 'lowerRoman', '%2.')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`,
    }
    const inList = (text: string, at = 0) =>
      `<w:p><w:pPr><w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="1"/></w:numPr></w:pPr>${words(text)}</w:p>`
    const body = inList('Ebb') + inList('Flood') + inList('spring', 1) + inList('neap', 1) + inList('Slack')
    expect((await docx(body, { files })).text).toBe('- (a) Ebb\n- (b) Flood\n  - i. spring\n  - ii. neap\n- (c) Slack')
  })

  test('has a note with two references once', async () => {
    const mark = run('<w:footnoteReference w:id="4"/>')
    const body = `<w:p>${words('One')}${mark}</w:p><w:p>${words('Two')}${mark}</w:p>`
    const { text } = await docx(body, { footnotes: `<w:footnote w:id="4">${p('Both.')}</w:footnote>` })
    expect(text).toBe('One[^1]\n\n[^1]: Both.\n\nTwo[^1]')
  })

  test('has the emphasis of styles; toggled twice, it is off', async () => {
    const styles =
      '<w:style w:styleId="Strong"><w:rPr><w:b/></w:rPr></w:style><w:style w:styleId="Emphasis"><w:rPr><w:i/></w:rPr></w:style><w:style w:styleId="Aside"><w:rPr><w:i/></w:rPr></w:style>'
    const styled = (value: string, style: string) => words(value, `<w:rStyle w:val="${style}"/>`)
    const body =
      `<w:p>${words('so ')}${styled('bold', 'Strong')}${words(' and ')}${styled('slanted', 'Emphasis')}</w:p>` +
      `<w:p><w:pPr><w:pStyle w:val="Aside"/></w:pPr>${words('all but ')}${styled('this', 'Emphasis')}</w:p>`
    expect((await docx(body, { styles })).text).toBe('so **bold** and *slanted*\n\n*all but* this')
  })

  test('has code where the font is a typewriter font', async () => {
    const code = '<w:rFonts w:ascii="Courier New" w:hAnsi="Courier New"/>'
    const body = `<w:p>${words('Call ')}${words('open()', code)}${words('.')}</w:p><w:p>${words('x = 1', code)}</w:p><w:p>${words('  y = 2', code)}</w:p>`
    expect((await docx(body)).text).toBe('Call `open()`.\n\n```\nx = 1\n  y = 2\n```')
  })

  test('has code in styles with such a font, except in headings', async () => {
    const font = '<w:rPr><w:rFonts w:ascii="Consolas"/></w:rPr>'
    const styles = `<w:style w:styleId="Terminal"><w:name w:val="Terminal"/>${font}</w:style><w:style w:styleId="Top"><w:name w:val="Top"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr>${font}</w:style>`
    const body = p('Manual', 'Top') + p('Type') + p('$ ls', 'Terminal') + p('$ cd', 'Terminal') + p('now.') + p('End.')
    expect((await docx(body, { styles })).text).toBe('# Manual\n\nType\n\n```\n$ ls\n$ cd\n```\n\nnow.\n\nEnd.')
  })

  test.for([
    ['its runs', '', `<w:rFonts w:ascii="Courier New"/>`],
    [
      'its style',
      '<w:style w:styleId="Body"><w:name w:val="Body"/><w:rPr><w:rFonts w:ascii="Courier"/></w:rPr></w:style>',
      '',
    ],
  ])('a typescript by %s is not code', async ([, styles, properties]) => {
    const paragraph = (said: string) => `<w:p><w:pPr><w:pStyle w:val="Body"/></w:pPr>${words(said, properties)}</w:p>`
    const said = ['It was night.', 'A boat came in.', 'Nobody saw it.', 'It had no lights.', 'It went out again.']
    const { text } = await docx(said.map(paragraph).join('') + p('The end.'), { styles })
    expect(text).toBe([...said, 'The end.'].join('\n\n'))
  })

  test('converts characters of symbol fonts', async () => {
    const sign = (font: string, code: string) => run(`<w:sym w:font="${font}" w:char="${code}"/>`)
    const font = '<w:rFonts w:ascii="Symbol" w:hAnsi="Symbol"/>'
    const body = `<w:p>${sign('Symbol', 'F061')}${words(' ')}${sign('Symbol', 'B3')}${words(' ')}${words('\uf044', font)}${words(' ')}${sign('Wingdings', 'F0E0')}</w:p>`
    expect((await docx(body)).text).toBe('α ≥ Δ →')
  })

  test('has the first row as header if the table style emphasizes it', async () => {
    const row = (...cells: string[]) => `<w:tr>${cells.map((cell) => `<w:tc>${p(cell)}</w:tc>`).join('')}</w:tr>`
    const table = (look: string, rows: string) => `<w:tbl><w:tblPr>${look}</w:tblPr>${rows}</w:tbl>`
    const [on, hexadecimal] = ['<w:tblLook w:firstRow="1"/>', '<w:tblLook w:val="04A0"/>']
    const two = row('A', 'B') + row('1', '2')
    for (const look of [on, hexadecimal])
      expect((await docx(table(look, two))).text).toBe('| A | B |\n| --- | --- |\n| 1 | 2 |')
    expect((await docx(table(on, row('A', '') + row('1', '2')))).text).toContain('|  |  |')
    expect((await docx(table('<w:tblLook w:firstRow="0"/>', two))).text).toContain('|  |  |')
  })

  test('has a horizontal rule', async () => {
    const rule = run('<w:pict><v:rect o:hr="t" o:hrstd="t"/></w:pict>')
    expect((await docx(`${p('a')}<w:p>${rule}</w:p>${p('b')}`)).text).toBe('a\n\n---\n\nb')
  })

  test('has its pictures as figures, of both kinds of drawings', async () => {
    const image = (id: string, target: string, more = '') =>
      `<Relationship Id="${id}" Type="http://x/image" Target="${target}" ${more}/>`
    const links =
      image('r1', 'media/a.jpg') +
      image('r2', '/word/media/b.png') +
      image('r3', 'http://pictures.example/x.png', 'TargetMode="External"') +
      image('r4', '../../etc/passwd')
    const drawing = (id: string, text: string) =>
      `<w:p>${run(`<w:drawing><wp:inline><wp:docPr id="1" descr="${text}"/><a:graphic><pic:pic><a:blip r:embed="${id}"/></pic:pic></a:graphic></wp:inline></w:drawing>`)}</w:p>`
    const old = `<w:p>${run('<w:pict><v:shape alt="B"><v:imagedata r:id="r2"/></v:shape></w:pict>')}</w:p>`
    const body = drawing('r1', 'A harbour') + old + drawing('r3', 'Elsewhere') + drawing('r4', 'Nowhere')
    const files = { 'word/media/a.jpg': photograph(1), 'word/media/b.png': transparentPng() }
    const { text, figures, pages } = await docx(body, { links, files })
    expect(figures).toHaveLength(2)
    const [a, b] = figures.map(({ id }) => id)
    expect(text).toBe(`![A harbour](figure:${a})\n\n![B](figure:${b})\n\n[Image: Elsewhere]\n\n[Image: Nowhere]`)
    expect(pages[0]?.picture).toBe(false)
  })
})
