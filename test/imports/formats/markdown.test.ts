import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { defaultLimits } from '../../../src/imports/formats/format.ts'
import type { ExtractedPage } from '../../../src/imports/formats/format.ts'
import { openMarkdown } from '../../../src/imports/formats/markdown/open-markdown.ts'
import { splitPages } from '../../../src/text/markdown/split-pages.ts'
import { markdownToc } from '../../../src/text/markdown/markdown-toc.ts'

async function read(content: string | Uint8Array, limits = defaultLimits) {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const book = await openMarkdown(bytes, limits)
  const pages: ExtractedPage[] = []
  for await (const page of book.pages()) pages.push(page)
  return { info: book.info, pageCount: book.pageCount, pages, toc: await book.toc() }
}

/** Lines that begin with all kinds of Markdown syntax, including lines that prevent a heading. */
const lines =
  '# One|#Two|#|## Sub|# One ##|text||  |    code|\tcode|- item|1. item|-|> quote|```|````|~~~|~~~~|``` js|---|===|<div>|' +
  '</div>|<!--|-->|<pre>|</pre>|   # In|    # Out'
const markdown = fc
  .array(fc.tuple(fc.constantFrom(...lines.split('|')), fc.constantFrom('\n', '\r\n', '\r', '\n\n')), { maxLength: 12 })
  .map((parts) => parts.flat().join(''))

describe('splitting Markdown into pages', () => {
  test.for([
    ['an empty text', '', []],
    ['a text without headings', 'a\n\nb\n', ['a\n\nb\n']],
    ['only blank text', '\n \n', ['\n \n']],
    ['two headings', '# A\na\n# B\nb', ['# A\na\n', '# B\nb']],
    ['text before the first heading', 'intro\n\n# A\n', ['intro\n\n', '# A\n']],
    ['blank lines before the first heading', '\n\n# A\n# B\n', ['\n\n# A\n', '# B\n']],
    ['Windows line ends', '# A\r\na\r\n# B\r\n', ['# A\r\na\r\n', '# B\r\n']],
    ['classic Mac line ends', '# A\ra\r# B\r', ['# A\ra\r', '# B\r']],
    ['a byte-order mark', '\uFEFF# A\n# B\n', ['\uFEFF# A\n', '# B\n']],
    ['a heading without text', '# A\n#\n', ['# A\n', '#\n']],
    ['a heading after a tab', '# A\n#\tB\n', ['# A\n', '#\tB\n']],
    ['three spaces before a heading', '# A\n   # B\n', ['# A\n', '   # B\n']],
    ['front matter', '---\ntitle: T\n# comment\n---\n# A\n', ['---\ntitle: T\n# comment\n---\n', '# A\n']],
    ['a rule that is not front matter', '---\n\n# A\n\n---\n', ['---\n\n', '# A\n\n---\n']],
    ['a heading that ends a paragraph', 'text\n# A\n', ['text\n', '# A\n']],
    ['a heading that ends a list', '- a\n# A\n', ['- a\n', '# A\n']],
    ['a heading that ends a fence in a list', '- ```\n  a\n# A\n', ['- ```\n  a\n', '# A\n']],
    ['a heading that ends a fence in a quotation', '> ```\n# A\n', ['> ```\n', '# A\n']],
    ['a heading after an HTML block', '<div>\n# a\n\n# A\n', ['<div>\n# a\n\n', '# A\n']],
    ['a heading after a comment', '<!-- # a\n\n# b -->\n# A\n', ['<!-- # a\n\n# b -->\n', '# A\n']],
    ['a longer closing fence', '```\n# a\n`````\n# A\n', ['```\n# a\n`````\n', '# A\n']],
    ['an indented fence', '   ~~~\n# a\n  ~~~\n# A\n', ['   ~~~\n# a\n  ~~~\n', '# A\n']],
  ] as const)('%s', ([, text, pages]) => {
    expect(splitPages(text)).toEqual(pages)
  })

  test.for([
    ['no space after the mark', '#A'],
    ['seven marks', '####### A'],
    ['an escaped mark', '\\# A'],
    ['a second level', '## A'],
    ['an underlined title', 'A\n==='],
    ['four spaces before it', '    # A'],
    ['a tab before it', '\t# A'],
    ['a fence', '```\n# A\n```'],
    ['a fence of tildes that holds backticks', '~~~\n```\n# A\n~~~'],
    ['a fence that is closed with too few marks', '````\n```\n# A\n````'],
    ['a fence that is never closed', '```\n# A\n'],
    ['a fence that is not closed by one with words', '```\n``` js\n# A\n```'],
    ['a fence that starts in a list item', '1. ```\n   # A\n   ```'],
    ['a list item', '- # A'],
    ['the continuation of a list item', '- a\n\n  # A'],
    ['a quotation', '> # A'],
    ['a comment', '<!--\n\n# A\n\n-->'],
    ['preformatted HTML', '<pre>\n\n# A\n</pre>'],
    ['a script', '<script>\n\n# A\n</script>'],
    ['CDATA', '<![CDATA[\n\n# A\n]]>'],
    ['an HTML block', '<table>\n# A\n</table>'],
    ['a tag alone on its line', '<custom-tag>\n# A'],
  ] as const)('%s does not begin a page', ([, text]) => {
    const before = '# First\n\n'
    expect(splitPages(before + text)).toEqual([before + text])
  })

  test('joining the pages restores the text, and splitting a page again changes nothing', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const pages = splitPages(text)
        expect(pages.join('')).toBe(text)
        for (const page of pages.slice(1)) expect(splitPages(page)).toEqual([page])
      }),
      { numRuns: 500 },
    )
  })

  test.for([
    ['list markers on one line', '- '.repeat(200_000) + 'x\n'],
    ['quotation marks on one line', '> '.repeat(200_000) + 'x\n'],
    ['nested items before blank lines', '- '.repeat(20_000) + 'x\n' + '\n'.repeat(500_000)],
    ['unclosed comments', '> <!--\n\n'.repeat(100_000)],
    ['an unclosed opening tag', `<a ${'a '.repeat(300_000)}\n`],
    ['link definitions', '[a]: b\n'.repeat(50_000) + '===\n'],
  ] as const)('%s cost no more than their length', ([, text]) => {
    expect(splitPages(`# A\n${text}`).join('')).toHaveLength(text.length + 4)
  })
})

describe('the table of contents of a Markdown book', () => {
  test('has its headings of all levels with their pages', () => {
    const text =
      'Before\n---\n\n# One\n\n## Two\n\n###### Six\n\n```\n# code\n```\n\n# Last ##\n\n- # in a list\n\n> ## quoted\n\nSet\nin two lines\n===\n'
    expect(markdownToc(splitPages(text))).toEqual([
      { title: 'Before', page: 1, level: 2 },
      { title: 'One', page: 2, level: 1 },
      { title: 'Two', page: 2, level: 2 },
      { title: 'Six', page: 2, level: 6 },
      { title: 'Last', page: 3, level: 1 },
      { title: 'Set in two lines', page: 3, level: 1 },
    ])
  })

  test.for([
    ['Plain *em* __strong__ ~~gone~~', 'Plain em strong gone'],
    ['The `a*b_c` call', 'The a*b_c call'],
    ['snake_case_name and 2 * 3', 'snake_case_name and 2 * 3'],
    ['[A link](https://example.org) and ![a picture](x.png)', 'A link and a picture'],
    ['Escaped \\*stars\\* &amp; &#169; &#x2014;', 'Escaped *stars* & © —'],
    ['C# <b>bold</b> {#anchor}', 'C# bold'],
    ['Preface {-}', 'Preface'],
    ['Sets {a, b}', 'Sets {a, b}'],
    ['Trailing \\#', 'Trailing #'],
    ['name [![Build](https://ci.example/b.svg)](https://ci.example/b)', 'name'],
    ['name <sup>[![Version Badge][badge]][1]</sup> ![icon](a_(1).svg)', 'name icon'],
    [`name ${'[![Build](https://ci.example/status.svg)](https://ci.example/build) '.repeat(12)}`, 'name'],
    ['![The logo](logo.svg)', 'The logo'],
    ['[![The logo](logo.svg)](https://site.example)', 'The logo'],
    ['[Go](https://site.example/Go_(language)) on', 'Go on'],
  ] as const)('a title has no markup: %s', ([heading, title]) => {
    expect(markdownToc([`# ${heading}\n`])).toEqual([{ title, page: 1, level: 1 }])
  })

  test('a title that is only markup, and hostile titles, take little time', () => {
    const hostile = ['['.repeat(5_000), '`'.repeat(5_000), '_a'.repeat(5_000), '<'.repeat(5_000), '*'.repeat(5_000)]
    const toc = markdownToc(hostile.map((title) => `# ${title}\n`))
    for (const { title } of toc) expect(title.length).toBeLessThanOrEqual(500)
  })
})

describe('opening a Markdown file', () => {
  test('reads title, author and language from front matter', async () => {
    const { info } = await read(
      '---\ntitle: "A: B"\nauthor:\n  - Ann\n  - name: Bo\nlang: de\nisbn: 9780306406157 # print\ndescription: >\n  two\n  lines\n---\n# Other\n',
    )
    expect(info).toEqual({
      title: 'A: B',
      author: 'Ann, Bo',
      language: 'de',
      publisher: null,
      isbn: '9780306406157',
      description: 'two lines',
    })
  })

  test.for([
    ['the first top-level heading', 'Intro\n\n## Sub\n\n# The *title*\n', 'The title'],
    ['an underlined title', 'The title\n=========\n', 'The title'],
    ['nothing', 'text\n', null],
  ] as const)('takes the title from %s', async ([, text, title]) => {
    expect((await read(text)).info.title).toBe(title)
  })

  test('returns the stored bytes page by page', async () => {
    const text = '\uFEFFEinleitung äöü 😀\r\n\r\n# Eins\r\n\r\n# Zwei'
    const { pages, pageCount } = await read(text)
    expect(pageCount).toBe(3)
    expect(pages.map(({ content }) => content).join('')).toBe(text)
    expect(pages[0]).toEqual({ content: '\uFEFFEinleitung äöü 😀\r\n\r\n', label: null, picture: false, garbled: 0 })
  })

  test('an empty file is a book without pages', async () => {
    expect(await read('')).toMatchObject({ pageCount: 0, pages: [], toc: [] })
  })

  test.for([
    ['utf-16le', '# Grüße\n'],
    ['utf-16be', '# Grüße\n'],
    ['utf-16le', '春はあけぼの。'],
    ['utf-16be', '春はあけぼの。'],
  ] as const)('%s with a byte order mark is text: %s', async ([encoding, text]) => {
    const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le')
    const { pages } = await read(encoding === 'utf-16be' ? bytes.swap16() : bytes)
    expect(pages[0]?.content).toBe(text)
  })

  test.for(['windows-1252', 'utf-16le', 'utf-16be'] as const)(
    '%s without a byte order mark is text',
    async (encoding) => {
      const source = Buffer.from('# Grüße\n', encoding === 'windows-1252' ? 'latin1' : 'utf16le')
      const { pages } = await read(encoding === 'utf-16be' ? source.swap16() : source)
      expect(pages[0]?.content).toBe('# Grüße\n')
    },
  )

  test('returns the share of unreadable characters of a page', async () => {
    const { pages } = await read('ab\uE000\uFFFD')
    expect(pages[0]?.garbled).toBe(0.5)
  })

  test.for([
    ['a NUL character', Buffer.from('# A\0B'), 'BROKEN'],
    ['a NUL character in a longer text', Buffer.from('# A\0BC, as in the alphabet'), 'BROKEN'],
    ['bytes of a program', Buffer.from('# \x02\xfc\x10\xdf', 'latin1'), 'BROKEN'],
    ['an odd byte at the end of UTF-16', Buffer.from([0xff, 0xfe, 0x41, 0x00, 0x42]), 'BROKEN'],
    ['a PNG file', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'BROKEN'],
    ['more bytes than the limit', Buffer.alloc(1_001, 'a'), 'TOO_LARGE'],
    ['more pages than the limit', Buffer.from('# a\n'.repeat(11)), 'TOO_LARGE'],
  ] as const)('refuses %s', async ([, bytes, code]) => {
    const opening = openMarkdown(bytes, { ...defaultLimits, totalBytes: 1_000, pages: 10 })
    await expect(opening).rejects.toMatchObject({ name: 'FormatError', code })
  })
})
