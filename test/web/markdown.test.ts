import { setTimeout as sleep } from 'node:timers/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { array, assert, boolean, constantFrom, oneof, property } from 'fast-check'
import { Parser } from 'htmlparser2'
import { describe, expect, test } from 'vitest'
import { createPageRenderer, maxRenderedLength } from '../../src/web/markdown/page-renderer.ts'
import { renderMarkdown } from '../../src/web/markdown/render-markdown.ts'
import { sanitise } from '../../src/web/markdown/sanitise.ts'
import { anyText } from '../support/any-text.ts'

const render = (source: string, { math = true, html = false, mark = '', startsText = false } = {}) =>
  renderMarkdown(source, { math, html, mark, startsText }).trim()

describe('the elements of a page', () => {
  test.for<[what: string, source: string, html: string]>([
    ['a paragraph', 'one\ntwo', '<p dir="auto">one\ntwo</p>'],
    ['emphasis', '*a* **b** ~~c~~', '<p dir="auto"><em>a</em> <strong>b</strong> <s>c</s></p>'],
    ['a hard line end', 'a  \nb', '<p dir="auto">a<br />\nb</p>'],
    ['a list', '- a\n- b', '<ul>\n<li dir="auto">a</li>\n<li dir="auto">b</li>\n</ul>'],
    [
      'a list of tasks',
      '- [ ] a\n- [x] *b*\n- [x]c',
      '<ul>\n<li dir="auto">☐ a</li>\n<li dir="auto">☑ <em>b</em></li>\n<li dir="auto">[x]c</li>\n</ul>',
    ],
    ['a list that continues', '4. a', '<ol start="4">\n<li dir="auto">a</li>\n</ol>'],
    ['a quotation', '> a', '<blockquote>\n<p dir="auto">a</p>\n</blockquote>'],
    ['a rule', '---', '<hr />'],
    ['code in a line', '`a <b>`', '<p dir="auto"><code dir="ltr">a &lt;b&gt;</code></p>'],
    ['a heading with attributes', '# Tides {#tides .new}', '<h2 dir="auto" class="level-1" id="p-tides">Tides</h2>'],
    ['a heading with braces', '# Sets {a, b}', '<h2 dir="auto" class="level-1" id="p-sets-a-b">Sets {a, b}</h2>'],
    ['a short name with a hyphen', '`-w`', '<p dir="auto"><code dir="ltr" class="whole">-w</code></p>'],
    ['a long one', '`' + 'a-'.repeat(13) + '`', `<p dir="auto"><code dir="ltr">${'a-'.repeat(13)}</code></p>`],
    ['indented code', '    a', '<pre tabindex="0" dir="ltr"><code>a\n</code></pre>'],
    ['code of an unknown language', '```nope\n<a>\n```', '<pre tabindex="0" dir="ltr"><code>&lt;a&gt;\n</code></pre>'],
    [
      'superscript, subscript and keys',
      'x<sup>2</sup><sub>i</sub> <kbd>q</kbd>',
      '<p dir="auto">x<sup>2</sup><sub>i</sub> <kbd>q</kbd></p>',
    ],
    ['a line end within a cell', 'a<br>b', '<p dir="auto">a<br />\nb</p>'],
    [
      'an image with words',
      '![A ship](x.png)',
      '<figure dir="auto"><span class="picture">Image: A ship</span></figure>',
    ],
    ['an image without words', '![](x.png)', '<figure dir="auto"><span class="picture">Image</span></figure>'],
    ['an image of an import', '[Image: A ship]', '<figure dir="auto">Image: A ship</figure>'],
    ['an image in a line', 'a ![b](c)', '<p dir="auto">a <span class="picture">Image: b</span></p>'],
    ['a reference to a note elsewhere', 'a[^12]', '<p dir="auto">a<sup class="note-ref">12</sup></p>'],
    ['a link into the server', '[a](/books/b)', '<p dir="auto">a</p>'],
    ['a link to a place on another page', '[a](#b)', '<p dir="auto">a</p>'],
    ['an escaped mark', String.raw`\*a\* \_b`, '<p dir="auto">*a* _b</p>'],
  ])('%s', ([, source, html]) => {
    expect(render(source)).toBe(html)
  })

  test('headings are below that of the page, without gaps, and look like their own level', () => {
    const found = [
      ...render('### a\n\n# b\n\n#### c\n\n## d\n\n###### e').matchAll(/<(h\d) dir="auto" class="([^"]+)"/g),
    ]
    expect(found.map(([, name, level]) => `${name} ${level}`)).toEqual([
      'h2 level-3',
      'h2 level-1',
      'h3 level-4',
      'h3 level-2',
      'h4 level-6',
    ])
  })

  test('a wide table scrolls, with its alignments', () => {
    const html = render('| a | b |\n| :-: | --: |\n| c | d |')
    expect(html).toMatch(/^<div class="scroll" tabindex="0"><table>/)
    expect(html).toContain('<th dir="auto" class="align-center">a</th>')
    expect(html).toContain('<td dir="auto" class="align-right">d</td>')
  })

  test('code of a known language is highlighted with classes', () => {
    expect(render('```python\ndef f(): return "<b>"\n```')).toContain('<span class="hljs-keyword">def</span>')
    expect(render('```python\ndef f(): return "<b>"\n```')).toContain('&lt;b&gt;')
    expect(render(`\`\`\`js\n${'const a = 1\n'.repeat(3000)}\`\`\``)).not.toContain('hljs')
  })

  test('formulas of Markdown books are MathML without styles; dollar signs in other text stay', () => {
    const html = render('The $\\frac{a^2}{2}$ of\n\n$$\n\\color{red}x \\href{javascript:alert(1)}{y}\n$$')
    expect(html).toContain('<math><semantics><mrow><mfrac><msup><mi>a</mi><mn>2</mn></msup><mn>2</mn></mfrac>')
    expect(html).not.toMatch(/ style=| href=|annotation|color=/)
    expect(render('$x$', { math: false })).toBe('<p dir="auto">$x$</p>')
    expect(render('It costs $ 5 or $ 6 now, $HOME, 5 $')).toBe('<p dir="auto">It costs $ 5 or $ 6 now, $HOME, 5 $</p>')
    expect(render('$\\nosuch{$')).toBe('<p dir="auto"><code>$\\nosuch{$</code></p>')
  })

  test.for([
    ['\\mathbb{R}^n', 'ℝ'],
    ['\\mathbb{1}', '𝟙'],
    ['\\mathbf{v}', '𝐯'],
    ['\\mathbf{7}', '𝟕'],
    ['\\mathcal{L}', 'ℒ'],
    ['\\mathcal{A}', '𝒜'],
    ['\\mathfrak{g}', '𝔤'],
    ['\\mathfrak{C}', 'ℭ'],
    ['\\boldsymbol{\\alpha}', '𝜶'],
    ['\\mathsf{Q}', '𝖰'],
    ['\\mathtt{z9}', '𝚣'],
  ] as const)('the letters of %s are %s, because browsers ignore styles of letters', ([formula, letter]) => {
    const html = render(`$${formula}$`)
    expect(html).toMatch(new RegExp(`<m[in]>${letter}</m[in]>`, 'u'))
    expect(html).not.toContain('mathvariant')
  })

  test.for([
    [
      '\\overset{!}{=}',
      '<mrow><mover><mrow><mo>=</mo></mrow><mo stretchy="false" lspace="0em" rspace="0em">!</mo></mover></mrow>',
    ],
    ['\\stackrel{a}{=}', '<mrow><mover><mrow><mo>=</mo></mrow><mi>a</mi></mover></mrow>'],
    ['\\boldsymbol{\\alpha x}', '<mrow><mrow><mi>𝜶</mi><mi>𝒙</mi></mrow></mrow>'],
  ])('%s is a row, because elements in a sign are shown side by side', ([formula, row]) => {
    const html = render(`$a ${formula} b$`)
    expect(html).toContain(`<mi>a</mi>${row}<mi>b</mi>`)
    expect(html).not.toMatch(/<m(?:[ino]|s|text)\b[^>]*><m/)
  })

  test.for(['\\xrightarrow{over}', '\\colorbox{red}{box}', '\\fcolorbox{red}{blue}{box}'])(
    'the parts of %s keep their own size, because browsers take increments of sizes for sizes',
    (formula) => expect(render(`$${formula}$`)).not.toMatch(/<mpadded[^>]*"\+|<mpadded[^>]*(?:lspace|voffset)/),
  )

  test('the size of a part of a formula stays', () => {
    expect(render('$\\smash{x}$')).toContain('<mpadded height="0px" depth="0px">')
  })

  test('upright letters and signs of formulas stay', () => {
    expect(render('$\\mathrm{d}x$')).toContain('<mi mathvariant="normal">d</mi><mi>x</mi>')
    expect(render('$\\mathbf{<}$')).toContain('&lt;</mo>')
    expect(render('$\\boldsymbol{\\nabla}$')).toContain('>∇<')
    expect(render('$\\textbf{two words}$')).toContain('<mtext mathvariant="bold">two</mtext>')
  })

  test.for([
    ['letters', '- a. x\n- b. y\n- c. z', true],
    ['Roman numbers in brackets', '- (iv) x\n- (v) y', true],
    ['a list in a list', '1. x\n   - i. y\n   - ii. z', true],
    ['one letter', '- A. x', true],
    ['names', '- A. Lind\n- J. Ek', false],
    ['one name', '- J. Ek', false],
    ['words', '- x\n- y', false],
  ] as const)('a list of items with %s is recognised', ([, source, isLettered]) => {
    expect(render(source).includes('<ul class="lettered">')).toBe(isLettered)
  })

  test('notes and references link to each other; an unreferenced note stays', () => {
    const html = render('a[^x] b[^x]\n\n[^x]: first\n\n[^y]: second\n\n    more\n')
    expect(html).toContain('<a href="#p-note-1" aria-label="Note 1" id="p-ref-1">1</a>')
    expect(html).toContain('<a href="#p-note-1" aria-label="Note 1" id="p-ref-1-1">1</a>')
    expect(html).toContain('<li dir="auto" id="p-note-1">')
    expect(html).toContain(
      '<p dir="auto">first <a href="#p-ref-1" class="note-back" aria-label="Back to reference 1">↩</a></p>',
    )
    expect(html).toContain('<p dir="auto"><sup class="note-ref">y</sup> second</p>\n<p dir="auto">more</p>')
  })

  test('an external link is marked; a link to a heading of the page stays', () => {
    const out = 'rel="noopener noreferrer nofollow" class="external"'
    expect(render('<https://a.example/?b=c&d>')).toContain(`<a href="https://a.example/?b=c&amp;d" ${out}>`)
    expect(render('[a](mailto:a@b.example "title")')).toContain(`<a href="mailto:a@b.example" ${out}>a</a>`)
    expect(render('[see there](page:12)')).toContain('<a href="./12">see there</a>')
    expect(render('[see there](page:../x)')).not.toContain('<a')
    expect(render('# Über *uns*\n\n[a](#über-uns)')).toContain('<a href="#p-uber-uns">a</a>')
  })

  test('the words of a search are marked in any inflection, outside tags and formulas', () => {
    const html = render('Ships & a *ship*, shipping `ship` [ship](https://ship.example/ship) $ship$', {
      mark: 'ships "the ship"',
    })
    expect(html.replace(' id="p-mark"', '').match(/<mark>[^<]*<\/mark>/g)).toEqual(
      ['Ships', 'ship', 'shipping', 'ship', 'ship'].map((word) => `<mark>${word}</mark>`),
    )
    expect(render('He saw the old ship. The ships of old.', { mark: '"saw the old ship"' })).toBe(
      '<p dir="auto">He <mark id="p-mark">saw the old ship</mark>. The <mark>ships</mark> of <mark>old</mark>.</p>',
    )
    expect(html).toContain('href="https://ship.example/ship"')
    expect(html).toContain('</mark> &amp; a <em>')
    expect(render('amp & lt < x', { mark: 'amp lt' })).toBe(
      '<p dir="auto"><mark id="p-mark">amp</mark> &amp; <mark>lt</mark> &lt; x</p>',
    )
    expect(render('船が出る', { mark: '船' })).toContain('<mark id="p-mark">船</mark>')
  })

  test('front matter at the start of a text is a table of its fields', () => {
    const source = '---\ntitle: "Tides & <b>boats</b>"\nauthor: [Ada, Eve]\n---\n# One\n\nText.\n'
    const table =
      '<div class="scroll" tabindex="0"><table><tbody><tr><th dir="auto">title</th><td dir="auto">Tides &amp; &lt;b&gt;boats&lt;/b&gt;</td></tr><tr><th dir="auto">author</th><td dir="auto">Ada, Eve</td></tr></tbody></table></div>'
    expect(render(source, { startsText: true })).toBe(
      `${table}\n<h2 dir="auto" class="level-1" id="p-one">One</h2>\n<p dir="auto">Text.</p>`,
    )
    expect(render('---\nmap:\n  x: 1\n---\nText.', { startsText: true })).toBe(
      '<pre tabindex="0" dir="ltr"><code>---\nmap:\n  x: 1\n---\n</code></pre>\n<p dir="auto">Text.</p>',
    )
    expect(render(source)).not.toContain('<table>')
  })

  test('disruptive characters are removed, soft hyphens and marks of right-to-left text stay', () => {
    expect(render('a\u202eb\u202dc\u0000d\u0007e\u{e0041}f\r\ng')).toBe('<p dir="auto">abcdef\ng</p>')
    expect(render('so\u00adft \u200fא\u2067ב\u2069')).toBe('<p dir="auto">so\u00adft \u200fא\u2067ב\u2069</p>')
  })
})

describe('HTML in Markdown books', () => {
  const shown = (source: string) => render(source, { html: true })

  test.for<[what: string, source: string, html: string]>([
    [
      'a centred paragraph',
      '<p align="center">\n  a <b>b</b>\n</p>',
      '<p dir="auto" class="align-center">\n  a <strong>b</strong>\n</p>',
    ],
    ['elements in a line', 'x <i>a</i> <del>b</del> <big>c</big>', '<p dir="auto">x <em>a</em> <s>b</s> c</p>'],
    [
      'Markdown in an element',
      '<center>\n\n*a*\n\n</center>',
      '<div class="align-center">\n<p dir="auto"><em>a</em></p>\n</div>',
    ],
    ['a comment', 'a <!-- b --> c\n\n<!--\nd\n\ne -->\n\nf', '<p dir="auto">a  c</p>\n\n<p dir="auto">f</p>'],
    ['a comment that is not closed', 'a\n\n<!-- b', '<p dir="auto">a</p>\n<p dir="auto">&lt;!-- b</p>'],
    ['an unknown element', 'a List<String> <your-name>', '<p dir="auto">a List&lt;String&gt; &lt;your-name&gt;</p>'],
    ['an unknown block', '<MyApp :a="b">\n<p>c</p>', '&lt;MyApp :a="b"&gt;\n<p dir="auto">c</p>'],
    [
      'a script',
      '<script>\nlet a = 1 < 2\n</script>',
      '<p dir="auto">&lt;script&gt;\nlet a = 1 &lt; 2\n&lt;/script&gt;</p>',
    ],
    [
      'a picture',
      '<img src="a.png" width="9" alt="A &amp; <b>">',
      '<p dir="auto"><span class="picture">Image: A &amp; &lt;b&gt;</span></p>',
    ],
    [
      'code',
      '<code>a</code>\n\n`<b>`\n\n    <b>',
      '<p dir="auto"><code dir="ltr">a</code></p>\n<p dir="auto"><code dir="ltr">&lt;b&gt;</code></p>\n<pre tabindex="0" dir="ltr"><code>&lt;b&gt;\n</code></pre>',
    ],
    [
      'details',
      '<details>\n<summary>a</summary>\n\nb\n\n</details>',
      '<details open>\n<summary dir="auto">a</summary>\n<p dir="auto">b</p>\n</details>',
    ],
    [
      'a link',
      '<a href="https://a.example/?b&c" target=_blank>a</a>',
      '<p dir="auto"><a href="https://a.example/?b&amp;c" rel="noopener noreferrer nofollow" class="external">a</a></p>',
    ],
    ['a link into the server', '<a href="/account">a</a>', '<p dir="auto">a</p>'],
    ['a list of terms', '<dl><dt>a<dd>b</dl>', '<dl><dt dir="auto">a</dt><dd dir="auto">b</dd></dl>'],
    ['an element that nothing closes', '<b>a\n\nb', '<p dir="auto"><strong>a</strong></p>\n<p dir="auto">b</p>'],
    ['an end without a start', 'a</div></p></h1> b', '<p dir="auto">a b</p>'],
  ])('%s', ([, source, html]) => {
    expect(shown(source).replaceAll('open=""', 'open')).toBe(html)
  })

  test('a table scrolls and keeps joined cells', () => {
    const html = shown('<table>\n<tr><th colspan="2" align="right">a</th></tr>\n<tr><td>b<td rowspan=2>c\n</table>')
    expect(html).toMatch(/^<div class="scroll" tabindex="0"><table>[^]*<\/table><\/div>$/)
    expect(html).toContain('<th dir="auto" class="align-right" colspan="2">a</th>')
    expect(html).toContain('<td dir="auto" rowspan="2">c\n</td>')
  })

  test('headings have levels among those of Markdown', () => {
    const html = shown('<h1 align="center">a</h1>\n\n### b\n\n<h2>c</h2>\n\n### d')
    expect([...html.matchAll(/<(h\d) [^>]*class="([^"]+)"/g)].map(([, name, style]) => `${name} ${style}`)).toEqual([
      'h2 level-1 align-center',
      'h3 level-3',
      'h3 level-2',
      'h4 level-3',
    ])
    expect(html).toContain('c</h3>')
  })

  test('links lead to named places, each of which exists once', () => {
    const html = shown(
      '[a](#set-up) <a href="#b">b</a> [c](#none)\n\n<a name="set up"></a>\n\n# B\n\n<p id="b">c</p>\n\n<i id="set up">d</i>',
    )
    expect(html).toContain('<a href="#p-set-up">a</a> <a href="#p-b">b</a> c')
    expect(html.match(/ id="[^"]+"/g)).toEqual([' id="p-set-up"', ' id="p-b"'])
  })

  test('in extracted text, tags are what the page shows', () => {
    expect(render('Write <b>a</b>.\n\n<p>b</p>')).toBe(
      '<p dir="auto">Write &lt;b&gt;a&lt;/b&gt;.</p>\n<p dir="auto">&lt;p&gt;b&lt;/p&gt;</p>',
    )
  })
})

const allowedTags = new Set(
  'p h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong s sup sub kbd br hr a div dl dt dd details summary q table caption thead tbody tr th td figure figcaption section mark span math semantics mrow mi mn mo ms mtext mspace msup msub msubsup mfrac msqrt mroot mover munder munderover mtable mtr mtd mpadded mphantom mstyle menclose mmultiscripts mprescripts'.split(
    ' ',
  ),
)
const attributeValues: Record<string, RegExp> = {
  dir: /^(auto|ltr)$/,
  class:
    /^(level-[1-6]( align-(center|right))?|align-(center|right)|scroll|notes|note-ref|note-back|external|picture|katex|formula|whole|[\w ]*hljs-[\w -]*)$/,
  id: /^p-[\p{L}\p{N}-]+$/u,
  href: /^(https?:|mailto:|#p-)/i,
  rel: /^noopener noreferrer nofollow$/,
  'aria-label': /^(Note|Back to reference) \d+$/,
  tabindex: /^0$/,
  start: /^\d+$/,
  open: /^$/,
  colspan: /^\d{1,2}$/,
  rowspan: /^\d{1,2}$/,
}
const mathAttributes = new Set(
  'display mathvariant stretchy fence separator accent accentunder symmetric largeop movablelimits lspace rspace minsize maxsize width height depth voffset linethickness columnalign columnspacing rowspacing scriptlevel displaystyle notation'.split(
    ' ',
  ),
)

/** HTML constructs that are on no allowlist. */
function forbidden(html: string): string[] {
  const found: string[] = []
  const parser = new Parser({
    onopentag(name, attributes) {
      if (!allowedTags.has(name)) found.push(name)
      for (const [key, value] of Object.entries(attributes)) {
        const isMath = name.startsWith('m') && mathAttributes.has(key)
        if (!isMath && attributeValues[key]?.test(value) !== true) found.push(`${name} ${key}=${value}`)
      }
    },
    oncomment: (text) => void found.push(`comment ${text}`),
    onprocessinginstruction: (name) => void found.push(name),
  })
  parser.end(html)
  return found
}

describe('hostile pages', () => {
  test.for([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<svg onload=alert(1)><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
    '<p style="position:fixed" onclick="x()">a</p>',
    '<iframe srcdoc="<script>x</script>"></iframe><form action=//evil><input></form><base href=//evil>',
    '<sup onclick=x>a</sup><sup style="x">b</sup><br onload=x><kbd\n>',
    '[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](data:text/html,<script>) [d](vbscript:x) <javascript:alert(1)>',
    '[a](java&#x0A;script:alert(1)) [b](&#106;avascript:x) [c](//evil.example) [d](\u0001javascript:x)',
    '![a](http://evil.example/a.png) ![b](data:image/svg+xml,<svg>) ![c][d]\n\n[d]: http://evil.example/b.png',
    '[a]: javascript:alert(1)\n\n[a] [x][a]',
    '```html"><script>alert(1)</script>\nx\n```',
    '```js onload=x\n</code></pre><script>alert(1)</script>\n```',
    '# </h1><script>\n\n## " onclick="x\n\n[q](#"-onclick-x)',
    '$\\htmlClass{x}{y} \\htmlStyle{color:red}{z} \\includegraphics{http://evil.example/x} \\url{javascript:x}$',
    '$\\text{</math><script>alert(1)</script>}$',
    '[^<script>]: a\n\n[^"onclick=x]\n\n[^"onclick=x]: b',
    '| <script> | a" onclick="x |\n| :-: | --- |\n| <img src=x> | [y](javascript:x) |',
    '<!-- --><![CDATA[x]]><?php x ?><!DOCTYPE x>',
    '<a href="javascript:alert(1)" onclick=x>a</a> <a href=//evil.example>b</a> <a href="java&#x0A;script:x">c</a> <a href="/account">d</a>',
    '<a href="https://a.example/&quot; onclick=&quot;x">a</a> <a href=\'https://a.example/" onclick="x\'>b</a>',
    '<img src="http://evil.example/a.png" alt="&quot;><script>alert(1)</script>"> <img alt=\'"><img src=x>\'>',
    '<p align="center&quot; onclick=&quot;x" id="content">a</p></div></main><div class="topbar" style="position:fixed">b',
    '<td colspan=99999999 rowspan="9 onclick=x">a</td><ol start="1&quot; onclick=&quot;x"><details ontoggle=x open>',
    '<h1 id="p-mark" onclick=x>a</h1></h1></h2><h2><a name=content>b</a>',
    '<style>p{color:red}</style>\n\n<textarea>\n\n<title>x</title><noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    '<details><summary><!-- </summary> --><math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  ])('%s', (source) => {
    for (const tags of [false, true]) {
      const html = render(source, { html: tags, mark: 'script alert x' })
      expect(forbidden(html)).toEqual([])
      expect(html).not.toMatch(/evil\.example[^<]*"|<(script|img|svg|iframe|form|base)/)
    }
  })

  test('the sanitiser alone lets nothing through', () => {
    const html = sanitise(
      '<script>a</script><p onclick=x style="a:b" class="level-1 evil" id="content">b</p><a href="javascript:x" target=_blank>c</a>' +
        '<a href="/account" aria-label="Delete">d</a><a href="http://e.example" rel="opener">e</a><img src=x><svg><style>x</style></svg><math href="x"><mi xlink:href="y">f</mi></math><li id="p-note-1">g</li>',
    )
    expect(forbidden(html)).toEqual(['a href=/account'])
    expect(html).toContain('<p>b</p>')
    expect(html).toContain('<li id="p-note-1">g</li>')
  })

  test('whatever a page contains, only allowlisted markup comes out', () => {
    const pieces = constantFrom(
      '<',
      '>',
      '"',
      "'",
      '&',
      '`',
      '```',
      '~~~',
      '$',
      '$$',
      '*',
      '_',
      '~~',
      '[',
      ']',
      '(',
      ')',
      '![',
      '](',
      '#',
      '# ',
      '> ',
      '- ',
      '1. ',
      '|',
      '| --- |',
      '\n',
      '\n\n',
      '    ',
      '<script>',
      '</script>',
      '<sup>',
      '</sup>',
      '<br>',
      'javascript:',
      'http://a.b',
      '[^a]',
      '[^a]: ',
      '^[',
      '\\',
      '\\frac',
      '{',
      '}',
      '\\href{javascript:x}',
      'onclick=',
      'style=',
      '\u202e',
      '\u0000',
      'a',
      ' ',
      'א',
      '<svg/onload=',
      '<div align="center">',
      '</div>',
      '<a href="',
      '<a id="a">',
      '</a>',
      '<h1>',
      '</h2>',
      '<table><tr><td colspan="2">',
      '</table>',
      '<details>\n\n',
      '<img alt="',
      '<!--',
      '-->',
      '/>',
      '<x-y>',
      '&#106;',
      '```js\n',
      '---\na: ',
      '\n---\n',
    )
    const page = array(oneof({ weight: 5, arbitrary: pieces }, { weight: 1, arbitrary: anyText() }), {
      maxLength: 60,
    })
    assert(
      property(
        page,
        constantFrom('', 'a script', 'http'),
        boolean(),
        boolean(),
        (...[parts, mark, startsText, html]) => {
          const source = (startsText ? '---\na: ' : '') + parts.join('')
          expect(forbidden(render(source, { html, mark, startsText }))).toEqual([])
        },
      ),
      { numRuns: 500 },
    )
  })

  test.for<[what: string, source: string]>([
    ['quotations in quotations', '> '.repeat(30_000)],
    ['lists in lists', Array.from({ length: 2000 }, (_, at) => `${'  '.repeat(at % 300)}- a`).join('\n')],
    ['open brackets', '['.repeat(50_000)],
    ['open images', '!['.repeat(30_000)],
    ['open links', '[a]('.repeat(20_000)],
    ['asterisks and underscores', '_*'.repeat(40_000)],
    ['backticks', Array.from({ length: 400 }, (_, at) => '`'.repeat(at)).join(' ')],
    ['a wide table', `${'|a'.repeat(10_000)}\n${'|-'.repeat(10_000)}\n`],
    ['deep formulas', `$${'{'.repeat(1900)}$ `.repeat(20)],
    ['growing macros', '$\\def\\a{\\b\\b}\\def\\b{\\c\\c}\\def\\c{\\d\\d}\\def\\d{\\a\\a}\\a$'],
    ['many formulas', '$\\frac{1}{2}$ '.repeat(6000)],
    ['open comments', '<!--'.repeat(25_000)],
    ['tags without an end', '<a b="c" '.repeat(11_000)],
    ['attributes without an end', `<a ${'b="c" '.repeat(16_000)}`],
    ['attributes and spaces', `<p${' '.repeat(50_000)}a${' '.repeat(49_000)}`],
    ['elements in elements', '<div>'.repeat(20_000)],
    ['elements in elements, as blocks', '<div>\n\n'.repeat(14_000)],
    ['headings and places', '<h1 id=a>'.repeat(11_000)],
    ['cells in cells', '<table><tr><td>'.repeat(6000)],
    ['open comments in code', `\`\`\`js\n${'/*'.repeat(9000)}\n\`\`\``],
  ])('%s: rendered within two seconds, with complete text', ([, source]) => {
    const started = performance.now()
    for (const tags of [false, true])
      expect(forbidden(render(source.slice(0, maxRenderedLength), { html: tags }))).toEqual([])
    expect(performance.now() - started).toBeLessThan(8000)
  })
})

describe('the rendering thread', () => {
  const page = (source: string, pageNum = 1) => ({
    bookId: 'book',
    version: 1,
    pageNum,
    source,
    math: true,
    html: false,
    mark: '',
  })
  const reader = (accountId = 'ada') => ({ accountId, signal: new AbortController().signal })
  /** Takes seconds, because the work grows with the square of the number of notes. */
  const costly =
    `${Array.from({ length: 9000 }, (_, at) => `[^${at}]`).join('')}\n${Array.from({ length: 5000 }, (_, at) => `[^${at}]: x`).join('\n')}`.slice(
      0,
      maxRenderedLength,
    )

  test('a page of ten megabytes is not rendered, and costs nothing', async () => {
    const renderer = createPageRenderer()
    const started = performance.now()
    expect(await renderer.render(page('a '.repeat(5_000_000)), reader())).toEqual({ html: null, reason: 'too-long' })
    expect(performance.now() - started).toBeLessThan(50)
  })

  test('a slow page is aborted once without blocking others, and the next is rendered', async () => {
    const renderer = createPageRenderer({ timeMs: 300, idleMs: 2000, maxWaitMs: 20_000 })
    expect((await renderer.render(page('# a'), reader())).html).toContain('<h2')
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const waiting = [renderer.render(page(costly, 2), reader()), renderer.render(page('# b', 3), reader('bob'))]
    const [given, next] = await Promise.all(waiting)
    delay.disable()
    expect(given).toEqual({ html: null, reason: 'too-costly' })
    expect(next?.html).toContain('<h2')
    // The time limit of a page is 300 ms; this thread is never blocked for that long.
    expect(delay.percentile(50) / 1e6).toBeLessThan(60)
    const started = performance.now()
    expect(await renderer.render(page(costly, 2), reader())).toEqual({ html: null, reason: 'too-costly' })
    expect(performance.now() - started).toBeLessThan(20)
  })

  test('readers take turns', async () => {
    const renderer = createPageRenderer({ timeMs: 5000, idleMs: 50, maxWaitMs: 60_000 })
    const ended: string[] = []
    const open = async (accountId: string, at: number) => {
      await renderer.render(page('# a', at), reader(accountId))
      ended.push(accountId)
    }
    await Promise.all(['ann', 'ann', 'ann', 'ann', 'bob'].map(open))
    expect(ended).toEqual(['ann', 'ann', 'bob', 'ann', 'ann'])
  })

  test('a rendered page is cached; a reader who waits too long gets the page as stored', async () => {
    const renderer = createPageRenderer({ timeMs: 300, idleMs: 50, maxWaitMs: 100 })
    const first = await renderer.render(page('# a'), reader())
    expect(await renderer.render(page('# a'), reader('bob'))).toBe(first)
    const given = renderer.render(page(costly, 2), reader())
    expect(await renderer.render(page('# c', 4), reader('bob'))).toEqual({ html: null, reason: 'busy' })
    expect(await given).toMatchObject({ html: null })
    expect((await renderer.render(page('# c', 4), reader('bob'))).html).toContain('<h2')
    // The thread ends when it is idle, and starts again when it is needed.
    await sleep(200)
    expect((await renderer.render(page('# d', 5), reader())).html).toContain('<h2')
  })
})
