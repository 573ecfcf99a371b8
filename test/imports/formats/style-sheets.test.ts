import { describe, expect, test } from 'vitest'
import { openHtml } from '../../../src/imports/formats/document/html/open-html.ts'
import { defaultLimits } from '../../../src/imports/formats/format.ts'
import { readParts } from '../../support/read-epub.ts'

const sheet = `@charset "utf-8"; @import url(other.css);
  .first { font-style: italic }
  /* .plain { font-weight: bold } */
  @media amzn-kf8 { .kindle { font-weight: 700 } }
  .i, span.CharOverride-1 { font-style: italic; }
  .b { color: red; font-weight: bold } .normal { font-weight: normal; font-style: normal }
  .gone { text-decoration: line-through } .up { vertical-align: super; font-size: 70% } .down { vertical-align: sub }
  .cap { font-weight: bold; float: left } .note .name { font-style: italic } .b:first-letter { font-style: italic }
  p.raised { vertical-align: super }`

const hiding = `
  .off, p.hid { display: none; color: red } .again { display: none } .again { display: block }
  @media amzn-mobi { .epub { display: none } p.epub2 { display: none } } .note { display: none } .x .within { display: none }`

async function readBook(body: string): Promise<string> {
  const chapters = { 'one.xhtml': body }
  const { pages } = await readParts({ chapters, files: { 'OEBPS/styles/book.css': sheet, 'OEBPS/hiding.css': hiding } })
  return pages.map(({ content }) => content).join('\n\n')
}

async function readPage(body: string): Promise<string> {
  const page = `<html><head><style>${sheet}</style></head><body>${body}</body></html>`
  const book = await openHtml(new TextEncoder().encode(page), defaultLimits)
  const contents: string[] = []
  for await (const { content } of book.pages()) contents.push(content)
  return contents.join('\n\n')
}

describe.for([
  ['an EPUB', readBook],
  ['an HTML page', readPage],
] as const)('the style sheet of %s', ([, read]) => {
  test.for([
    ['makes emphasis', '<span class="i">one</span> <span class="x b">two</span>', '*one* **two**'],
    ['is read from its first rule on', '<span class="first">one</span>', '*one*'],
    ['combines its classes', '<span class="b CharOverride-1">one</span>', '***one***'],
    ['takes emphasis away', '<b class="normal">one</b> <em class="normal">two</em>', 'one two'],
    ['strikes text out', '<span class="gone">one</span> two', '~~one~~ two'],
    ['raises and lowers', 'H<span class="down">2</span>O, x<span class="up">2</span>', 'H<sub>2</sub>O, x<sup>2</sup>'],
    ['is read within rules for media', '<span class="kindle">one</span>', '**one**'],
    ['is not read in comments', '<span class="plain">one</span>', 'one'],
    ['does not emphasise a dropped capital', '<span class="cap">O</span>nce', 'Once'],
    ['applies to the elements of its selectors only', '<span class="name raised">one</span>', 'one'],
  ] as const)('%s', async ([, body, markdown]) => {
    expect(await read(`<p>${body}</p><p>Text.</p>`)).toBe(`${markdown}\n\nText.`)
  })

  test('gives way to the attribute of an element', async () => {
    const body = '<p><span class="b" style="font-weight: 400; font-style: italic">one</span></p>'
    expect(await read(body)).toBe('*one*')
  })

  test('does not change headings and code', async () => {
    const body =
      '<h1><span class="b i">One</span></h1><pre><span class="b">two</span></pre><p><code><span class="b">three</span></code></p>'
    expect(await read(body)).toBe('# One\n\n```\ntwo\n```\n\n`three`')
  })

  test('keeps the words of a long raised text', async () => {
    const words = 'A note whose text the style sheet raises as a whole.'
    expect(await read(`<p>Word<span class="up">${words}</span></p>`)).toBe(`Word${words}`)
  })
})

test('a style element of a file of an EPUB counts for this file only', async () => {
  const own =
    '<html><head><style>.c1 { font-weight: 700 }</style></head><body><p><span class="c1">one</span></p></body></html>'
  const { pages } = await readParts({
    chapters: { 'one.xhtml': own, 'two.xhtml': '<p><span class="c1">two</span></p>' },
  })
  expect(pages.map(({ content }) => content)).toEqual(['**one**', 'two'])
})

describe('text that an EPUB does not display', () => {
  test.for([
    [
      'by its attribute',
      '<p>one</p><p style="display: none">gone</p><p>two<span style="color:red;display:none">gone</span></p>',
      'one\n\ntwo',
    ],
    ['by its class', '<p>one</p><p class="x hid">gone</p><p>two<span class="off"><b>gone</b></span></p>', 'one\n\ntwo'],
  ] as const)('is left out: %s', async ([, body, markdown]) => {
    expect(await readBook(body)).toBe(markdown)
  })

  test.for([
    ['a rule for some media', '<p class="epub">one</p><p class="epub2">two</p>', 'one\n\ntwo'],
    [
      'a later rule, or its attribute',
      '<p class="again">one</p><p class="off" style="display:block">two</p>',
      'one\n\ntwo',
    ],
    ['a heading', '<h1 class="off" style="display:none">one</h1><p>two</p>', '# one\n\ntwo'],
    ['a rule for its place', '<p class="within">one</p>', 'one'],
    [
      'a note in a window',
      '<p>one<a epub:type="noteref" href="#n">1</a></p><aside class="note" epub:type="footnote" id="n">two</aside>',
      'one[^1]\n\n[^1]: two',
    ],
  ] as const)('is kept: %s', async ([, body, markdown]) => {
    expect(await readBook(body)).toBe(markdown)
  })
})
