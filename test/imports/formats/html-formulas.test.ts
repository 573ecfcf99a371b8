import { describe, expect, test } from 'vitest'
import { readDocument } from '../../support/read-document.ts'

const html = (body: string, head = '') =>
  readDocument(Buffer.from(`<html><head>${head}</head><body>${body}</body></html>`), 'html')
const mathJax = '<script src="https://example.org/mathjax/MathJax.js"></script>'
const dollars = `${mathJax}<script>MathJax.Hub.Config({ tex2jax: { inlineMath: [['$', '$']] } })</script>`
const mathml = (tex: string) =>
  `<math><semantics><mi>f</mi><annotation encoding="application/x-tex">${tex}</annotation></semantics></math>`
const shown = (tex: string) => `$$\n${tex}\n$$`

describe('formulas of a page of HTML', () => {
  test.for<[what: string, source: string, markdown: string]>([
    ['Pandoc', 'x <span class="math inline">\\(a &lt; b\\)</span> y', 'x $a < b$ y'],
    ['Pandoc, displayed', '<p><span class="math display">\\[a^2\\]</span></p>', shown('a^2')],
    ['Sphinx', '<div class="math notranslate"><p><img src="m.png" alt="a^2"></p></div>', shown('a^2')],
    ['a site of questions', 'x <span class="math-container">$a$</span>', 'x $a$'],
    ['WordPress', 'x <img class="latex" src="a.png" alt="a^2">', 'x $a^2$'],
    [
      'MathJax 2 with its scripts',
      'x <span class="MathJax_Preview">p</span><span class="MathJax"><nobr aria-hidden="true">d</nobr></span><script type="math/tex">d_2</script> y',
      'x $d_2$ y',
    ],
    [
      'MathJax 2, displayed',
      '<div class="MathJax_Display"><span class="MathJax">d</span></div><script type="math/tex; mode=display">d_2 \\label{e}</script>',
      shown('d_2'),
    ],
    [
      'MathJax 2 without its scripts',
      'x <span class="MathJax" data-mathml="&lt;math&gt;&lt;mi&gt;q&lt;/mi&gt;&lt;/math&gt;"><nobr aria-hidden="true">q</nobr></span>',
      'x $q$',
    ],
    [
      'MathJax 3',
      '<p><mjx-container display="true"><mjx-math aria-hidden="true"><mjx-mi>e</mjx-mi></mjx-math><mjx-assistive-mml><math><msup><mi>e</mi><mn>2</mn></msup></math></mjx-assistive-mml></mjx-container></p>',
      shown('e^2'),
    ],
    ['MathJax 4', 'x <mjx-container><mjx-math data-latex="e^2"></mjx-math></mjx-container>', 'x $e^2$'],
    [
      'KaTeX',
      `x <span class="katex"><span class="katex-mathml">${mathml('f_1')}</span><span class="katex-html" aria-hidden="true">f1</span></span>`,
      'x $f_1$',
    ],
    [
      'KaTeX, displayed',
      `<span class="katex-display"><span class="katex"><span class="katex-mathml">${mathml('f_1')}</span><span class="katex-html" aria-hidden="true">f1</span></span></span>`,
      shown('f_1'),
    ],
    ['KaTeX without MathML', '<span class="katex"><span class="katex-html" aria-hidden="true">f1</span></span>', 'f1'],
    [
      'MediaWiki',
      `x <span class="mwe-math-element"><span class="mwe-math-mathml-inline" style="display: none;">${mathml('{\\displaystyle g^{2}}')}</span><img class="mwe-math-fallback-image-inline" aria-hidden="true" alt="{\\displaystyle g^{2}}"></span>`,
      'x $g^{2}$',
    ],
  ])('of %s appear once', async ([, source, markdown]) => {
    const { text, hasFormulas } = await html(source)
    expect(text).toBe(markdown)
    expect(hasFormulas).toBe(markdown.includes('$'))
  })

  test.for<[what: string, head: string, source: string, markdown: string]>([
    ['delimiters where MathJax is loaded', mathJax, 'x \\(a &amp; b\\), $5 and $6', 'x $a & b$, \\$5 and \\$6'],
    ['dollars where it looks for them', dollars, 'x $a_1$, $5 and $ 6', 'x $a_1$, \\$5 and \\$ 6'],
    [
      'environments',
      mathJax,
      '<p>\\begin{align} a &amp;= b \\end{align}</p>',
      shown('\\begin{aligned} a &= b \\end{aligned}'),
    ],
    ['no delimiters in code', mathJax, '<code>\\(a\\)</code>', '`\\(a\\)`'],
    ['no delimiters where nothing is loaded', '', 'x \\(a\\) $b$', 'x \\\\(a\\\\) \\$b\\$'],
    ['an element without delimiters', mathJax, 'x <span class="math inline">a^2</span>', 'x $a^2$'],
    ['no element that only has the name', '', 'x <span class="math">sums</span>', 'x sums'],
  ])('are found by %s', async ([, head, source, markdown]) => {
    expect((await html(source, head)).text).toBe(markdown)
  })

  test.for([
    ['\\('.repeat(500_000)],
    ['$$ '.repeat(300_000)],
    ['\\[x'.repeat(300_000) + '\\]'],
    ['\\begin{align}'.repeat(80_000)],
    ['$a '.repeat(300_000)],
  ])('%#: openers without closers take linear time', async ([source]) => {
    const startedAt = process.cpuUsage()
    await html(`<p>${source}</p>`, dollars)
    expect(process.cpuUsage(startedAt).user / 1_000_000).toBeLessThan(10)
  })
})
