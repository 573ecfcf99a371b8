import { describe, expect, test } from 'vitest'
import { defaultLimits } from '../../../src/imports/formats/format.ts'
import { readParts } from '../../support/read-epub.ts'

async function pagesOf(body: string): Promise<string[]> {
  return (await readParts({ chapters: { 'one.xhtml': body } })).pages.map(({ content }) => content)
}

function paragraphs(count: number, length: number): string {
  return Array.from({ length: count }, (_, index) => `<p>${`P${index} `.padEnd(length, 'word ')}</p>`).join('')
}

describe('splitting a long file into pages', () => {
  test('pages have about 3,000 characters and end between blocks', async () => {
    const pages = await pagesOf(paragraphs(50, 400))
    expect(pages.length).toBeGreaterThan(5)
    for (const page of pages) expect(page).toMatch(/^P\d+ /)
    for (const page of pages.slice(0, -1)) {
      expect(page.length).toBeGreaterThan(2_000)
      expect(page.length).toBeLessThanOrEqual(3_000)
    }
  })

  test('the same file gives the same pages', async () => {
    const body = `${paragraphs(30, 333)}<pre>${'code line\n'.repeat(900)}</pre>`
    expect(await pagesOf(body)).toEqual(await pagesOf(body))
  })

  test('a heading starts a page once the page before is half full, and never ends one', async () => {
    const section = (name: string, length: number): string => `<h2>${name}</h2>${paragraphs(1, length)}`
    const pages = await pagesOf(
      section('A', 1_000) + section('B', 1_000) + section('C', 700) + '<h2>D</h2><h3>E</h3>' + paragraphs(1, 2_900),
    )
    expect(pages.map((page) => page.match(/^#+ \w/gm))).toEqual([
      ['## A', '## B'],
      ['## C', '## D', '### E'],
    ])
  })

  test('headings stay with the text that follows', async () => {
    const pages = await pagesOf(`${paragraphs(1, 1_485)}<h2>A</h2><h3>B</h3>${paragraphs(1, 2_000)}`)
    expect(pages).toHaveLength(2)
    expect(pages[1]).toMatch(/^## A\n\n### B\n\nP0 /)
  })

  test('headings at the end of a file stay on the last page', async () => {
    expect(await pagesOf('<p>a</p><h2>Empty</h2><h3>Too</h3>')).toEqual(['a\n\n## Empty\n\n### Too'])
    expect(await pagesOf('<h1>Alone</h1>')).toEqual(['# Alone'])
  })

  test('code that is split repeats its fence, and no line is lost', async () => {
    const lines = Array.from({ length: 2_000 }, (_, index) => `line ${index}`)
    const pages = await pagesOf(`<ul><li>Item<pre class="language-c">${lines.join('\n')}</pre></li></ul>`)
    expect(pages.length).toBeGreaterThan(5)
    for (const page of pages) {
      expect(page).toMatch(/^(?:- Item\n\n {2})?```c\n[^`]*\n *```$/)
      expect(page.length).toBeLessThanOrEqual(6_000)
    }
    expect(pages.join('\n').match(/line \d+/g)).toEqual(lines)
  })

  test('a table that is split repeats its head, and no row is lost', async () => {
    const rows = Array.from({ length: 900 }, (_, index) => `<tr><td>row ${index}</td><td>value</td></tr>`)
    const pages = await pagesOf(`<table><thead><tr><th>A</th><th>B</th></tr></thead>${rows.join('')}</table>`)
    expect(pages.length).toBeGreaterThan(4)
    for (const page of pages) expect(page.startsWith('| A | B |\n| --- | --- |\n| row ')).toBe(true)
    expect(pages.join('\n').match(/row \d+/g)).toEqual(rows.map((_, index) => `row ${index}`))
  })

  test('a page that starts inside a list is not indented', async () => {
    const inner = Array.from({ length: 30 }, (_, index) => `<li><p>Item ${index} ${'word '.repeat(60)}</p></li>`).join(
      '',
    )
    const pages = await pagesOf(`<ul><li>Outer<ol><li>Middle<ul>${inner}</ul></li></ol></li></ul>`)
    for (const page of pages.slice(1)) expect(page).toMatch(/^- Item \d+ /)
  })

  test.for([
    ['a paragraph of words', `<p>${'word '.repeat(20_000)}</p>`, 100_000],
    ['a paragraph of sentences', `<p>${'This is one sentence. '.repeat(5_000)}</p>`, 110_000],
    ['a paragraph without spaces', `<p>${'漢'.repeat(50_000)}</p>`, 50_000],
    ['a paragraph of emoji', `<p>${'😀'.repeat(20_000)}</p>`, 40_000],
    ['a paragraph of short elements', `<p>${'<i>a</i><b>b</b> '.repeat(20_000)}</p>`, 60_000],
    ['a paragraph of line breaks', `<blockquote><ul><li>${'a<br/>'.repeat(20_000)}</li></ul></blockquote>`, 40_000],
    ['a heading', `<h1>${'word '.repeat(20_000)}</h1>`, 100_000],
    ['a line of code', `<pre>${'x'.repeat(50_000)}</pre>`, 50_000],
    ['inline code', `<p><code>${'x '.repeat(25_000)}</code></p>`, 50_000],
    ['a cell', `<table><tr><td>a</td><td>${'word '.repeat(10_000)}</td></tr></table>`, 50_000],
    ['a list item', `<ol><li>${'word '.repeat(10_000)}</li></ol>`, 50_000],
  ] as const)('%s longer than any page is cut, and nothing of it is lost', async ([, body, letters]) => {
    const pages = await pagesOf(body)
    for (const page of pages) {
      expect(page.length).toBeLessThanOrEqual(6_000)
      expect(page.isWellFormed()).toBe(true)
    }
    expect(pages.join('').length).toBeGreaterThan(letters * 0.97)
  })

  test('more pages than the limit are refused', async () => {
    const reading = readParts({ chapters: { 'a.xhtml': paragraphs(50, 400) } }, { ...defaultLimits, pages: 3 })
    await expect(reading).rejects.toMatchObject({ code: 'TOO_LARGE' })
  })
})
