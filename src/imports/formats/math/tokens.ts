import type { MathNode } from './math-node.ts'
import { commandOf, functionNames } from './symbols.ts'

const variantCommands: ReadonlyMap<string, string> = new Map(
  Object.entries({
    normal: '\\mathrm',
    bold: '\\mathbf',
    'bold-italic': '\\boldsymbol',
    italic: '\\mathit',
    'double-struck': '\\mathbb',
    script: '\\mathscr',
    'bold-script': '\\mathscr',
    fraktur: '\\mathfrak',
    'bold-fraktur': '\\mathfrak',
    'sans-serif': '\\mathsf',
    'bold-sans-serif': '\\mathsf',
    'sans-serif-italic': '\\mathsf',
    'sans-serif-bold-italic': '\\mathsf',
    monospace: '\\mathtt',
  }),
)

/** The first character of each alphabet among the mathematical alphanumeric symbols (Unicode, U+1D400), with its style. */
const alphabets: readonly (readonly [from: number, command: string])[] = [
  [0x1d400, '\\mathbf'],
  [0x1d434, ''],
  [0x1d468, '\\boldsymbol'],
  [0x1d49c, '\\mathscr'],
  [0x1d504, '\\mathfrak'],
  [0x1d538, '\\mathbb'],
  [0x1d56c, '\\mathfrak'],
  [0x1d5a0, '\\mathsf'],
  [0x1d670, '\\mathtt'],
  [0x1d6a4, ''],
  [0x1d6a8, '\\boldsymbol'],
  [0x1d6e2, ''],
  [0x1d71c, '\\boldsymbol'],
  [0x1d7cb, '\\mathbf'],
  [0x1d7d8, '\\mathbb'],
  [0x1d7e2, '\\mathsf'],
  [0x1d7f6, '\\mathtt'],
]
const letterlike: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ℂ: '\\mathbb{C}',
    ℍ: '\\mathbb{H}',
    ℕ: '\\mathbb{N}',
    ℙ: '\\mathbb{P}',
    ℚ: '\\mathbb{Q}',
    ℝ: '\\mathbb{R}',
    ℤ: '\\mathbb{Z}',
    ℬ: '\\mathscr{B}',
    ℰ: '\\mathscr{E}',
    ℱ: '\\mathscr{F}',
    ℋ: '\\mathscr{H}',
    ℐ: '\\mathscr{I}',
    ℒ: '\\mathscr{L}',
    ℳ: '\\mathscr{M}',
    ℛ: '\\mathscr{R}',
    ℭ: '\\mathfrak{C}',
    ℨ: '\\mathfrak{Z}',
    ⅆ: '\\mathrm{d}',
    ⅅ: '\\mathrm{D}',
    ⅇ: '\\mathrm{e}',
    ⅈ: '\\mathrm{i}',
  }),
)
const invisibleCharacters = /[\u2060-\u2064\u200B-\u200F]|\p{Variation_Selector}/gu
const relations = /^[=<>≤≥≠≡≈≅∼≃∝≪≫≺≻⊂⊃⊆⊇∈∉∋→←↔⇒⇐⇔⟶⟹⟺↦∣∥⊢⊨+\-−±∓×÷∪∩∧∨⊕⊗∖⩽⩾⪯⪰≔]$|^(?::=|==|!=|<=|>=|->|\+=|-=)$/u
const textEscapes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '\\': '\\textbackslash{}',
    '^': '\\textasciicircum{}',
    '~': '\\textasciitilde{}',
    '{': '\\{',
    '}': '\\}',
    '#': '\\#',
    '%': '\\%',
    '&': '\\&',
    _: '\\_',
    $: '\\$',
    '`': '‘',
    '|': '\\textbar{}',
    '<': '\\textless{}',
    '>': '\\textgreater{}',
  }),
)

/** Output that would absorb a following letter or digit: a command, or a script without braces. */
const needsBlank = /(?:\\[A-Za-z]+|[_^][A-Za-z0-9])$/

/** Joins pieces of LaTeX, adding a space where a command or script would absorb the following letter. */
export function joinLatex(parts: readonly string[]): string {
  let joined = ''
  for (const part of parts) {
    if (part === '') continue
    joined += /^[A-Za-z0-9]/.test(part) && needsBlank.test(joined.slice(-40)) ? ` ${part}` : part
  }
  return joined
}

/** Wraps text inside a formula as `\text{…}`; empty for an empty text. */
export function textToLatex(source: string): string {
  const text = source.replace(invisibleCharacters, '')
  if (text.trim() === '') return text === '' ? '' : '\\ '
  return `\\text{${text.replace(/[\\^~{}#%&_$`|<>]/g, (sign) => textEscapes.get(sign) ?? '')}}`
}

/** Converts an identifier, number, operator, text or space; null for any other element. */
export function tokenToLatex(node: MathNode): string | null {
  const text = node.text.trim().replace(invisibleCharacters, '')
  switch (node.name) {
    case 'mi':
      return identifier(text, node.attributes['mathvariant'])
    case 'mn':
      return withVariant(characters(text), node.attributes['mathvariant'])
    case 'mo':
      return operator(text)
    case 'mtext':
    case 'mglyph':
      return textToLatex(node.text === '' ? (node.attributes['alt'] ?? '') : node.text)
    case 'ms':
      return textToLatex(`"${node.text}"`)
    case 'mspace':
      return space(node.attributes['width'] ?? '')
    default:
      return null
  }
}

function identifier(text: string, variant: string | undefined): string {
  if (functionNames.has(text)) return `\\${text}`
  if (text === 'lim inf' || text === 'lim sup') return `\\${text.replace(' ', '')}`
  const isOne = [...text].length === 1
  if (isOne) return withVariant(characters(text), variant)
  if (!/^[\p{L}\p{N}\s.'’-]*$/u.test(text)) return withVariant(characters(text), variant)
  // A word of basic Latin letters is upright, like in MathML; other words are text.
  if (!/^[A-Za-z][A-Za-z0-9]*$/.test(text))
    return /^[\u0370-\u03FF\u{1D400}-\u{1D7FF}ℂℕℙℚℝℤ\d]+$/u.test(text) ? characters(text) : textToLatex(text)
  return `${variantCommands.get(variant ?? 'normal') ?? '\\mathrm'}{${text}}`
}

function withVariant(latex: string, variant: string | undefined): string {
  if (variant === undefined || latex === '') return latex
  // Capital Greek letters and digits are upright anyway.
  if (variant === 'normal' && !/^[A-Za-z]+$/.test(latex)) return latex
  if (variant === 'italic' && /^\\?[A-Za-z]+$/.test(latex)) return latex
  const command = variantCommands.get(variant)
  if (command === undefined || latex.startsWith(command)) return latex
  return latex.startsWith('\\') && command !== '\\mathrm' ? `\\boldsymbol{${latex}}` : `${command}{${latex}}`
}

function operator(text: string): string {
  if (functionNames.has(text)) return `\\${text}`
  if (/^\p{L}{2,}$/u.test(text)) return /^[A-Za-z]+$/.test(text) ? `\\operatorname{${text}}` : textToLatex(text)
  const latex = characters(text)
  return relations.test(text) ? ` ${latex} ` : latex
}

/** Converts a text to LaTeX, character by character. */
export function characters(text: string): string {
  return joinLatex(Array.from(text.normalize('NFC'), character))
}

function character(source: string): string {
  const known = commandOf.get(source) ?? letterlike.get(source)
  if (known !== undefined) return known
  if (/^[ -~]$/.test(source)) return source.trim()
  const code = source.codePointAt(0) ?? 0
  if (code >= 0x1d400 && code <= 0x1d7ff) {
    const base = source.normalize('NFKC')
    const style = alphabets.findLast(([from]) => from <= code)?.[1] ?? ''
    const latex = commandOf.get(base) ?? base
    return style === '' ? latex : `${style}{${latex}}`
  }
  const plain = source.normalize('NFKC')
  if (/^[A-Za-z0-9]+$/.test(plain)) return plain
  return /^\s+$/.test(source) ? '' : textToLatex(source)
}

function space(width: string): string {
  const size = Number.parseFloat(width)
  if (Number.isNaN(size)) return /^(?:thick|verythick|veryverythick)mathspace$/.test(width) ? '\\;' : ''
  const inEm = width.endsWith('px') || width.endsWith('pt') ? size / 10 : width.endsWith('ex') ? size / 2 : size
  return inEm >= 2 ? '\\qquad ' : inEm >= 0.8 ? '\\quad ' : inEm > 0.05 ? '\\,' : ''
}
