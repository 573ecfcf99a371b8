import { renderToString } from 'katex'
import { describe, expect, test } from 'vitest'
import { convertBody } from '../../support/read-epub.ts'

const mo = (text: string) => `<mo>${text}</mo>`
const row = (...cells: string[]) => `<mtr>${cells.map((cell) => `<mtd>${cell}</mtd>`).join('')}</mtr>`
const x = '<mi>x</mi>'
const n = '<mi>n</mi>'
const two = '<mn>2</mn>'
const square = `<mtable>${row('<mi>a</mi>', '<mi>b</mi>')}${row('<mi>c</mi>', '<mi>d</mi>')}</mtable>`
const half = `<mfrac><mn>1</mn>${two}</mfrac>`

/** Presentation MathML as found in books, and its LaTeX. */
const formulas: [what: string, mathml: string, latex: string][] = [
  ['a power', `<msup>${x}${two}</msup>${mo('+')}<mn>1</mn>`, 'x^2 + 1'],
  ['an index of two letters', `<msub>${x}<mrow><mi>i</mi><mi>j</mi></mrow></msub>`, 'x_{ij}'],
  ['both scripts', `<msubsup>${x}<mi>i</mi>${two}</msubsup>`, 'x_i^2'],
  ['a power of a sum', `<msup><mrow>${mo('(')}${x}${mo('+')}<mi>y</mi>${mo(')')}</mrow>${n}</msup>`, '{(x + y)}^n'],
  ['a fraction', '<mfrac><mi>a</mi><mi>b</mi></mfrac>', '\\frac{a}{b}'],
  ['a fraction in a fraction', `<mfrac>${x}<mfrac><mi>y</mi><mi>z</mi></mfrac></mfrac>`, '\\frac{x}{\\frac{y}{z}}'],
  ['a slanted fraction', `<mfrac bevelled="true"><mn>1</mn>${two}</mfrac>`, '{1}/{2}'],
  ['a binomial', `${mo('(')}<mfrac linethickness="0">${n}<mi>k</mi></mfrac>${mo(')')}`, '\\binom{n}{k}'],
  ['a stack without a line', `<mfrac linethickness="0pt">${n}<mi>k</mi></mfrac>`, '\\genfrac{}{}{0pt}{}{n}{k}'],
  ['a root', `<msqrt>${x}${mo('+')}<mn>1</mn></msqrt>`, '\\sqrt{x + 1}'],
  ['a cube root', `<mroot>${x}<mn>3</mn></mroot>`, '\\sqrt[3]{x}'],
  [
    'a sum with limits',
    `<munderover>${mo('∑')}<mrow><mi>i</mi>${mo('=')}<mn>1</mn></mrow>${n}</munderover><msub>${x}<mi>i</mi></msub>`,
    '\\sum_{i = 1}^n x_i',
  ],
  ['a product below', `<munder>${mo('∏')}<mi>p</mi></munder>`, '\\prod_p'],
  [
    'an integral',
    `<msubsup>${mo('∫')}<mn>0</mn><mi>∞</mi></msubsup><mi>f</mi><mo>&#x2061;</mo>${mo('(')}${x}${mo(')')}<mspace width="0.17em"/><mi>d</mi>${x}`,
    '\\int_0^{\\infty}f(x)\\,dx',
  ],
  [
    'a limit',
    `<munder><mi>lim</mi><mrow>${x}${mo('→')}<mn>0</mn></mrow></munder><mi>f</mi>`,
    '\\lim_{x \\rightarrow 0}f',
  ],
  ['an operator of its own', `<munder>${mo('argmax')}${x}</munder>`, '\\operatorname*{argmax}_x'],
  ['functions', `<mi>sin</mi><mo>&#x2061;</mo>${x}${mo('+')}<mi>log</mi>${x}`, '\\sin x + \\log x'],
  ['a word', '<mi>speed</mi><mo>=</mo><mn>3</mn>', '\\mathrm{speed} = 3'],
  ['upright letters', '<mi mathvariant="normal">d</mi><mi>t</mi>', '\\mathrm{d}t'],
  ['bold letters', '<mi mathvariant="bold">v</mi>', '\\mathbf{v}'],
  ['bold Greek', '<mi mathvariant="bold-italic">μ</mi>', '\\boldsymbol{\\mu}'],
  ['sets', `<mi>x</mi>${mo('∈')}<mi>ℝ</mi>`, 'x \\in \\mathbb{R}'],
  ['double-struck letters', '<mi mathvariant="double-struck">N</mi>', '\\mathbb{N}'],
  ['mathematical letters of Unicode', '<mi>𝐀</mi><mi>𝑥</mi><mi>𝔤</mi><mi>𝛼</mi>', '\\mathbf{A}x\\mathfrak{g}\\alpha'],
  ['script letters', '<mi mathvariant="script">L</mi>', '\\mathscr{L}'],
  ['Greek letters', '<mi>α</mi><mi>β</mi><mi>x</mi>', '\\alpha\\beta x'],
  ['relations', `<mi>a</mi>${mo('≤')}<mi>b</mi>${mo('≠')}<mi>c</mi>`, 'a \\leq b \\neq c'],
  ['less and more', `<mi>a</mi>${mo('&lt;')}<mi>b</mi>${mo('&gt;')}<mi>c</mi>`, 'a \\lt b \\gt c'],
  ['a sign', `${mo('−')}${x}${mo('=')}${mo('−')}<mn>1</mn>`, '-x = -1'],
  ['a vector', `<mover accent="true"><mi>v</mi>${mo('→')}</mover>`, '\\vec{v}'],
  [
    'a hat over one and over more',
    `<mover>${x}${mo('^')}</mover><mover><mrow>${x}<mi>y</mi></mrow>${mo('^')}</mover>`,
    '\\hat{x}\\widehat{xy}',
  ],
  ['a bar', `<mover>${x}${mo('¯')}</mover>`, '\\bar{x}'],
  ['dots', `<mover>${x}${mo('˙')}</mover><mover>${x}${mo('¨')}</mover>`, '\\dot{x}\\ddot{x}'],
  ['a tilde', `<mover accent="true"><mi>θ</mi>${mo('~')}</mover>`, '\\tilde{\\theta}'],
  ['a line below', `<munder>${x}${mo('_')}</munder>`, '\\underline{x}'],
  [
    'a brace with words',
    `<mover><mover><mrow>${x}${mo('+')}${x}</mrow>${mo('⏞')}</mover><mtext>twice</mtext></mover>`,
    '\\overbrace{x + x}^{\\text{twice}}',
  ],
  ['a brace below', `<munder><munder>${x}${mo('⏟')}</munder>${n}</munder>`, '\\underbrace{x}_n'],
  ['an arrow with words', `<mi>A</mi><mover>${mo('→')}<mi>f</mi></mover><mi>B</mi>`, 'A\\xrightarrow{f}B'],
  ['something above', `<mover>${mo('=')}<mtext>def</mtext></mover>`, '\\xlongequal{\\text{def}}'],
  ['a prime', `<msup><mi>f</mi>${mo('′')}</msup>${mo('(')}${x}${mo(')')}`, "f'(x)"],
  ['two primes and an index', `<msubsup><mi>f</mi><mi>i</mi>${mo('″')}</msubsup>`, "f_i''"],
  ['brackets that grow', `${mo('(')}${half}${mo(')')}`, '\\left(\\frac{1}{2}\\right)'],
  ['brackets that do not', `${mo('[')}<mn>0</mn>${mo(',')}<mn>1</mn>${mo(')')}`, '[0,1)'],
  ['braces of a set', `${mo('{')}${x}${mo('∣')}${x}${mo('&gt;')}<mn>0</mn>${mo('}')}`, '\\{x \\mid x \\gt 0\\}'],
  ['bars', `${mo('|')}${x}${mo('|')}`, '\\lvert x\\rvert'],
  ['bars around a fraction', `${mo('|')}${half}${mo('|')}`, '\\left\\lvert\\frac{1}{2}\\right\\rvert'],
  ['a norm', `${mo('‖')}<mi>v</mi>${mo('‖')}`, '\\lVert v\\rVert'],
  ['floor', `${mo('⌊')}${half}${mo('⌋')}`, '\\left\\lfloor\\frac{1}{2}\\right\\rfloor'],
  ['fences as an element', `<mfenced><mi>a</mi><mi>b</mi></mfenced>`, '(a,b)'],
  ['other fences and separators', `<mfenced open="[" close="]" separators=";"><mi>a</mi><mi>b</mi></mfenced>`, '[a;b]'],
  ['a matrix', square, '\\begin{matrix} a & b \\\\ c & d \\end{matrix}'],
  ['a matrix in round brackets', `${mo('(')}${square}${mo(')')}`, '\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}'],
  [
    'a matrix in square brackets',
    `<mfenced open="[" close="]">${square}</mfenced>`,
    '\\begin{bmatrix} a & b \\\\ c & d \\end{bmatrix}',
  ],
  [
    'a determinant',
    `<mrow>${mo('|')}<mrow>${square}</mrow>${mo('|')}</mrow>`,
    '\\begin{vmatrix} a & b \\\\ c & d \\end{vmatrix}',
  ],
  [
    'cases',
    `<mi>f</mi>${mo('=')}<mrow>${mo('{')}<mtable>${row('<mn>1</mn>', `<mtext>if </mtext>${x}`)}${row('<mn>0</mn>', '<mtext>otherwise</mtext>')}</mtable></mrow>`,
    'f = \\begin{cases} 1 & \\text{if }x \\\\ 0 & \\text{otherwise} \\end{cases}',
  ],
  [
    'aligned equations',
    `<mtable columnalign="right left">${row(x, `${mo('=')}<mn>1</mn>`)}${row('<mi>y</mi>', `${mo('=')}${two}`)}</mtable>`,
    '\\begin{aligned} x & = 1 \\\\ y & = 2 \\end{aligned}',
  ],
  [
    'columns with an alignment',
    `<mtable columnalign="left right">${row('<mi>a</mi>', '<mi>b</mi>')}</mtable>`,
    '\\begin{array}{lr} a & b \\end{array}',
  ],
  [
    'an equation with its number',
    `<mtable><mlabeledtr><mtd><mtext>(3)</mtext></mtd><mtd>${x}</mtd></mlabeledtr></mtable>`,
    '\\begin{matrix} x \\qquad \\text{(3)} \\end{matrix}',
  ],
  ['an isotope', `<mmultiscripts><mi>C</mi><mprescripts/><mn>6</mn><mn>14</mn></mmultiscripts>`, '{}_6^{14}C'],
  ['a tensor', `<mmultiscripts><mi>R</mi><mi>i</mi><none/><none/><mi>j</mi></mmultiscripts>`, 'R_i{}^j'],
  ['words between', `${x}<mtext> and </mtext><mi>y</mi>`, 'x\\text{ and }y'],
  [
    'signs that LaTeX reserves',
    '<mn>50</mn><mo>%</mo><mtext> of $5 &amp; #1_a</mtext>',
    '50\\%\\text{ of \\$5 \\& \\#1\\_a}',
  ],
  ['letters of other scripts', `<mi>速度</mi>${mo('=')}<mi>ж</mi>`, '\\text{速度} = \\text{ж}'],
  ['a box', `<menclose notation="box">${x}</menclose>`, '\\boxed{x}'],
  ['a strike', `<menclose notation="updiagonalstrike">${x}</menclose>`, '\\cancel{x}'],
  ['a phantom', `<mphantom>${x}</mphantom><mi>y</mi>`, '\\phantom{x}y'],
  ['style and padding', `<mstyle displaystyle="true"><mpadded width="1em">${x}</mpadded></mstyle>`, 'x'],
  [
    'LaTeX that its author has annotated',
    `<semantics>${x}<annotation encoding="application/x-tex">{\\displaystyle \\frac{x}{2}}</annotation></semantics>`,
    '\\frac{x}{2}',
  ],
  [
    'LaTeX that would end the formula',
    `<semantics>${x}<annotation encoding="application/x-tex">a$b</annotation></semantics>`,
    'x',
  ],
  ['LaTeX with an open brace', `<semantics>${x}<annotation encoding="TeX">\\frac{a</annotation></semantics>`, 'x'],
  [
    'content markup beside it',
    `<semantics><mrow>${x}</mrow><annotation-xml encoding="MathML-Content"><ci>y</ci></annotation-xml></semantics>`,
    'x',
  ],
  ['names with a prefix', '<m:mfrac><m:mi>a</m:mi><m:mi>b</m:mi></m:mfrac>', '\\frac{a}{b}'],
  ['invisible times', `${two}<mo>&#x2062;</mo><mi>π</mi><mo>&#x2062;</mo><mi>r</mi>`, '2\\pi r'],
]

describe('MathML becomes LaTeX', () => {
  test.for(formulas)('%s', async ([, mathml, latex]) => {
    expect(await convertBody(`<p>so <math>${mathml}</math></p>`)).toBe(`so $${latex}$`)
  })

  test('that KaTeX renders without an error, inline and displayed', () => {
    expect(formulas.length).toBeGreaterThanOrEqual(60)
    for (const [, , latex] of formulas) {
      for (const displayMode of [false, true]) {
        expect(
          renderToString(latex, { output: 'mathml', throwOnError: true, displayMode, strict: 'ignore' }),
        ).toContain('<math')
      }
    }
  })

  test.for([
    [
      'a displayed formula is a block',
      `<p>so</p><math display="block">${x}</math><p>then</p>`,
      'so\n\n$$\nx\n$$\n\nthen',
    ],
    [
      'also in the middle of a paragraph',
      `<p>so <math display="block">${x}</math> then</p>`,
      'so\n\n$$\nx\n$$\n\nthen',
    ],
    [
      'in a list it is part of its item',
      `<ul><li>so <math display="block">${x}</math></li></ul>`,
      '- so\n\n  $$\n  x\n  $$',
    ],
    [
      'in a cell it is inline',
      '<table><tr><td>a</td><td><math display="block"><mo>|</mo><mi>x</mi><mo>|</mo></math></td></tr></table>',
      '|  |  |\n| --- | --- |\n| a | $\\lvert x\\rvert$ |',
    ],
    ['a formula in a heading', `<h2>On <math>${x}</math></h2>`, '## On $x$'],
    ['two formulas side by side', `<p><math>${x}</math> <math><mi>y</mi></math></p>`, '$x$ $y$'],
    ['dollars beside a formula are escaped', `<p>$5 for <math>${x}</math></p>`, '\\$5 for $x$'],
    ['dollars that would make a formula are escaped', '<p>set $a$ here</p>', 'set \\$a\\$ here'],
    ['prices stay as they are', '<p>$5 and $10</p>', '$5 and $10'],
    ['dollars in code stay', '<p><code>$a$</code></p>', '`$a$`'],
    ['an empty formula', '<p>a<math><mrow/></math></p>', 'a'],
  ] as const)('%s', async ([, body, markdown]) => {
    expect(await convertBody(body)).toBe(markdown)
  })

  test.for([
    ['five thousand elements', '<mi>x</mi>'.repeat(5_000)],
    ['four hundred levels', '<mrow>'.repeat(400) + x + '</mrow>'.repeat(400)],
    ['ten thousand characters', `<mn>${'1'.repeat(10_000)}</mn>`],
  ] as const)('a formula of %s stays text', async ([, mathml]) => {
    const text = (await convertBody(`<p><math>${mathml}</math></p>`)).replaceAll('\f', '').replaceAll('\n', '')
    expect(text).toMatch(/^[x1]+$/)
  })
})
