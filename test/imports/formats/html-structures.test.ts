import { expect, test } from 'vitest'
import { readDocument } from '../../support/read-document.ts'
import { webArchive } from '../../support/web-archive.ts'

const read = async (body: string) => (await readDocument(Buffer.from(`<html><body>${body}</body></html>`), 'html')).text

function wordItem(list: string, level: number, marker: string, text: string): string {
  const sign = `<span style='mso-list:Ignore'>${marker}<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span>`
  return `<p class=MsoListParagraph style='text-indent:-.25in;mso-list:${list} level${level} lfo1'><![if !supportLists]><span style='font-family:Symbol'>${sign}</span><![endif]>${text}</p>\n`
}

test.for([
  [
    'bullets, nested by their levels',
    wordItem('l0', 1, '·', 'Tides') + wordItem('l0', 2, 'o', '<b>Neap</b> tides') + wordItem('l0', 1, '·', 'Waves'),
    '- Tides\n  - **Neap** tides\n- Waves',
  ],
  [
    'numbers that begin later, and letters',
    wordItem('l1', 1, '3.', 'Tides') + wordItem('l1', 2, 'a)', 'Neap') + wordItem('l1', 1, '4.', 'Waves'),
    '3. Tides\n   - a. Neap\n4. Waves',
  ],
  [
    'several lists after each other',
    wordItem('l0', 1, '·', 'Tides') + wordItem('l1', 1, '1.', 'Waves') + '<p>Sea</p>' + wordItem('l0', 1, '·', 'Sand'),
    '- Tides\n\n1. Waves\n\nSea\n\n- Sand',
  ],
  [
    'a level without the one above it',
    wordItem('l0', 2, 'o', 'Neap') + wordItem('l0', 1, '·', 'Tides'),
    '- Neap\n\n- Tides',
  ],
] as const)('lists that Word saves as paragraphs: %s', async ([, body, markdown]) => {
  expect(await read(`<p>Rise</p>${body}`)).toBe(`Rise\n\n${markdown}`)
})

test('lines of a listing that mdBook hides are left out, unless it has no others', async () => {
  const hidden = '<span class="boring">fn main() {\n</span>'
  const code = (lines: string) => `<pre><pre class="playground"><code class="language-rust">${lines}</code></pre></pre>`
  expect(await read(code(`${hidden}let a = 1;\nlet b = 2;\n<span class="boring">}\n</span>`))).toBe(
    '```rust\nlet a = 1;\nlet b = 2;\n```',
  )
  expect(await read(code(hidden))).toContain('fn main() {')
})

test.for([
  [
    'with the roles of one',
    '<div role="table"><div role="rowgroup"><div role="row"><span role="columnheader">Sea</span><span role="columnheader">Rise</span></div></div><div role="rowgroup"><div role="row"><span role="cell">North</span><span role="cell">4 m</span></div></div></div>',
  ],
  [
    'of Javadoc',
    '<div class="summary-table two-column-summary"><div class="table-header col-first">Sea</div><div class="table-header col-last">Rise</div>\n<div class="col-first even-row-color">North</div><div class="col-last even-row-color">4 m</div></div>',
  ],
] as const)('tables that consist of generic elements: %s', async ([, body]) => {
  expect(await read(body)).toBe('| Sea | Rise |\n| --- | --- |\n| North | 4 m |')
})

test('a grid with an incomplete row is no table', async () => {
  const cells = ['North', '4 m', 'South'].map((text) => `<div>${text}</div>`).join('')
  expect(
    await read(`<div><div class="table-header">Sea</div><div class="table-header">Rise</div>${cells}</div>`),
  ).not.toContain('|')
})

test('frames that contain their page are part of the text', async () => {
  const inner = '<p>Tides &amp; <iframe srcdoc="&lt;i&gt;waves&lt;/i&gt;"></iframe></p>'
  const source = inner.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  expect(await read(`<p>Sea</p><iframe srcdoc="${source}"></iframe><p>Sand</p>`)).toBe(
    'Sea\n\nTides &\n\n*waves*\n\nSand',
  )
})

test('frames in frames are read to a depth of four', async () => {
  const quote = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  const nested = [8, 7, 6, 5, 4, 3, 2, 1].reduce(
    (inner, depth) => `<iframe srcdoc="${quote(`<p>Depth ${depth}</p>${inner}`)}"></iframe>`,
    '',
  )
  expect(await read(`<p>Page</p>${nested}`)).toBe('Page\n\nDepth 1\n\nDepth 2\n\nDepth 3\n\nDepth 4')
})

test('frames of a web archive are part of the text if they have most of it', async () => {
  const page = (id: string, body: string): [Record<string, string>, string] => [
    {
      'Content-Type': 'text/html',
      'Content-ID': `<${id}@mhtml.blink>`,
      'Content-Location': `https://sea.example/${id}`,
    },
    `<!DOCTYPE html><html><body>${body}</body></html>`,
  ]
  const frame = (id: string) => `<iframe src="cid:${id}@mhtml.blink"></iframe>`
  const long = 'The water rises and falls twice a day. '.repeat(20).trim()
  const archive = webArchive([
    page('main', `<p>Tides of the sea</p>${frame('text')}${frame('text')}${frame('note')}`),
    page('text', `<p>${long}</p>`),
    page('note', '<p>Buy a boat</p>'),
  ])
  expect((await readDocument(archive, 'html')).text).toBe(`Tides of the sea\n\n${long}`)
})
