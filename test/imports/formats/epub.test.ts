import { describe, expect, test } from 'vitest'
import { openEpub } from '../../../src/imports/formats/epub/open-epub.ts'
import { defaultLimits } from '../../../src/imports/formats/format.ts'
import { buildEpub, container } from '../../support/epub.ts'
import type { EpubParts } from '../../support/epub.ts'
import { readParts } from '../../support/read-epub.ts'

async function contents(parts: EpubParts): Promise<string[]> {
  return (await readParts(parts)).pages.map(({ content }) => content)
}

function point(title: string, src: string, inner = ''): string {
  return `<navPoint><navLabel><text>${title}</text></navLabel><content src="${src}"/>${inner}</navPoint>`
}

describe('the metadata of an EPUB', () => {
  test('EPUB 3: the main title, authors by role, ISBN, description without markup', async () => {
    const book = await openEpub(
      await buildEpub({
        metadata: `<dc:title id="s">A subtitle</dc:title><meta refines="#s" property="title-type">subtitle</meta>
          <dc:title id="t">The <i>main</i> title &amp; more</dc:title><meta refines="#t" property="title-type">main</meta>
          <dc:creator id="a">Ann Author</dc:creator><meta refines="#a" property="role" scheme="marc:relators">aut</meta>
          <dc:creator>Bo Second</dc:creator>
          <dc:creator id="i">Ill Ustrator</dc:creator><meta refines="#i" property="role">ill</meta>
          <dc:language>pt-BR</dc:language><dc:language>en</dc:language><dc:publisher> The
          Press </dc:publisher><dc:identifier>urn:uuid:1-2-3</dc:identifier>
          <dc:identifier>urn:isbn:978-0-306-40615-7</dc:identifier>
          <dc:description>&lt;p&gt;One &amp;amp; only.&lt;/p&gt;&lt;p&gt;Two&lt;/p&gt;</dc:description>`,
      }),
      defaultLimits,
    )
    expect(book.info).toEqual({
      title: 'The main title & more',
      author: 'Ann Author, Bo Second',
      language: 'pt-BR',
      publisher: 'The Press',
      isbn: '9780306406157',
      description: 'One & only.\nTwo',
    })
  })

  test('EPUB 2: roles and schemes as attributes, numeric entities', async () => {
    const { info } = await readParts({
      metadata: `<dc:title>L&#8217;&#xE9;t&#233;</dc:title><dc:creator opf:role="edt">Ed Itor</dc:creator>
        <dc:creator opf:role="aut">Ann</dc:creator><dc:identifier opf:scheme="ISBN">0-306-40615-2</dc:identifier>`,
    })
    expect(info).toMatchObject({ title: 'L’été', author: 'Ann', isbn: '0306406152', language: null, description: null })
  })

  test.for([
    ['blank fields', '<dc:title> </dc:title><dc:creator/><dc:language></dc:language>'],
    ['no fields', ' '],
    ['a number that is not an ISBN', '<dc:identifier>9780306406158</dc:identifier>'],
  ] as const)('%s are null', async ([, metadata]) => {
    const { info } = await readParts({ metadata })
    expect(Object.values(info)).toEqual([null, null, null, null, null, null])
  })
})

describe('the reading order of an EPUB', () => {
  const chapters = { 'a.xhtml': '<p>a</p>', 'b.xhtml': '<p>b</p>', 'c.xhtml': '<p>c</p>' }

  test('each file starts a page, in the order of the spine', async () => {
    const spine = '<itemref idref="c2"/><itemref idref="c0"/><itemref idref="c1" linear="no"/>'
    expect(await contents({ chapters, spine })).toEqual(['c', 'a', 'b'])
  })

  test('a file counts once, even if the spine repeats it', async () => {
    const manifest = '<item id="again" href="a.xhtml#part" media-type="application/xhtml+xml"/>'
    const spine = '<itemref idref="c0"/><itemref idref="c1"/><itemref idref="again"/><itemref idref="c0"/>'
    expect(await contents({ chapters, manifest, spine })).toEqual(['a', 'b'])
  })

  test.for([
    ['escaped', 'na%C3%AFve%20file.xhtml', 'OEBPS/naïve file.xhtml'],
    ['with the wrong case', 'Text/ONE.xhtml', 'OEBPS/text/one.xhtml'],
    ['in the wrong folder', 'nowhere/deep/one.xhtml', 'OEBPS/text/one.xhtml'],
    ['that leaves the archive', '../../../../OEBPS/x/one.xhtml', 'OEBPS/x/one.xhtml'],
    ['from the root', '/OEBPS/x/one.xhtml', 'OEBPS/x/one.xhtml'],
    ['decomposed in the archive', 'caf\u00E9.xhtml', 'OEBPS/cafe\u0301.xhtml'],
  ] as const)('finds a file named %s', async ([, href, path]) => {
    const manifest = `<item id="x" href="${href}" media-type="application/xhtml+xml"/>`
    const files = { [path]: '<html><body>found</body></html>' }
    expect(await contents({ chapters: {}, manifest, spine: '<itemref idref="x"/>', files })).toEqual(['found'])
  })

  test('a file is text by its media type, also with parameters', async () => {
    const manifest = '<item id="a" href="a" media-type="application/xhtml+xml; charset=utf-8"/>'
    const files = { 'OEBPS/a': '<html><body><p>Text.</p></body></html>' }
    const { pages } = await readParts({ chapters: {}, manifest, spine: '<itemref idref="a"/>', files })
    expect(pages.map(({ content }) => content)).toEqual(['Text.'])
  })

  test('a navigation document is omitted unless it has text', async () => {
    const spine = '<itemref idref="nav"/><itemref idref="c0"/>'
    const list = '<nav epub:type="toc"><h1>Contents</h1><ol><li><a href="a.xhtml">First</a></li></ol></nav>'
    expect(await contents({ chapters, spine, nav: `<h1>Contents</h1>${list}` })).toEqual(['a'])
    expect(await contents({ chapters, spine, nav: `${list}<p>How to read this book.</p>` })).toEqual([
      'How to read this book.',
      'a',
    ])
  })

  test('an image alone is a page without text; an empty file has no page', async () => {
    const manifest =
      '<item id="p" href="p.png" media-type="image/png"/><item id="f" href="f.pdf" media-type="application/pdf" fallback="c1"/>'
    const parts = {
      chapters: { 'a.xhtml': '<img src="p.png" alt=""/>', 'b.xhtml': '<p>b</p>', 'c.xhtml': '<p>&nbsp;</p>' },
      manifest,
      spine: '<itemref idref="c0"/><itemref idref="c2"/><itemref idref="p"/><itemref idref="f"/>',
      files: { 'OEBPS/p.png': 'png', 'OEBPS/f.pdf': 'pdf' },
    }
    const { pages } = await readParts(parts)
    expect(pages.map(({ content, picture }) => [content, picture])).toEqual([
      ['', true],
      ['', true],
      ['b', false],
    ])
  })

  test('the only package document is used if the container names a missing one', async () => {
    expect(await contents({ files: { 'META-INF/container.xml': container('wrong.opf') } })).toEqual(['Text.'])
    expect(await contents({ files: { 'META-INF/container.xml': null } })).toEqual(['Text.'])
  })
})

describe('the table of contents of an EPUB', () => {
  const long = Array.from({ length: 40 }, (_, i) => `<p id="p${i}">Paragraph ${i} ${'word '.repeat(60)}</p>`).join('')
  const chapters = { 'a.xhtml': `<h1>A</h1>${long}`, 'b.xhtml': '<h1 id="b">B</h1><p>b</p>' }

  test('EPUB 3: entries have the page of their element', async () => {
    const nav = `<nav epub:type="landmarks"><ol><li><a href="b.xhtml">Start</a></li></ol></nav>
      <nav epub:type="toc"><ol><li><span>Part <b>one</b></span><ol><li><a href="a.xhtml">A</a><ol>
      <li><a href="a.xhtml#p35">Late</a></li></ol></li></ol></li><li><a href="b.xhtml#b">B&amp;C</a></li>
      <li><a href="gone.xhtml">Gone</a></li><li><a href="https://e.org">Web</a></li></ol></nav>`
    const { pages, toc } = await readParts({ chapters, nav })
    const late = pages.findIndex(({ content }) => content.includes('Paragraph 35 ')) + 1
    expect(late).toBeGreaterThan(2)
    expect(toc).toEqual([
      { title: 'Part one', page: 1, level: 1 },
      { title: 'A', page: 1, level: 2 },
      { title: 'Late', page: late, level: 3 },
      { title: 'B&C', page: pages.length, level: 1 },
    ])
  })

  test('every element of a long file is found on its page', async () => {
    const items = Array.from({ length: 40 }, (_, i) => `<li><a href="a.xhtml#p${i}">Paragraph ${i} word</a></li>`)
    const { pages, toc } = await readParts({ chapters, nav: `<nav epub:type="toc"><ol>${items.join('')}</ol></nav>` })
    expect(toc).toHaveLength(40)
    for (const { title, page } of toc) expect(pages[page - 1]?.content).toContain(title)
  })

  test('every row of a long table is found on its page', async () => {
    const rows = Array.from(
      { length: 40 },
      (_, i) => `<tr><td id="r${i}">Row ${i} word</td><td>${'word '.repeat(60)}</td></tr>`,
    )
    const items = rows.map((_, i) => `<li><a href="a.xhtml#r${i}">Row ${i} word</a></li>`)
    const { pages, toc } = await readParts({
      chapters: { 'a.xhtml': `<table>${rows.join('')}</table>` },
      nav: `<nav epub:type="toc"><ol>${items.join('')}</ol></nav>`,
    })
    expect(toc).toHaveLength(40)
    for (const { title, page } of toc) expect(pages[page - 1]?.content).toContain(title)
  })

  test('EPUB 2: nested points of the NCX, markup in a title kept in order', async () => {
    const ncx = `<navMap>${point('The <i>first</i> part', 'a.xhtml', point('B', 'folder/b.xhtml#b'))}${point('', 'b.xhtml')}</navMap>`
    const { pages, toc } = await readParts({ chapters, ncx })
    expect(toc).toEqual([
      { title: 'The first part', page: 1, level: 1 },
      { title: 'B', page: pages.length, level: 2 },
    ])
  })

  test('EPUB 2: an NCX with a namespace prefix, entities of HTML, and further labels and targets that do not count', async () => {
    const label = (text: string) => `<ncx:navLabel><ncx:text>${text}</ncx:text></ncx:navLabel>`
    const ncx = `<ncx:navMap><ncx:navPoint>${label('Caf&eacute; &amp;amp; <![CDATA[<bar>]]>')}${label('No')}<ncx:content src="a.xhtml#p20"/><ncx:content src="b.xhtml"/></ncx:navPoint></ncx:navMap>`
    const { pages, toc } = await readParts({ chapters, ncx })
    const page = pages.findIndex(({ content }) => content.includes('Paragraph 20 ')) + 1
    expect(toc).toEqual([{ title: 'Café &amp; <bar>', page, level: 1 }])
  })

  test('a damaged NCX gives the entries before the damage', async () => {
    const { toc } = await readParts({ chapters, ncx: `<navMap>${point('A', 'a.xhtml')}<navPoint <<` })
    expect(toc).toEqual([{ title: 'A', page: 1, level: 1 }])
  })

  test.for([
    [
      'the navigation document is nested too deeply',
      { nav: `<nav epub:type="toc"><ol><li><a href="a.xhtml">A</a>${'<b>'.repeat(200_000)}` },
    ],
    ['the NCX is nested too deeply', { ncx: `<navMap>${'<navPoint>'.repeat(200_000)}` }],
    ['the NCX is damaged', { ncx: '<navMap><navPoint <<' }],
  ] as const)('the headings are the table of contents if %s', async ([, parts]) => {
    const { toc, pages } = await readParts({ chapters, ...parts })
    expect(toc.map(({ title }) => title)).toEqual(['A', 'B'])
    for (const { title, page } of toc) expect(pages[page - 1]?.content).toContain(`# ${title}`)
  })

  test.for([
    [
      'the navigation document',
      {
        nav: '<nav epub:type="page-list"><ol><li><a href="a.xhtml">iv</a></li><li><a href="a.xhtml#p20">v</a></li><li><a href="b.xhtml#b">vi</a></li></ol></nav>',
      },
    ],
    [
      'the NCX',
      {
        ncx: '<pageList><pageTarget><navLabel><text>iv</text></navLabel><content src="a.xhtml"/></pageTarget><pageTarget value="v"><navLabel><text>v</text></navLabel><content src="a.xhtml#p20"/></pageTarget><pageTarget><navLabel><text>vi</text></navLabel><content src="b.xhtml#b"/></pageTarget></pageList>',
      },
    ],
  ] as const)('printed page labels come from %s', async ([, parts]) => {
    const { pages } = await readParts({ chapters, ...parts })
    const turn = pages.findIndex(({ content }) => content.includes('Paragraph 20 '))
    expect(pages.map(({ label }) => label)).toEqual(
      pages.map((_, index) => (index === pages.length - 1 ? 'vi' : index > turn ? 'v' : 'iv')),
    )
  })

  test('printed page labels come from the page map of EPUB 2', async () => {
    const page = (name: string, href: string) => `<page name="${name}" href="${href}"/>`
    const map = `<page-map>${page('iv', 'a.xhtml')}${page('v', 'a.xhtml#p20')}${page('vi', 'b.xhtml#b')}</page-map>`
    const manifest = '<item id="map" href="map.xml" media-type="application/oebps-page-map+xml"/>'
    const { pages } = await readParts({ chapters, manifest, files: { 'OEBPS/map.xml': map } })
    expect([...new Set(pages.map(({ label }) => label))]).toEqual(['iv', 'v', 'vi'])
    const damaged = await readParts({ chapters, manifest, files: { 'OEBPS/map.xml': 'x' } })
    expect(damaged.pages.map(({ label }) => label)).toEqual(pages.map(() => null))
  })

  test('printed page labels come from page breaks in the text, which are not text', async () => {
    const body = `<p>a<span epub:type="pagebreak" id="x" title="12"/>b</p><p>c<a role="doc-pagebreak">13</a></p>`
    const { pages } = await readParts({ chapters: { 'a.xhtml': body, 'b.xhtml': '<p>d</p>' } })
    expect(pages.map(({ content, label }) => [content, label])).toEqual([
      ['ab\n\nc', '12'],
      ['d', '13'],
    ])
  })
})
