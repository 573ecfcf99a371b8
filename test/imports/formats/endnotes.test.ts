import { describe, expect, test } from 'vitest'
import { buildEpub } from '../../support/epub.ts'
import { readEpub, readParts } from '../../support/read-epub.ts'

/** The pages of a book with these file bodies. The entries of its table of contents are the titles of the files. */
async function pagesOf(chapters: Record<string, string>): Promise<string[]> {
  const { pages } = await readParts({ chapters })
  return pages.map(({ content }) => content)
}

interface Style {
  maker: string
  mark: string
  notes: string
  /** The expected texts of the page with the reference and the page with the notes. */
  page?: string
  left?: string
}

const styles: Style[] = [
  {
    maker: 'Standard Ebooks',
    mark: 'It sank.<a href="notes.xhtml#note-1" id="noteref-1" epub:type="noteref">1</a>',
    notes:
      '<section id="endnotes" epub:type="endnotes"><h2 epub:type="title">Endnotes</h2><ol><li id="note-1" epub:type="endnote"><p>The <i>log</i> of 1663. <a href="one.xhtml#noteref-1" epub:type="backlink">↩</a></p></li></ol></section>',
  },
  {
    maker: 'Vellum',
    mark: 'It sank.<sup class="endnote"><a epub:type="noteref" href="notes.xhtml#endnote-1" id="endnote-text-1">1</a></sup>',
    notes:
      '<section epub:type="endnotes"><h2>Endnotes</h2><div class="endnote" id="endnote-1"><p class="first"><a href="one.xhtml#endnote-text-1" class="endnote-number">1.</a> The <i>log</i> of 1663.</p></div></section>',
  },
  {
    maker: 'InDesign',
    mark: 'It sank.<span id="endnote-001-backlink"><a class="_idEndnoteLink _idGenColorInherit" epub:type="noteref" href="notes.xhtml#endnote-001"><sup>1</sup></a></span>',
    notes:
      '<h2>Endnotes</h2><div class="_idEndnotes"><div id="endnote-001" class="_idEndnote" epub:type="rearnote"><p class="Endnote"><a class="_idEndnoteAnchor" href="one.xhtml#endnote-001-backlink">1.</a> The <i>log</i> of 1663.</p></div></div>',
  },
  {
    maker: 'an EPUB 2 of a publisher, by two-way links',
    mark: 'It sank.<a id="fnref12" href="notes.xhtml#n12"><sup>12</sup></a>',
    notes: '<h2>Endnotes</h2><p class="note"><a id="n12" href="one.xhtml#fnref12">12</a>. The <i>log</i> of 1663.</p>',
  },
  {
    maker: 'an EPUB 2 with notes of several paragraphs',
    mark: 'It sank.<sup><a id="r7" href="notes.xhtml#n7">7</a></sup> Not so<sup><a id="r8" href="notes.xhtml#n8">8</a></sup>.',
    notes:
      '<h2>Endnotes</h2><p id="n7"><a href="one.xhtml#r7">7</a> The log.</p><p>It is lost.</p><blockquote><p>A page.</p></blockquote><p id="n8"><a href="one.xhtml#r8">8</a> Ibid.</p>',
    page: 'It sank.[^7] Not so[^8].\n\n[^7]: The log.\n\n    It is lost.\n\n    > A page.\n\n[^8]: Ibid.',
    left: '## Endnotes\n\n[7–8](page:1)',
  },
  {
    maker: 'Calibre, of Word',
    mark: 'It sank.<sup class="calibre3"><a id="back_note_1" href="notes.xhtml#note_1" title="1" class="noteref">1</a></sup>',
    notes:
      '<h1>Endnotes</h1><dl id="notes" class="notes"><dt id="note_1">[<a href="one.xhtml#back_note_1" title="1">←1</a>]</dt><dd><p class="block_">The <i>log</i> of 1663.</p></dd></dl>',
    left: '# Endnotes\n\n[1](page:1)',
  },
  {
    maker: 'Calibre, of Word, in lists of their own',
    mark: 'It sank.<sup class="block_1"><a id="back_note_1" href="notes.xhtml#note_1" title="1" class="text_1">1</a></sup>',
    notes:
      '<h1 id="calibre_pb_0">Endnotes</h1><dl id="note_1" class="footnote"><dt class="calibre2">[<a href="one.xhtml#back_note_1" title="1">←1</a>]</dt><dd class="calibre4"><p class="block_1">The <i>log</i> of 1663.</p></dd></dl>',
  },
  {
    maker: 'Calibre, of Word, as MOBI',
    mark: 'It sank.<sup><a id="b1" href="notes.xhtml#n1"><font size="2">1</font></a></sup>',
    notes:
      '<p><b>Endnotes</b></p><a id="n1"></a><p>[<a href="one.xhtml#b1">←1</a>]</p><p>The <i>log</i> of 1663.</p><p>More.</p>',
    page: 'It sank.[^1]\n\n[^1]: The *log* of 1663.\n\n    More.',
    left: '**Endnotes**\n\n[1](page:1)',
  },
  {
    maker: 'Sigil, in brackets',
    mark: 'It sank.<a href="notes.xhtml#fn1" id="ref1">[1]</a>',
    notes: '<h2>Endnotes</h2><p id="fn1">[1] The <i>log</i> of 1663. [<a href="one.xhtml#ref1">return</a>]</p>',
  },
  {
    maker: 'Project Gutenberg',
    mark: 'It sank.<a id="FNanchor_1_1"></a><a href="notes.xhtml#Footnote_1_1" class="fnanchor pginternal">[1]</a>',
    notes:
      '<h2>Endnotes</h2><div class="footnote"><p><a id="Footnote_1_1"></a><a href="one.xhtml#FNanchor_1_1"><span class="label">[1]</span></a> The <i>log</i> of 1663.</p></div>',
  },
  {
    maker: 'Pandoc',
    mark: 'It sank.<a href="notes.xhtml#fn1" class="footnote-ref" id="fnref1" epub:type="noteref">1</a>',
    notes:
      '<h2>Endnotes</h2><section class="footnotes footnotes-end-of-document" epub:type="footnotes"><hr /><ol><li id="fn1"><p>The <em>log</em> of 1663.<a href="one.xhtml#fnref1" class="footnote-back" role="doc-backlink">↩︎</a></p></li></ol></section>',
  },
  {
    maker: 'a table',
    mark: 'It sank.<sup><a id="a1" href="notes.xhtml#b1">1</a></sup>',
    notes:
      '<h2>Endnotes</h2><table><tr><td><a id="b1" href="one.xhtml#a1">1</a></td><td>The <i>log</i> of 1663.</td></tr></table>',
  },
  {
    maker: 'signs',
    mark: 'It sank.<a id="a1" href="notes.xhtml#b1">*</a> Twice<a id="a2" href="notes.xhtml#b2">†</a>.',
    notes:
      '<h2>Endnotes</h2><p><a id="b1" href="one.xhtml#a1">*</a> The log.</p><p><a id="b2" href="one.xhtml#a2">†</a> Ibid.</p>',
    page: 'It sank.[^b1] Twice[^b2].\n\n[^b1]: The log.\n\n[^b2]: Ibid.',
    left: '## Endnotes\n\n[\\*](page:1) [†](page:1)',
  },
  {
    maker: 'raised numbers that lead one way',
    mark: 'It sank.<sup><a href="notes.xhtml#b1">1</a></sup>',
    notes: '<h2>Endnotes</h2><p id="b1"><b>1.</b> The <i>log</i> of 1663.</p>',
  },
  {
    maker: 'an anchor before the paragraph',
    mark: 'It sank.<sup>[<a id="a1" href="notes.xhtml#b1">1</a>]</sup>',
    notes: '<h2>Endnotes</h2><a id="b1"></a><p>1. The <i>log</i> of 1663. <a href="one.xhtml#a1">Back</a></p>',
  },
]

describe('notes in a separate file are placed on the page of their reference', () => {
  test.for(styles)('in files by $maker', async ({ mark, notes, page, left }) => {
    const label = /\d+/.exec(mark.replace(/<[^<>]*>/g, ''))?.[0] ?? ''
    const [first, second] = await pagesOf({ 'one.xhtml': `<p>${mark}</p>`, 'notes.xhtml': notes })
    expect(first).toBe(page ?? `It sank.[^${label}]\n\n[^${label}]: The *log* of 1663.`)
    expect(second).toMatch(left === undefined ? /^##? Endnotes\n\n(?:\| +\|\n\| --- \|\n)?\|? ?\[\d+\]\(page:1\)/ : /^/)
    if (left !== undefined) expect(second).toBe(left)
  })
})

/** A note reference in the style of two-way links, and its note. */
const mark = (number: number | string, id: string, file = 'notes.xhtml'): string =>
  `<sup><a id="r${id}" href="${file}#n${id}">${number}</a></sup>`
const note = (number: number | string, id: string, { file = 'one.xhtml', text = `Note ${id}.` } = {}): string =>
  `<p><a id="n${id}" href="${file}#r${id}">${number}</a>. ${text}</p>`

describe('notes of several chapters', () => {
  test('restart in each chapter, with separate labels, and leave links to their pages in their file', async () => {
    const pages = await pagesOf({
      'one.xhtml': `<h1>One</h1><p>Sea${mark(1, 'a1')} and sand${mark(2, 'a2')}.</p>`,
      'two.xhtml': `<h1>Two</h1><p>Salt${mark(1, 'b1')}.</p>`,
      'notes.xhtml': `<h1>Notes</h1><p>All are mine.</p><h2>One</h2>${note(1, 'a1')}${note(2, 'a2')}<h2>Two</h2>${note(1, 'b1', { file: 'two.xhtml' })}`,
    })
    expect(pages).toEqual([
      '# One\n\nSea[^1] and sand[^2].\n\n[^1]: Note a1.\n\n[^2]: Note a2.',
      '# Two\n\nSalt[^1].\n\n[^1]: Note b1.',
      '# Notes\n\nAll are mine.\n\n## One\n\n[1–2](page:1)\n\n## Two\n\n[1](page:2)',
    ])
  })

  test('with two references are placed on both pages, without their number or back link', async () => {
    const pages = await pagesOf({
      'one.xhtml': `<p>Sea${mark(1, 'a')}.</p>`,
      'two.xhtml': `<p>Sand<sup><a href="notes.xhtml#na">1</a></sup>.</p>`,
      'notes.xhtml': `<h2>Notes</h2>${note(1, 'a')}`,
    })
    expect(pages).toEqual(['Sea[^1].\n\n[^1]: Note a.', 'Sand[^1].\n\n[^1]: Note a.', '## Notes\n\n[1](page:1)'])
  })

  test('that precede their chapters stay there', async () => {
    const pages = await pagesOf({
      'notes.xhtml': `<h2>Notes</h2>${note(1, 'a')}`,
      'one.xhtml': `<p>Sea${mark(1, 'a')}.</p>`,
    })
    expect(pages).toEqual(['## Notes\n\n[1](page:2)\\. Note a.', 'Sea[^1].\n\n[^1]: Note a.'])
  })

  test('that contain references bring those notes, even in a cycle', async () => {
    const [page] = await pagesOf({
      'one.xhtml': `<p>Sea${mark(1, 'a')}.</p>`,
      'notes.xhtml': `<h2>Notes</h2><p><a id="na" href="one.xhtml#ra">1</a> See<sup><a id="rb" href="more.xhtml#nb">2</a></sup>.</p>`,
      'more.xhtml': `<h2>More</h2><p><a id="nb" href="notes.xhtml#rb">2</a> Salt<sup><a href="notes.xhtml#na">1</a></sup>.</p>`,
    })
    expect(page).toBe('Sea[^1].\n\n[^1]: See[^2].\n\n[^2]: Salt[^1].')
  })

  test('of a list keep the numbers of those that stay', async () => {
    const item = (id: number): string => `<li id="n${id}">Note ${id}. <a href="one.xhtml#r${id}">↩</a></li>`
    const pages = await pagesOf({
      'one.xhtml': `<p>Sea${mark(1, '1')}, sand${mark(3, '3')}.</p>`,
      'notes.xhtml': `<h2>Notes</h2><ol>${[1, 2, 3, 4].map(item).join('')}</ol>`,
    })
    expect(pages[0]).toBe('Sea[^1], sand[^3].\n\n[^1]: Note 1.\n\n[^3]: Note 3.')
    expect(pages[1]).toBe('## Notes\n\n[1](page:1)\n\n2. Note 2. [↩](page:1)\n\n[3](page:1)\n\n4. Note 4. [↩](page:1)')
  })

  test('that are long or have pictures stay in place', async () => {
    const text = 'The tide went out and left the boats on the sand. '.repeat(100)
    const pages = await pagesOf({
      'one.xhtml': `<p>Sea${mark(1, 'a')}, sand${mark(2, 'b')}, salt${mark(3, 'c')}.</p>`,
      'notes.xhtml': `<h2>Notes</h2>${note(1, 'a', { text })}${note(2, 'b')}${note(3, 'c', { text: 'See <img src="x.png" alt="a map"/>.' })}`,
    })
    expect(pages[0]).toMatch(/^Sea\[\^1\], sand\[\^2\], salt.*\n\n\[\^2\]: Note b\.$/)
    expect(pages.slice(1).join('\n')).toContain(text.trim())
    expect(pages.slice(1).join('\n')).toContain('a map')
  })

  test('never make a page exceed its maximum length', async () => {
    const ids = Array.from({ length: 400 }, (_, index) => `${index + 1}`)
    const text = 'In 1663 the log was lost. '.repeat(20)
    const pages = await pagesOf({
      'one.xhtml': `<p>${ids.map((id) => `The tide went out and left the boats on the sand for the night${mark(id, id)}.`).join(' ')}</p>`,
      'notes.xhtml': `<h2>Notes</h2>${ids.map((id) => note(id, id, { text: `Note ${id} of many. ${text}` })).join('')}`,
    })
    for (const content of pages) expect(content.length).toBeLessThan(12_000)
    const all = pages.join('\n')
    for (const id of ids) expect(all.split(`Note ${id} of many.`)).toHaveLength(2)
    const placed = pages.filter((content) => content.includes('The tide')).join('\n')
    expect(ids.filter((id) => placed.includes(`[^${id}]: `)).length).toBe(400)
  })
})

describe('notes of the same file without a marking type or class', () => {
  const links = (id: string, number = '1') => ({
    mark: `<a id="r${id}" href="#n${id}">[${number}]</a>`,
    back: `<a id="n${id}" href="#r${id}">[${number}]</a>`,
  })
  test.for<[maker: string, body: string, markdown: string]>([
    [
      'Project Gutenberg',
      `<p>It sank.<a id="FNanchor_1_1"></a><a href="#Footnote_1_1" class="fnanchor">[1]</a> So.</p><p>End.</p><div class="footnote"><p><a id="Footnote_1_1"></a><a href="#FNanchor_1_1"><span class="label">[1]</span></a> The <i>log</i>.</p><p>More.</p></div>`,
      'It sank.[^1] So.\n\nEnd.\n\n[^1]: The *log*.\n\n    More.',
    ],
    [
      'paragraphs, with more of them',
      `<p>It${links('a').mark} sank${links('b', '2').mark}.</p><p>End.</p><p>${links('a').back} One.</p><p>More.</p><p>${links('b', '2').back} Two.</p><p>Author.</p>`,
      'It[^1] sank[^2].\n\nEnd.\n\nAuthor.\n\n[^1]: One.\n\n    More.\n\n[^2]: Two.',
    ],
    [
      'a number alone',
      `<p>It sank<sup>${links('a').mark}</sup>.</p><p>End.</p><p>${links('a').back}</p><p>One.</p>`,
      'It sank[^1].\n\nEnd.\n\n[^1]: One.',
    ],
    [
      'an index, which has no notes',
      '<h2 id="c1">1 Sea</h2><p id="c2">2 boats.</p><p>Tides, <a href="#c1">1</a>, <a href="#c2">2</a></p>',
      '## 1 Sea\n\n2 boats.\n\nTides, 1, 2',
    ],
    [
      'a link back to the contents, which is not a note',
      '<p><a id="t1" href="#c1">1</a> Sea</p><p id="c1"><a href="#t1">1</a> Sea</p><p>Words.</p>',
      '1 Sea\n\n1 Sea\n\nWords.',
    ],
  ])('%s', async ([, body, markdown]) => {
    expect(await pagesOf({ 'one.xhtml': body })).toEqual([markdown])
  })
})

describe('table of contents and page list entries that point into notes', () => {
  test('point to the pages where the notes were', async () => {
    const { toc, pages } = await readParts({
      chapters: {
        'one.xhtml': `<p>Sea${mark(1, 'a')}.</p>`,
        'notes.xhtml': `<p id="na"><span epub:type="pagebreak" id="p9" title="9"></span><a href="one.xhtml#ra">1</a> Note.</p>`,
        'last.xhtml': '<h1>Last</h1><p>End.</p>',
      },
      nav: '<nav epub:type="toc"><ol><li><a href="one.xhtml">One</a></li><li><a href="notes.xhtml">Notes</a></li><li><a href="notes.xhtml#na">First</a></li><li><a href="last.xhtml">Last</a></li></ol></nav>',
    })
    expect(pages.map(({ content }) => content)).toEqual(['Sea[^1].\n\n[^1]: Note.', '[1](page:1)', '# Last\n\nEnd.'])
    expect(toc.map(({ title, page }) => `${title} ${page}`)).toEqual(['One 1', 'Notes 2', 'First 2', 'Last 3'])
    expect(pages[1]?.label).toBe('9')
  })
})

describe('links that are not note references become no notes, and their targets stay in place', () => {
  const notes = `<h2>Notes</h2>${note(12, 'l')}`
  test.for<[what: string, link: string, target: string]>([
    ['a reference to a note in words', '<p>As <a href="notes.xhtml#nl">note 12</a> says.</p>', notes],
    ['a reference to a number', '<p>As note <a href="notes.xhtml#nl">12</a> says.</p>', notes],
    [
      'an entry of an index',
      '<p>Tides, <a href="notes.xhtml#p12">12</a>, <a href="notes.xhtml#p45">45</a></p>',
      '<h1>12 Tides</h1><p>The <a id="p12"></a>tide. 12 boats.</p><p id="p45">45 boats.</p>',
    ],
    [
      'an entry of contents',
      '<p>Chapter <a id="t1" href="notes.xhtml#c1">1</a> Sea</p>',
      '<p id="c1"><a href="one.xhtml#t1">1</a> Sea</p>',
    ],
    [
      'a list of chapters',
      '<ol><li><a id="t1" href="notes.xhtml#c1">1</a></li></ol>',
      '<p id="c1"><a href="one.xhtml#t1">1</a> Sea</p>',
    ],
    [
      'a raised link to a heading',
      '<p>Sea<sup><a id="t1" href="notes.xhtml#c1">1</a></sup></p>',
      '<h2 id="c1"><a href="one.xhtml#t1">1</a> Sea</h2>',
    ],
    [
      'a raised number with another one at its target',
      '<p>Sea<sup><a href="notes.xhtml#c1">1</a></sup></p>',
      '<p id="c1">2 boats.</p>',
    ],
    [
      'a work of a bibliography',
      '<p>So says [<a href="notes.xhtml#b3">3</a>].</p>',
      '<h2>Works</h2><p id="b3">[3] Lind, Tides.</p>',
    ],
    [
      'a work of a marked bibliography',
      '<p>So says<sup><a id="r3" href="notes.xhtml#b3">3</a></sup>.</p>',
      '<section epub:type="bibliography"><p id="b3"><a href="one.xhtml#r3">3</a> Lind, Tides.</p></section>',
    ],
    [
      'a place inside of a paragraph',
      '<p>Sea<sup><a id="r3" href="notes.xhtml#b3">3</a></sup>.</p>',
      '<p>The tide went out <a id="b3" href="one.xhtml#r3">3</a> times.</p>',
    ],
    ['a target that is missing', '<p>Sea<sup><a href="notes.xhtml#none">3</a></sup>.</p>', '<p id="b3">3 boats.</p>'],
    ['a file that is missing', '<p>Sea<sup><a href="gone.xhtml#b3">3</a></sup>.</p>', '<p id="b3">3 boats.</p>'],
  ])('%s', async ([, link, target]) => {
    const [first, second] = await pagesOf({ 'one.xhtml': link, 'notes.xhtml': target })
    const words = (text = ''): string => text.replace(/<[^<>]*>|\]\(page:\d+\)|[#*\\[\]().\s]|^\d+\. /g, '')
    expect(words(first)).toBe(words(link))
    expect(words(second)).toBe(words(target))
  })
})

/** Measures the CPU time for reading a book, in milliseconds, and the length of its pages. */
async function measure(chapters: Record<string, string>): Promise<{ time: number; length: number }> {
  const bytes = await buildEpub({ chapters })
  const before = process.cpuUsage()
  const { pages } = await readEpub(bytes)
  const { user, system } = process.cpuUsage(before)
  return { time: (user + system) / 1000, length: pages.reduce((sum, { content }) => sum + content.length, 0) }
}

describe('a hostile book', () => {
  const text = 'The tide went out and left the boats on the sand. '.repeat(75)
  test.for<[what: string, chapters: (count: number) => Record<string, string>]>([
    [
      'with references to one long note in many paragraphs',
      (count) => ({
        'one.xhtml': `<p>Sea${mark(1, 'a')}.</p>`.repeat(count),
        'notes.xhtml': note(1, 'a', { text }),
      }),
    ],
    [
      'with references to one long note in many files',
      (count) => ({
        ...Object.fromEntries(
          Array.from({ length: count / 20 }, (_, at) => [`c${at}.xhtml`, `<p>Sea${mark(1, 'a')}.</p>`]),
        ),
        'notes.xhtml': note(1, 'a', { text }),
      }),
    ],
    [
      'with notes that refer to each other',
      (count) => ({
        'one.xhtml': `<p>Sea${mark(0, '0')}.</p>`.repeat(count),
        'notes.xhtml': Array.from(
          { length: count },
          (_, at) => `<p id="n${at}">${at} See${mark(at + 1, `${at + 1}`, 'more.xhtml')}.</p>`,
        ).join(''),
        'more.xhtml': Array.from(
          { length: count },
          (_, at) => `<p id="n${at}">${at} See${mark(at + 1, `${at + 1}`)}.</p>`,
        ).join(''),
      }),
    ],
    [
      'with notes inside notes',
      (count) => ({
        'one.xhtml': Array.from({ length: count }, (_, at) => `<p>Sea${mark(at, `${at}`)}.</p>`).join(''),
        'notes.xhtml': Array.from(
          { length: Math.ceil(count / 100) },
          (_none, part) =>
            Array.from(
              { length: 100 },
              (_, at) => `<div class="footnote" id="n${part * 100 + at}">${part * 100 + at} Note`,
            ).join('') + '</div>'.repeat(100),
        ).join(''),
      }),
    ],
    [
      'with empty anchors',
      (count) => ({
        'one.xhtml': Array.from({ length: count }, (_, at) => `<p>Sea${mark(at, `${at}`)}.</p>`).join(''),
        'notes.xhtml': Array.from({ length: count }, (_, at) => `<a id="n${at}"></a>`).join('') + note(1, 'a'),
      }),
    ],
    [
      'with one paragraph of unclosed references',
      (count) => ({
        'one.xhtml': `<p>${Array.from({ length: count }, (_, at) => `Sea${mark(at, `${at}`)}`).join('')}`,
        'notes.xhtml': Array.from(
          { length: count },
          (_, at) => `<p><a id="n${at}" href="one.xhtml#r${at}">${at}</a> Note`,
        ).join(''),
      }),
    ],
    [
      'with unclosed links',
      (count) => ({ 'one.xhtml': '<a href="notes.xhtml#a">1'.repeat(count * 4), 'notes.xhtml': '<p id="a">1 Note' }),
    ],
    [
      'with unclosed tags',
      (count) => ({ 'one.xhtml': '<a href=#'.repeat(count * 10), 'notes.xhtml': '<p id="a">1 Note' }),
    ],
  ])('%s takes linear time and memory', async ([, chapters]) => {
    await measure(chapters(400))
    const [small, large] = [await measure(chapters(2000)), await measure(chapters(16_000))]
    expect(large.time).toBeLessThan(small.time * 8 * 3 + 200)
    const source = Object.values(chapters(16_000)).join('').length
    expect(large.length).toBeLessThan(source * 2 + 600_000)
  })
})
