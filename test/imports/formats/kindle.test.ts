import { describe, expect, test } from 'vitest'
import { defaultLimits, FormatError, type FormatLimits } from '../../../src/imports/formats/format.ts'
import { openCover } from '../../../src/imports/formats/cover/open-cover.ts'
import { withListings } from '../../../src/imports/formats/kindle/indented-text.ts'
import { openDocumentNamed } from '../../../src/imports/formats/document/open-document.ts'
import { photograph } from '../../support/figures.ts'
import { openPalmDatabase } from '../../../src/imports/formats/kindle/palm-database.ts'
import { buildKindle, kindleLink, palmDatabase, type KindleParts } from '../../support/kindle.ts'
import { readDocument } from '../../support/read-document.ts'

const read = (parts: KindleParts, limits?: FormatLimits) => readDocument(buildKindle(parts), 'mobi', limits)
const page = (body: string) => `<html><head></head><body>${body}</body></html>`

describe('a MOBI', () => {
  test('has its text, headings, emphasis and lists', async () => {
    const html = page('<h1>Tides</h1><p>The <b>moon</b> and the <i>sun</i>.</p><ul><li>ebb</li><li>flood</li></ul>')
    const { text, format } = await read({ html })
    expect(text).toBe('# Tides\n\nThe **moon** and the *sun*.\n\n- ebb\n- flood')
    expect(format).toBe('mobi')
  })

  test('has its metadata', async () => {
    const { info } = await read({
      title: 'Old title',
      extended: [
        [100, 'Anna Lind'],
        [100, 'Bo Ek &amp; Co'],
        [101, 'Sea Press'],
        [103, '<p>About the <b>sea</b>.</p>'],
        [104, '978-0-306-40615-7'],
        [503, 'Tides'],
        [524, 'sv'],
      ],
    })
    expect(info).toEqual({
      title: 'Tides',
      author: 'Anna Lind, Bo Ek & Co',
      publisher: 'Sea Press',
      description: 'About the sea.',
      isbn: '9780306406157',
      language: 'sv',
    })
  })

  test('without metadata has its title and the language of its language code', async () => {
    const { info } = await read({ title: 'Gezeiten' })
    expect(info).toMatchObject({ title: 'Gezeiten', language: 'de', author: null })
  })

  test.for(['none', 'palmdoc', 'huffman'] as const)('is decompressed: %s', async (compression) => {
    const words = Array.from({ length: 2_000 }, (_, at) => `Wort${at % 77} für Wörter`).join(' ')
    const { text } = await read({ compression, html: page(`<p>${words}</p>`), phrases: [' für Wörter ', 'Wort'] })
    expect(text.replaceAll(/\s+/g, '') === words.replaceAll(/\s+/g, '')).toBe(true)
  })

  test('is decompressed with phrases that consist of others', async () => {
    const byte = (letter: string) => [255, 255 - letter.charCodeAt(0)]
    const phrases = ['sea', { codes: [254, ...byte('!'), 254] }, { codes: [253, 253] }]
    const html = Buffer.from('X')
    const book = buildKindle({ compression: 'huffman', phrases, html: html.toString() })
    // Replaces the only text record, two codes for the letter, with the code of the last phrase twice.
    const at = book.indexOf(Buffer.from(byte('X')))
    book.set([252, 252], at)
    expect((await readDocument(book, 'mobi')).text).toBe('sea!sea'.repeat(4))
  })

  test('in Windows-1252 is decoded as such', async () => {
    const { text, info } = await read({ encoding: 'latin1', html: page('<p>Größe, déjà vu</p>'), title: 'x' })
    expect(text).toBe('Größe, déjà vu')
    expect(info.title).toBe('x')
  })

  test('is read without the trailing data of its records', async () => {
    const html = page(`<p>${'word '.repeat(3_000)}</p>`)
    // Two trailing entries whose last byte is their length, and the remaining bytes of a split letter.
    const { text } = await read({
      html,
      trailing: { bytes: [9, 1, 1, 0x82, 7, 0x82], flags: 0b111 },
      compression: 'none',
    })
    expect(text.match(/word/g)).toHaveLength(3_000)
    expect(text).not.toMatch(/[^word\s]/)
  })

  test('starts pages at page breaks, and has its table of contents in order', async () => {
    const html = page('<h1>One</h1><p>a</p><mbp:pagebreak/><h1>Two</h1><p>b</p><h2>Deep</h2><p>c</p>')
    const contents = [
      { title: 'One', at: '<h1>One' },
      { title: 'Two', at: '<h1>Two' },
      { title: 'Deep', at: '<h2>', parent: 1 },
    ]
    const { pages, toc } = await read({ html, contents })
    expect(pages.map(({ content }) => content)).toEqual(['# One\n\na', '# Two\n\nb\n\n## Deep\n\nc'])
    expect(toc).toEqual([
      { title: 'One', page: 1, level: 1 },
      { title: 'Two', page: 2, level: 1 },
      { title: 'Deep', page: 2, level: 2 },
    ])
  })

  test('with large letters as headings and quotations as indents has headings and paragraphs', async () => {
    const block = (inner: string) =>
      `<blockquote height="1em"><blockquote width="0pt">${inner}</blockquote></blockquote>`
    const html = page(
      block('Preface.') +
        block('<font size="5"><b>1.2 Ebb</b></font>') +
        block('A paragraph.') +
        block('<font size="2"><tt> one<br></br>  two</tt></font>'),
    )
    const { text } = await read({
      html,
      contents: [{ title: 'Ebb', at: '<blockquote height="1em"><blockquote width="0pt"><font size="5">' }],
    })
    expect(text).toBe('Preface.\n\n## 1.2 Ebb\n\nA paragraph.\n\n```\none\n  two\n```')
  })

  test('has listings where all of a paragraph is in typewriter letters', async () => {
    const code =
      '<p width="0pt"><tt><b>if</b></tt><tt> ebb:<br></br>&nbsp;&nbsp; </tt><a></a><tt><i>wait</i></tt><tt>()</tt></p>'
    const words = '<p><tt>ls</tt> is a command<br/>of the <tt>shell</tt></p><p><tt>one line</tt></p>'
    expect((await read({ html: page(code + words) })).text).toBe(
      '```\nif ebb:\n   wait()\n```\n\n`ls` is a command  \nof the `shell`\n\n`one line`',
    )
  })

  test('has no contents page that a converter has added at its end', async () => {
    const make = (words: string) => {
      const start = page(
        `<p>a</p><mbp:pagebreak/><p>Contents ${words}</p><p><a filepos=0000000010>The first chapter of the book about tides</a></p>`,
      )
      const head = '<head><guide><reference type="toc" filepos=0000000000 /></guide></head>'
      const html = start.replace('<head></head>', head)
      return html.replace('filepos=0000000000', `filepos=${String(html.indexOf('<p>Contents')).padStart(10, '0')}`)
    }
    const contents = [{ title: 'The first chapter of the book about tides', at: '<p>a' }]
    expect((await read({ html: make(''), contents })).text).toBe('a')
    const long = 'and what else there is to say. '.repeat(3)
    expect((await read({ html: make(long), contents })).text).toContain('what else')
  })

  test('connects note references to notes by byte offsets, and keeps its headings', async () => {
    const place = (at: number) => `filepos=${String(at).padStart(10, '0')}`
    const written = page(
      `<p><font size="7">Ebb</font></p><p>Sea<sup><a ${place(1)}><font size="2">1</font></a></sup>, see <a ${place(1)}>1</a>.</p><mbp:pagebreak/><p><font size="7">Notes</font></p><p>Mine.</p><p><a ${place(2)}>1</a>. The log.</p>`,
    )
    const [mark, note] = [written.indexOf('<sup>'), written.indexOf('<p><a')]
    const html = written.replaceAll(place(1), place(note)).replaceAll(place(2), place(mark))
    const contents = ['Ebb', 'Notes'].map((title) => ({ title, at: `<p><font size="7">${title}` }))
    const { text, toc } = await read({ html, contents })
    expect(text).toBe('# Ebb\n\nSea[^1], see [1](page:2).\n\n[^1]: The log.\n\n# Notes\n\nMine.\n\n[1](page:1)')
    expect(toc.map(({ title, page: at }) => [title, at])).toEqual([
      ['Ebb', 1],
      ['Notes', 2],
    ])
  })

  test('with unclosed links takes linear time', async () => {
    const cpuOf = async (count: number) => {
      const html = page(`${'<a filepos=0000000010>1<b>1'.repeat(count)}<p>Sea</p>`.replaceAll('<b>', ''))
      const before = process.cpuUsage()
      await read({ html: html.slice(0, -20) }).catch(() => undefined)
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1000
    }
    await cpuOf(1000)
    expect(await cpuOf(32_000)).toBeLessThan((await cpuOf(4000)) * 24 + 300)
  })
})

describe('an AZW3', () => {
  test('has its files assembled, with a table of contents', async () => {
    const files = ['<h1>One</h1><p>alpha beta</p>', '<h1>Two</h1><p id="x">gamma</p><h2>Deep</h2><p>delta</p>']
    const { pages, toc, format } = await read({
      files,
      contents: [
        { title: 'One', at: '<h1>One' },
        { title: 'Two', at: '<h1>Two' },
        { title: 'Deep', at: '<h2>', parent: 1 },
      ],
    })
    expect(format).toBe('azw3')
    expect(pages.map(({ content }) => content)).toEqual(['# One\n\nalpha beta', '# Two\n\ngamma\n\n## Deep\n\ndelta'])
    expect(toc.map(({ title, page: at, level }) => [title, at, level])).toEqual([
      ['One', 1, 1],
      ['Two', 2, 1],
      ['Deep', 2, 2],
    ])
  })

  test('with a single section is read, although its header names no valid record of sections', async () => {
    const { text, format } = await read({ files: ['<p>High tide.</p>', '<p>Low tide.</p>'], sectionsAt: 65_625 })
    expect(text).toBe('High tide.\n\nLow tide.')
    expect(format).toBe('azw3')
  })

  test('connects notes to their references in other files', async () => {
    const note = '<p>Before.</p><aside epub:type="footnote" id="n1"><p>A note.</p></aside>'
    const link = kindleLink(2, note.indexOf('<aside'))
    const { text } = await read({ files: [`<p>Sea<a epub:type="noteref" href="${link}">1</a>.</p>`, note] })
    expect(text).toBe('Sea[^1].\n\n[^1]: A note.\n\nBefore.\n\n[1](page:1)')
  })

  test('has its SVG drawings in place', async () => {
    const files = ['<p>a</p><img src="kindle:flow:0001?mime=image/svg+xml"/>']
    const { text } = await read({ files, flows: ['<svg><text>Ebb and flood</text></svg>'] })
    expect(text).toBe('a\n\nEbb and flood')
  })

  test('has the emphasis of its style sheets', async () => {
    const files = ['<p>Ebb <span class="i">and</span> flood</p>']
    const { text } = await read({ files, flows: ['<svg><text>None</text></svg>', '.i { font-style: italic }'] })
    expect(text).toBe('Ebb *and* flood')
  })
})

describe('pictures of a book for Kindle', () => {
  test.for([
    ['MOBI', { html: page('<p>a</p><p><img recindex="00002" alt="A cat"/></p>') }],
    ['AZW3', { files: ['<p>a</p><p><img src="kindle:embed:0002?mime=image/jpg" alt="A cat"/></p>'] }],
  ] as const)('of a %s are its figures, and its cover is drawn', async ([, parts]) => {
    const book = buildKindle({
      ...(parts as KindleParts),
      pictures: [photograph(1), photograph(2)],
      extended: [[201, 0]],
    })
    const figures: string[] = []
    const options = { keepFigure: async ({ id }: { id: string }) => void figures.push(id) }
    const opened = await openDocumentNamed('mobi')(book, defaultLimits, options)
    const contents: string[] = []
    for await (const { content } of opened.pages()) contents.push(content)
    expect(contents).toEqual([`a\n\n![A cat](figure:${figures[0]})`])
    expect(opened.hasCover).toBe(true)
    const cover = await openCover(book, defaultLimits)
    expect(await cover.draw(80)).toMatchObject({ width: 80, mediaType: 'image/jpeg' })
  })
})

describe('a hostile book for Kindle', () => {
  const refused = async (bytes: Uint8Array, limits?: FormatLimits) => {
    try {
      await readDocument(bytes, 'mobi', limits)
      return 'read'
    } catch (error) {
      return (error as { code?: string }).code
    }
  }

  test.for([
    ['that is protected', 'DRM', () => buildKindle({ encryption: 2 })],
    ['of another kind', 'BROKEN', () => buildKindle({ type: 'TEXtREAd' })],
    ['without records', 'BROKEN', () => palmDatabase([])],
    ['with an invalid header', 'BROKEN', () => palmDatabase([Buffer.alloc(300)])],
    ['whose phrases refer to themselves', 'BROKEN', () => cyclicPhrases()],
    ['whose phrases expand endlessly', 'BROKEN', () => phraseBomb('aaaaaaaaaaaaaaaa')],
    ['whose phrases expand to nothing', 'TOO_LARGE', () => phraseBomb('')],
  ] as const)('%s is refused with a reason: %s', { timeout: 60_000 }, async ([, code, make]) => {
    const started = process.cpuUsage()
    expect(await refused(make())).toBe(code)
    expect(process.cpuUsage(started).user).toBeLessThan(5_000_000)
  })

  test('has no record after its last one', () => {
    const database = openPalmDatabase(palmDatabase([Buffer.from('one'), Buffer.from('two')]))
    expect(database.record(1).toString()).toBe('two')
    for (const index of [-1, 2, 65_535]) expect(() => database.record(index)).toThrow(FormatError)
  })

  test('is refused if it unpacks to more than the limit', async () => {
    const book = buildKindle({ html: page(`<p>${'sea '.repeat(10_000)}</p>`) })
    expect(await refused(book, { ...defaultLimits, totalBytes: 20_000 })).toBe('TOO_LARGE')
    expect(await refused(book, { ...defaultLimits, entryBytes: 20_000, totalBytes: 1_000_000 })).toBe('read')
  })

  test('has no table of contents if that is damaged or cyclic', async () => {
    const html = page('<p>One</p><p>Two</p>')
    const circle = [
      { title: 'One', at: '<p>One', parent: 1 },
      { title: 'Two', at: '<p>Two', parent: 0 },
    ]
    expect((await read({ html, contents: circle })).toc).toEqual([])
    expect((await read({ html, contents: circle, contentsAt: 1 })).toc).toEqual([])
    expect((await read({ html, contents: circle, contentsAt: 9_999 })).toc).toEqual([])
  })

  test.for([
    [
      'MOBI',
      () => buildKindle({ html: page('<h1>One</h1><p>a</p>'.repeat(40)), contents: [{ title: 'One', at: '<h1>' }] }),
    ],
    [
      'AZW3',
      () => buildKindle({ files: ['<h1>One</h1>', '<p>b</p>'.repeat(40)], contents: [{ title: 'One', at: '<h1>' }] }),
    ],
    [
      'compressed with phrases',
      () => buildKindle({ compression: 'huffman', html: page('<p>a</p>'), phrases: ['<p>'] }),
    ],
  ] as const)('with any byte changed is read or refused without a crash: %s', { timeout: 60_000 }, async ([, make]) => {
    const book = make()
    const outcomes = new Set<string | undefined>()
    for (let at = 60; at < book.length; at += 3) {
      const damaged = Buffer.from(book)
      damaged[at] = (damaged[at] as number) ^ (1 << (at % 8)) ^ 0x80
      outcomes.add(await refused(damaged))
    }
    for (const outcome of outcomes)
      expect(['read', 'BROKEN', 'DRM', 'EMPTY', 'TOO_LARGE', 'TOO_DEEP']).toContain(outcome)
    expect(outcomes).toContain('read')
    expect(outcomes).toContain('BROKEN')
  })

  test('that is truncated is refused or read partially', async () => {
    const book = buildKindle({ files: ['<p>a</p>'.repeat(2_000)], contents: [{ title: 'One', at: '<p>' }] })
    for (let end = 0; end < book.length; end += 97) {
      expect(['BROKEN', 'EMPTY', 'read']).toContain(await refused(book.subarray(0, end)))
    }
  }, 60_000)

  test('with unordered fragments is refused in bounded time', async () => {
    const files = ['<p>x</p>'.repeat(30_000)]
    const book = buildKindle({ files, compression: 'none' })
    const name = book.lastIndexOf(Buffer.from('0000000012'))
    book.write('9999999999', name)
    expect(await refused(book)).toBe('BROKEN')
  })
})

function cyclicPhrases(): Buffer {
  return withCode(254, [{ codes: [253] }, { codes: [254] }])
}

/** Phrases, each of which contains the next one 200 times. */
function phraseBomb(last: string): Buffer {
  const nested = Array.from({ length: 20 }, (_, at) => ({ codes: Array.from({ length: 200 }, () => 253 - at) }))
  return withCode(254, [...nested, last])
}

/** A book whose text consists of one code. */
function withCode(code: number, phrases: NonNullable<KindleParts['phrases']>): Buffer {
  const book = buildKindle({ compression: 'huffman', phrases, html: 'X' })
  book.set([code, code], book.indexOf(Buffer.from([255, 255 - 'X'.charCodeAt(0)])))
  return book
}

test('a paragraph of 20 million characters in typewriter letters is no listing', () => {
  const long = `<p><tt>${'a'.repeat(20_000_000)}`
  expect(withListings(long) === long).toBe(true)
})
