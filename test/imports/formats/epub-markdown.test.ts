import { describe, expect, test } from 'vitest'
import { convertBody, readParts } from '../../support/read-epub.ts'

function row(...cells: string[]): string {
  return `<tr>${cells.join('')}</tr>`
}

describe('XHTML becomes Markdown', () => {
  test.for([
    ['paragraphs', '<p>One\n  line.</p><div>Two</div>three', 'One line.\n\nTwo\n\nthree'],
    ['headings', '<h1>A <em>b</em></h1><h3>C<br/>d</h3><h6>1. E</h6>', '# A *b*\n\n### C d\n\n###### 1. E'],
    ['emphasis around white space', 'a<b> bold </b>c <i>it<em>al</em>ic</i>', 'a **bold** c *italic*'],
    ['adjacent emphasis', '<b>a</b><b>b</b> <i>c</i> <i>d</i>', '**ab** *c* *d*'],
    ['emphasis around blocks', '<b><p>a</p><p>b</p></b>', '**a**\n\n**b**'],
    ['empty emphasis', 'a<b></b><i> </i>b', 'a b'],
    ['emphasis that ends with punctuation in a word', '<b>usr/</b><i>file</i>', '**usr**/*file*'],
    ['emphasis that begins with punctuation in a word', '<i>file</i><b>.tar</b> x', '*file*.**tar** x'],
    ['emphasis beside full stops of Chinese', '<b>注意：</b>请', '**注意**：请'],
    ['emphasis that ends with an underscore in a word', '<b>dh_</b><i>foo</i>', '**dh**\\_*foo*'],
    ['emphasis of brackets in a word', 'a<b>(b)</b>c', 'a(b)c'],
    ['emphasis before a line break', '<i>one<br/></i>two', '*one*  \ntwo'],
    ['emphasis of a removed link', '<b><a href="javascript:x"></a></b>a', 'a'],
    ['a backslash before emphasis', 'C:\\<b>dir</b>', 'C:\\\\**dir**'],
    ['adjacent code', '<code>$</code><code>{A}</code>', '`${A}`'],
    ['adjacent code in emphasis', '<b><code>a</code></b><b><code>`b</code></b>', '**``a`b``**'],
    [
      'emphasis beside emphasis in a link',
      '<b>(</b><a href="https://e.org/"><b>x</b></a><b>)</b>',
      '**(**[**x**](https://e.org/)**)**',
    ],
    ['emphasis of a dash', '<b>-</b>', '**-**'],
    ['a letter in a typewriter font', 'l<tt>ä</tt>nger, a<tt>b</tt>c', 'länger, a`b`c'],
    ['code', 'The <code>a*b</code> and <kbd>``x`</kbd>', 'The `a*b` and ``` ``x` ```'],
    ['superscript and subscript', 'x<sup>2</sup> H<sub>2</sub>O', 'x<sup>2</sup> H<sub>2</sub>O'],
    [
      'the raised number of a note',
      '<p>a<a epub:type="noteref" id="r1" href="#n1">1</a></p><aside epub:type="footnote" id="n1"><p><sup><a href="#r1">1</a></sup>Text</p></aside>',
      'a[^1]\n\n[^1]: Text',
    ],
    ['struck text and quotes', '<del>old</del> <q>said</q>', '~~old~~ “said”'],
    ['links to the web', '<a href="https://e.org/a(b)">the <b>site</b></a>', '[the **site**](https://e.org/a%28b%29)'],
    ['a link that shows its address', '<a href="https://e.org/">https://e.org/</a>', '<https://e.org/>'],
    ['links to files that are not in the book', 'see <a href="two.xhtml#x">chapter two</a>', 'see chapter two'],
    ['links that run scripts', '<a href="javascript:alert(1)">click</a>', 'click'],
    [
      'words apart that a space of a certain width separates',
      '<b>Figure 1</b>&emsp;Sea <i>a</i>&thinsp;b c&#x3000;<b>d</b> e\u2028f &emsp;<i>g</i>&#xFEFF;h',
      '**Figure 1** Sea *a* b c **d** e f *g*h',
    ],
    ['spaces of a certain width within a text', 'a&emsp;b&thinsp;c', 'a\u2003b\u2009c'],
    ['named entities', '&eacute;&nbsp;&mdash; &copy; &amp;lt; &#8217;&#x2019;', 'é — © \\&lt; ’’'],
    [
      'entities in addresses',
      '<a href="https://e.org/?a=1&amp;b=2&copy=3">x</a>',
      '[x](https://e.org/?a=1&b=2&copy=3)',
    ],
    ['an unfinished entity', 'AT&T &amp &lt', 'AT&T & <'],
    ['a title with an entity', '<svg><title>A &amp; B</title></svg>', 'A & B'],
    ['scripts in code', '<pre>a<script>1 &amp;&amp; 2</script></pre>', '```\na1 &amp;&amp; 2\n```'],
    ['soft hyphens', 'Donau&shy;dampf\u00ADschiff', 'Donaudampfschiff'],
    ['control characters', 'a\u0008b&#0;c', 'ab\uFFFDc'],
    ['CDATA', '<p><![CDATA[1 < 2 & <b>]]></p>', '1 < 2 & \\<b>'],
    ['line breaks', '<p>a<br/>b<br></br>c</p>', 'a  \nb  \nc'],
    ['two line breaks', '<p>a<br/><br/>b</p>', 'a\n\nb'],
    ['a rule', 'a<hr/>b', 'a\n\n---\n\nb'],
    ['images', '<p>a <img src="x.png" alt="A cat"/></p><img src="y.png" alt="cover.jpg"/>', 'a [Image: A cat]'],
    ['images in SVG', '<svg><title>Map</title><image href="x.png"/><text>North</text></svg>', 'Map\n\nNorth'],
    ['ruby', '<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby>', '漢(かん)字(じ)'],
    ['elements without text', '<script>x()</script><style>p{}</style><p hidden="hidden">h</p>a', 'a'],
    ['self-closing tags', '<p><a id="x"/>a<b/>b<span/>c</p><div/><script src="x"/>d', 'abc\n\nd'],
  ] as const)('%s', async ([, body, markdown]) => {
    expect(await convertBody(body)).toBe(markdown)
  })

  test.for([
    ['a number sign', '<p># not a heading</p>', '\\# not a heading'],
    ['a number', '<p>1986. A great year</p>', '1986\\. A great year'],
    ['a dash', '<p>- said he</p>', '\\- said he'],
    ['asterisks', '<p>2 * 3, *no* and **no**</p>', '2 * 3, \\*no\\* and \\*\\*no\\*\\*'],
    ['underscores', '<p>snake_case and _no_</p>', 'snake_case and \\_no_'],
    ['tags', '<p>a &lt;b&gt; 1 &lt; 2</p>', 'a \\<b> 1 < 2'],
    ['a link', '<p>[a](b)</p>', '[a\\](b)'],
    ['a link of several elements', '<p>a[<i>i</i>](x) [b]<span>(y)</span></p>', 'a[*i*\\](x) [b]\\(y)'],
    ['a link whose emphasis is removed', '<p>[a<b>]</b>(b)</p>', '[a]\\(b)'],
    ['a link in a link', '<a href="https://e.org/">a](b)</a>', '[a\\](b)](https://e.org/)'],
    ['an address after a note', '<p>a<a epub:type="noteref" href="#n">1</a>(b)</p>', 'a[^1]\\(b)'],
    ['backslashes', '<p>C:\\dir \\*</p>', 'C:\\dir \\\\\\*'],
    ['a fence', '<p>~~~ a</p><p>```</p>', '\\~\\~~ a\n\n\\`\\`\\`'],
    ['an underline', '<p>a<br/>---</p>', 'a  \n\\---'],
    ['a quotation mark', '<p>&gt; a</p>', '\\> a'],
  ] as const)('text that looks like Markdown stays text: %s', async ([, body, markdown]) => {
    expect(await convertBody(body)).toBe(markdown)
  })

  test.for([
    ['its class', '<pre class="language-js">a\n  b</pre>', '```js\na\n  b\n```'],
    ['the class of its code', '<pre><code class="lang-c++">x</code></pre>', '```c++\nx\n```'],
    [
      'the elements around it',
      '<div class="highlight-bash notranslate"><div class="highlight"><pre>x</pre></div></div>',
      '```bash\nx\n```',
    ],
    ['nothing', '<pre class="screen">\n$ ls &amp;&amp; *\n\n</pre>', '```\n$ ls && *\n```'],
  ] as const)('a code block takes its language from %s', async ([, body, markdown]) => {
    expect(await convertBody(body)).toBe(markdown)
  })

  test('the numbers of lines in a code block are left out', async () => {
    const body = '<pre><span class="linenos">1</span>a\n<span class="lineno"> 2 </span>  b</pre>'
    expect(await convertBody(body)).toBe('```\na\n  b\n```')
  })

  test('a code block keeps its lines, and its fence is longer than any run of backticks in it', async () => {
    const body = '<pre>```\n<b>x</b>&nbsp;y<br/>z<div>line 1</div><div>line 2</div></pre>'
    expect(await convertBody(body)).toBe('````\n```\nx y\nzline 1\nline 2\n````')
  })

  test.for([
    ['items', '<ul><li>a</li><li><p>b</p><p>c</p></li></ul>', '- a\n- b\n\n  c'],
    ['numbers', '<ol start="9"><li>a</li><li value="20">b</li><li>c</li></ol>', '9. a\n20. b\n21. c'],
    [
      'lists in lists',
      '<ul><li>a<ol><li>b<ul><li>c</li></ul></li></ol></li><li>d</li></ul>',
      '- a\n  1. b\n     - c\n- d',
    ],
    [
      'inner lists after their items',
      '<ul><li>a</li><ul><li>b</li><ul><li>c</li></ul></ul><li>d</li></ul>',
      '- a\n  - b\n    - c\n- d',
    ],
    [
      'inner lists after items of several paragraphs',
      '<ol><li><p>a</p><p>b</p></li><ol start="3"><li>c</li></ol><li>d</li></ol>',
      '1. a\n\n   b\n\n   3. c\n2. d',
    ],
    ['a list in a list without items', '<ul><ul><li>a</li></ul></ul>', '- a'],
    ['code in items', '<ol><li>a<pre>x\n\ny</pre></li></ol>', '1. a\n\n   ```\n   x\n\n   y\n   ```'],
    ['quotations', '<blockquote><p>a</p><ul><li>b</li></ul></blockquote>', '> a\n\n> - b'],
    ['definitions', '<dl><dt>a</dt><dd>b</dd><dt><b>c</b></dt><dd><p>d</p></dd></dl>', '**a**\n- b\n\n**c**\n- d'],
    ['definitions of two paragraphs', '<dl><dt>a</dt><dd><p>b</p><p>c</p></dd></dl>', '**a**\n- b\n\n  c'],
    ['items without text', '<ul><li></li><li>a</li></ul>', '- a'],
    [
      'tasks',
      '<ul><li><label><input type="checkbox">a</label></li><li><p><input type="checkbox" checked=""/> b <input type="checkbox"/></p></li></ul><p><input type="checkbox"/>c</p>',
      '- [ ] a\n- [x] b\n\nc',
    ],
  ] as const)('lists: %s', async ([, body, markdown]) => {
    expect(await convertBody(body)).toBe(markdown)
  })

  test('a formula of KaTeX appears once', async () => {
    const body =
      'x <span class="katex"><span class="katex-mathml"><math><mi>f</mi></math></span><span class="katex-html" aria-hidden="true">f</span></span>'
    expect(await convertBody(body)).toBe('x $f$')
  })

  test.for(['* * *', '<b>* * *</b>', '***', '• • •', '— — —', '⁂'])(
    'a line of %s is a thematic break',
    async (line) => {
      expect(await convertBody(`<p>a</p><p>${line}</p><p>b</p>`)).toBe('a\n\n---\n\nb')
    },
  )

  test.for(['**', '<b>*</b>', '* * x', '___'])('a line of %s is not a thematic break', async (line) => {
    expect(await convertBody(`<p>a</p><p>${line}</p>`)).not.toContain('---')
  })

  test.for([
    [
      'with a head',
      row('<th>A</th>', '<th>B</th>') + row('<td>1|2</td>', '<td><p>x</p><p>y</p></td>'),
      '| A | B |\n| --- | --- |\n| 1\\|2 | x<br>y |',
    ],
    [
      'with a head of data cells',
      `<thead>${row('<td>A</td>', '<td>B</td>')}</thead><tbody>${row('<td>1</td>', '<td>2</td>')}</tbody>`,
      '| A | B |\n| --- | --- |\n| 1 | 2 |',
    ],
    [
      'with a head that is bold',
      row('<td><b>A</b></td>', '<td><p><strong>B</strong></p></td>') + row('<td><b>1</b></td>', '<td>2</td>'),
      '| A | B |\n| --- | --- |\n| **1** | 2 |',
    ],
    [
      'with bold cells everywhere',
      row('<td><b>A</b></td>', '<td><b>B</b></td>') + row('<td><b>1</b></td>', '<td><b>2</b></td>'),
      '|  |  |\n| --- | --- |\n| **A** | **B** |\n| **1** | **2** |',
    ],
    [
      'whose first row is bold in part',
      row('<td><b>A</b> x</td>', '<td><b>B</b></td>') + row('<td>1</td>', '<td>2</td>'),
      '|  |  |\n| --- | --- |\n| **A** x | **B** |\n| 1 | 2 |',
    ],
    ['without a head', row('<td>a</td>', '<td>b</td>'), '|  |  |\n| --- | --- |\n| a | b |'],
    [
      'with spans',
      row('<th>A</th>', '<th colspan="2">B</th>') +
        row('<td rowspan="2">1</td>', '<td>2</td>', '<td>3</td>') +
        row('<td>4</td>', '<td>5</td>'),
      '| A | B |  |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n|  | 4 | 5 |',
    ],
    ['that holds code', row('<td>a</td>', '<td><pre>x</pre></td>'), 'a\n\n```\nx\n```'],
    ['of one column', row('<td>a</td>') + row('<td>b</td>'), 'a\n\nb'],
    [
      'with a table in it',
      row('<td>a</td>', `<td><table>${row('<th>x</th>', '<th>y</th>')}</table></td>`),
      'a\n\n| x | y |\n| --- | --- |',
    ],
  ] as const)('a table %s', async ([, rows, markdown]) => {
    expect(await convertBody(`<table>${rows}</table>`)).toBe(markdown)
  })

  test.for<[what: string, list: string, markdown: string]>([
    ['letters', '<ol type="a"><li>One</li><li><p>Two</p><p>More</p></li></ol>', '- a. One\n- b. Two\n\n  More'],
    ['Roman numbers from 4', '<ol type="I" start="4"><li>One</li><li>Two</li></ol>', '- IV. One\n- V. Two'],
    ['declared letters', '<ol style="list-style: upper-latin inside"><li>One</li></ol>', '- A. One'],
    ['letters of a class', '<ol class="calibre1 sub"><li>One</li><li value="3">Two</li></ol>', '- i. One\n- iii. Two'],
    [
      'letters in numbers',
      '<ol><li>One<ol type="a"><li>Deep</li><li>Deeper</li></ol></li></ol>',
      '1. One\n   - a. Deep\n   - b. Deeper',
    ],
    ['ordinary numbers', '<ol type="1" class="other"><li>One</li></ol>', '1. One'],
    ['signs', '<ul type="circle"><li>One</li></ul>', '- One'],
  ])('lists keep %s', async ([, list, markdown]) => {
    const { pages } = await readParts({
      chapters: { 'one.xhtml': list },
      files: { 'OEBPS/style.css': 'ul, ol.sub { margin: 0; list-style-type: lower-roman }\n.other { color: red }' },
    })
    expect(pages[0]?.content).toBe(markdown)
  })

  test('a reference and its note get the same label, also in different files', async () => {
    const { pages } = await readParts({
      chapters: {
        'one.xhtml':
          '<p>Text<sup><a epub:type="noteref" href="notes.xhtml#n1">1</a></sup> and<a class="footnote-ref" href="#n2">[*]</a>.</p><aside epub:type="footnote" id="n2"><p>Here. <a role="doc-backlink" href="#r">↩</a></p></aside>',
        'notes.xhtml': '<ol><li epub:type="endnote" id="n1"><p>There.</p><p>More.</p></li></ol>',
      },
    })
    expect(pages.map(({ content }) => content)).toEqual([
      'Text[^1] and[^n2].\n\n[^n2]: Here.\n\n[^1]: There.\n\n    More.',
      '[1](page:1)',
    ])
  })

  test.for([
    [
      'MathML',
      '<epub:switch><epub:case required-namespace="http://www.w3.org/1998/Math/MathML"><math><mi>x</mi></math></epub:case><epub:default>a picture</epub:default></epub:switch>',
      '$x$',
    ],
    [
      'the default for other namespaces',
      '<ops:switch><ops:case required-namespace="http://www.xml-cml.org/schema">atom</ops:case><ops:default>a picture<epub:switch><epub:case>, one</epub:case><epub:case>, two</epub:case></epub:switch></ops:default></ops:switch>',
      'a picture, one',
    ],
  ])('of a switch, %s is read', async ([, body, markdown]) => {
    expect(await convertBody(`<p>so ${body}</p>`)).toBe(`so ${markdown}`)
  })

  test('the same number twice in a file yields two labels', async () => {
    const body = 'a<a epub:type="noteref" href="#x">1</a> b<a epub:type="noteref" href="#y">1</a>'
    expect(await convertBody(body)).toBe('a[^1] b[^1-2]')
  })

  test.for([
    ['UTF-16', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['a declared encoding', (text: string) => Buffer.from(text.replace('?>', ' encoding="ISO-8859-1"?>'), 'latin1')],
    ['undeclared Windows-1252', (text: string) => Buffer.from(text, 'latin1')],
  ] as const)('reads %s', async ([, encode]) => {
    const document = '<?xml version="1.0"?><html><body><p>Grüße</p></body></html>'
    const { pages } = await readParts({ files: { 'OEBPS/one.xhtml': encode(document) } })
    expect(pages[0]?.content).toBe('Grüße')
  })
})

describe('XHTML files of other forms', () => {
  const file = (doctype: string, body: string) =>
    convertBody(`<?xml version="1.0"?>${doctype}<html xmlns="http://www.w3.org/1999/xhtml"><body>${body}</body></html>`)

  test.for([
    '<!DOCTYPE html [<!ENTITY mathml "http://www.w3.org/1998/Math/MathML">]>',
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "xhtml11.dtd"[\n<!ENTITY a "b">\n<!ATTLIST x y CDATA #IMPLIED>\n] >',
    '<!DOCTYPE html>',
  ])('declarations in a document type are no text: %s', async (doctype) => {
    expect(await file(doctype, '<p>One[1] > two.</p>')).toBe('One[1] > two.')
  })

  test('elements with a prefix are read like others', async () => {
    const body = '<h:h2>Head</h:h2><h:p>A <h:em>word</h:em>.</h:p><h:ol><h:li>i</h:li></h:ol>'
    expect(await file('', body)).toBe('## Head\n\nA *word*.\n\n1. i')
  })
})
