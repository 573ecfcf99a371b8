import { describe, expect, test } from 'vitest'
import { readParts } from '../../support/read-epub.ts'

interface Entry {
  title: string
  href: string
  inner?: readonly Entry[]
}

function contentsOf(entries: readonly Entry[]): string {
  const items = entries.map(
    ({ title, href, inner }) => `<li><a href="${href}">${title}</a>${inner ? contentsOf(inner) : ''}</li>`,
  )
  return `<ol>${items.join('')}</ol>`
}

async function read(body: string, entries: readonly Entry[]): Promise<string> {
  const nav = `<nav epub:type="toc">${contentsOf(entries)}</nav>`
  const { pages } = await readParts({ chapters: { 'one.xhtml': body }, nav })
  return pages.map(({ content }) => content).join('\n\n')
}

const chapter = [{ title: 'Chapter 1: The Storm', href: 'one.xhtml' }]

describe('a paragraph that the table of contents of an EPUB names', () => {
  test.for([
    ['is a heading', '<p class="title">CHAPTER 1. The storm</p>', '# CHAPTER 1. The storm'],
    ['of several paragraphs is one heading', '<p>Chapter 1</p><p>The Storm</p>', '# Chapter 1 The Storm'],
    ['without its number is a heading', '<p>The Storm</p>', '# The Storm'],
    ['below an ornament is a heading', '<p>Chapter One</p><p>~</p><p>The Storm</p>', 'Chapter One\n\n~\n\n# The Storm'],
    [
      'in bold letters with a link back to the contents is a heading without both',
      '<p><b><a href="nav.xhtml">Chapter 1:<br/>The Storm</a></b></p>',
      '# Chapter 1: The Storm',
    ],
    ['below a heading stays a paragraph', '<h2>I</h2><p>The Storm</p>', '## I\n\nThe Storm'],
    ['in a list stays an item', '<ul><li>The Storm</li></ul>', '- The Storm'],
    ['after some paragraphs stays a paragraph', '<p>a</p><p>b</p><p>c</p><p>The Storm</p>', 'a\n\nb\n\nc\n\nThe Storm'],
    ['with more words stays a paragraph', '<p>The Storm rose.</p>', 'The Storm rose.'],
  ] as const)('%s', async ([, body, markdown]) => {
    expect(await read(`${body}<p>It rained.</p>`, chapter)).toBe(`${markdown}\n\nIt rained.`)
  })

  test('has the level of its entry, and keeps its place as a target', async () => {
    const long = `<p>${'Rain fell on the sea. '.repeat(250)}</p>`
    const body = `<p>The Sea</p>${long}<p id="a">Tides</p><p>Up.</p><p><a href="#a">See above</a></p>${long}<p id="b">1.2 Waves</p><p>Down.</p>`
    const nav = `<nav epub:type="toc">${contentsOf([
      {
        title: 'The Sea',
        href: 'one.xhtml',
        inner: [
          { title: 'Tides', href: 'one.xhtml#a' },
          { title: 'Waves', href: 'one.xhtml#b' },
        ],
      },
    ])}</nav>`
    const { pages, toc } = await readParts({ chapters: { 'one.xhtml': body }, nav })
    const headings = pages.flatMap(({ content }, index) =>
      [...content.matchAll(/^#+ .*$/gm)].map(([heading]) => [heading, index + 1]),
    )
    expect(headings).toEqual([
      ['# The Sea', 1],
      ['## Tides', toc[1]?.page],
      ['## 1.2 Waves', toc[2]?.page],
    ])
  })

  test('is found for several entries with the same target', async () => {
    const entries = [{ title: 'Part One', href: 'one.xhtml', inner: [{ title: 'The Sea', href: 'one.xhtml' }] }]
    expect(await read('<p>Part One</p><p>The Sea</p><p>It rained.</p>', entries)).toBe(
      '# Part One\n\n## The Sea\n\nIt rained.',
    )
  })

  test.for([
    ['directly above its target is a heading', '<p>The Storm</p><p id="a">Rain.</p>', '# The Storm\n\nRain.'],
    ['above a heading at its target is none', '<p>The Storm</p><h2 id="a">I</h2><p>a</p>', 'The Storm\n\n## I\n\na'],
    ['above other paragraphs is none', '<p>The Storm</p><p>a</p><p id="a">b</p>', 'The Storm\n\na\n\nb'],
  ] as const)('%s', async ([, body, markdown]) => {
    expect(await read(body, [{ title: 'The Storm', href: 'one.xhtml#a' }])).toBe(markdown)
  })
})

describe('a book without a table of contents', () => {
  const chapters = {
    'one.xhtml': `<h1>The <i>Sea</i></h1><p>${'Rain fell. '.repeat(500)}</p><h2>Tides <a href="two.xhtml">1</a></h2><p>Up.</p>`,
    'two.xhtml': '<blockquote><h3>Quoted</h3></blockquote><h1>Storms</h1><p>Wind.</p>',
  }

  test.for([
    ['has its headings as one', undefined],
    ['has its headings as one if all entries lead out of it', '<nav><ol><li><a href="x.xhtml">X</a></li></ol></nav>'],
  ])('%s', async ([, nav]) => {
    const { toc, pages } = await readParts({ chapters, ...(nav === undefined ? {} : { nav }) })
    expect(toc.map(({ title, level }) => [title, level])).toEqual([
      ['The Sea', 1],
      ['Tides 1', 2],
      ['Storms', 1],
    ])
    for (const { title, page } of toc) expect(pages[page - 1]?.content).toMatch(title.slice(-3))
  })
})
