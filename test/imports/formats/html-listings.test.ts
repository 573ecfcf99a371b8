import { expect, test } from 'vitest'
import { readDocument } from '../../support/read-document.ts'

const read = async (body: string) => (await readDocument(Buffer.from(`<html><body>${body}</body></html>`), 'html')).text
const listing = '```\nint a;\n\n  int b;\n```'

test.for([
  [
    'of Doxygen',
    '<div class="fragment"><div class="line"><span class="keyword">int</span> a;</div>\n<div class="line"> </div>\n<div class="line">  int b;</div>\n</div>',
  ],
  [
    'of Doxygen with numbers, explanations and parts that fold',
    '<div class="fragment"><div class="line"><a name="l1"></a><span class="lineno">    1</span>&#160;int a;</div>\n<div class="foldopen" id="f1">\n<div class="line"><span class="lineno">    2</span>&#160;</div>\n<div class="line"><span class="lineno">    3</span>&#160;  int b;</div>\n</div><div class="ttc" id="t"><div class="ttname">b</div><div class="ttdef">Definition: a.h:3</div></div></div>',
  ],
  [
    'of Pygments with numbers in the lines',
    '<pre><span class="linenos">1</span>int a;\n<span class="linenos">2</span>\n<span class="linenos">3</span>  int b;\n</pre>',
  ],
  [
    'of Pygments with numbers in a column',
    '<table class="highlighttable"><tr><td class="linenos"><div class="linenodiv"><pre>1\n2\n3</pre></div></td><td class="code"><div><pre>int a;\n\n  int b;</pre></div></td></tr></table>',
  ],
  [
    'of Rouge with numbers in a column',
    '<table class="rouge-table"><tr><td class="rouge-gutter gl"><pre class="lineno">1\n2\n3\n</pre></td><td class="rouge-code"><pre>int a;\n\n  int b;\n</pre></td></tr></table>',
  ],
  [
    'of rustdoc, whose numbers are links to themselves',
    '<pre class="rust"><code><a href="#1" id="1">1</a>int a;\n<a href="#2" id="2">2</a>\n<a href="#3" id="3">3</a>  int b;\n</code></pre>',
  ],
] as const)('a listing %s is code without numbers', async ([, body]) => {
  expect((await read(`<p>So:</p>${body}<p>End.</p>`)).replace(/ +$/gm, '')).toBe(`So:\n\n${listing}\n\nEnd.`)
})

test('text of such a class that is no number is kept', async () => {
  expect(await read('<p><span class="lineno">line 12</span> says so</p>')).toBe('line 12 says so')
})

test('the name of the language that a page shows beside a listing is left out', async () => {
  const body =
    '<div class="language-c"><button>Copy</button><span class="lang">C</span><pre><code>int a;</code></pre></div>'
  expect(await read(body)).toBe('```c\nint a;\n```')
})

test('versions of a listing in several languages are separate listings', async () => {
  const body =
    '<pre><input type="checkbox"><code class="language-c">int a;</code><code class="language-js">let a</code><button>copy</button></pre>'
  expect(await read(body)).toBe('```c\nint a;\n```\n\n```js\nlet a\n```')
})

test('lines of a listing that are pieces of code stay together', async () => {
  const body = '<pre><code class="language-c">int a;</code>\n<code>int b;</code></pre>'
  expect(await read(body)).toBe('```c\nint a;\nint b;\n```')
})

test('code of a notebook has its language', async () => {
  const body = '<div class=" highlight hl-python"><pre><span></span>x = 1\n</pre></div>'
  expect(await read(body)).toBe('```python\nx = 1\n```')
})
