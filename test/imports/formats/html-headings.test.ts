import { expect, test } from 'vitest'
import { readDocument } from '../../support/read-document.ts'

const read = async (body: string) => (await readDocument(Buffer.from(`<html><body>${body}</body></html>`), 'html')).text

test.for([
  ['by mdBook', '<h2 id="ebb"><a class="header" href="#ebb">The ebb</a></h2>'],
  ['by docutils', '<h2><a class="toc-backref" href="#top" role="doc-backlink">The ebb</a></h2>'],
  [
    'in a page saved by a browser',
    '<h2 id="ebb" class="page-header"><a href="https://tide.example/sea.html#ebb">The ebb</a></h2>',
  ],
] as const)('a heading that is a link to itself or to the contents is kept: %s', async ([, heading]) => {
  expect(await read(`${heading}<p>Low water.</p>`)).toBe('## The ebb\n\nLow water.')
})

test('a linked heading with a class of navigation that leads to another page is left out', async () => {
  expect(await read('<h2 class="site-header"><a href="/">The Sea</a></h2><p>Low water.</p>')).toBe('Low water.')
})

test.for([
  ['by rustdoc', '<h2 id="ebb"><a class="doc-anchor" href="#ebb">§</a>The ebb</h2>'],
  ['by Node.js', '<h2>The ebb<span><a class="mark" href="#the-ebb" id="the-ebb">#</a></span></h2>'],
] as const)('a sign that links a heading to itself is left out: %s', async ([, heading]) => {
  expect(await read(`${heading}<p>Low water.</p>`)).toBe('## The ebb\n\nLow water.')
})

test('a sign in a heading that leads elsewhere is kept', async () => {
  expect(await read('<h2 id="ebb">The ebb <a href="#remark">*</a></h2><p>Low.</p>')).toBe('## The ebb \\*\n\nLow.')
})

test.for([
  [
    'by Javadoc',
    '<ul class="details-list"><li><section><h2>Ebb</h2><ul><li>\n<section id="a"><h3>Low</h3><p>Low water.</p></section></li></ul></section></li></ul>',
  ],
  [
    'by Javadoc up to version 8',
    '<ul class="blockList"><li class="blockList"><a name="ebb"></a><h2>Ebb</h2><ul><li><h3>Low</h3><p>Low water.</p></li></ul></li></ul>',
  ],
] as const)('lists that are the layout of a page are no lists: %s', async ([, list]) => {
  const { text, toc } = await readDocument(Buffer.from(`<html><body>${list}</body></html>`), 'html')
  expect(text).toBe('## Ebb\n\n### Low\n\nLow water.')
  expect(toc.map(({ title }) => title)).toEqual(['Ebb', 'Low'])
})

test('a list with a heading in one of its items is a list', async () => {
  expect(await read('<ul><li><h3>Ebb</h3></li><li>Flood</li></ul>')).toBe('- ### Ebb\n\n- Flood')
})

const words = 'word '.repeat(2_000_000)

// Anything slower than linear time would exceed the timeout of the test.
test.for([
  ['listings that name their language', 400, '<div class="language-js"><pre>a</pre>', '</div>'],
  ['links of a heading to itself', 200, '<a href="#ebb"><b>', '</b></a>'],
] as const)('%s, within each other around a long text, take linear time', async ([, count, open, close]) => {
  const text = await read(`<h1 id="ebb">${open.repeat(count)}<i>${words}</i>${close.repeat(count)}</h1><p>Sea</p>`)
  expect(text).toContain('Sea')
})
