import { mathNode, type MathNode, type ToLatex } from './math-node.ts'
import { soleChild } from './rows.ts'
import { accents, limitOperators, stretchedArrows, underAccents } from './symbols.ts'
import { joinLatex } from './tokens.ts'

const empty = mathNode('mrow')

/** How many primes a character stands for. */
const primeCounts = new Map([
  ['″', 2],
  ['‴', 3],
  ['⁗', 4],
])

/** Converts a base with a subscript, a superscript or both. */
export function scriptsToLatex({ name, children }: MathNode, toLatex: ToLatex): string {
  const [base = empty, first = empty, second = empty] = children
  const [sub, sup] = name === 'msup' ? [empty, first] : [first, second]
  return baseLatex(base, toLatex) + script('_', sub, toLatex) + superscript(sup, toLatex)
}

function baseLatex(base: MathNode, toLatex: ToLatex): string {
  const latex = toLatex(base).trim()
  if (latex === '') return '{}'
  return isAtom(latex) || base.name === 'mi' || base.name === 'mo' ? latex : `{${latex}}`
}

/** True for one character, one command or one group. */
function isAtom(latex: string): boolean {
  return /^(?:[^\\{}_^\s]|\\[A-Za-z]+|\\[^A-Za-z\s]|\\(?:math[a-z]+|operatorname|boldsymbol|text)\{[^{}]*\})$/u.test(
    latex,
  )
}

function script(mark: '_' | '^', node: MathNode, toLatex: ToLatex): string {
  const latex = toLatex(node).trim()
  if (latex === '') return ''
  return /^[A-Za-z0-9+*=-]$/.test(latex) ? `${mark}${latex}` : `${mark}{${latex}}`
}

function superscript(node: MathNode, toLatex: ToLatex): string {
  const only = soleChild([node])
  const primes = only?.name === 'mo' || only?.name === 'mi' ? only.text.trim() : ''
  if (/^(?:[′'’]+|″|‴|⁗)$/.test(primes)) return "'".repeat(primeCounts.get(primes) ?? primes.length)
  return script('^', node, toLatex)
}

/** Converts a base with something below, above or both: limits, accents, braces, arrows with words. */
export function underOverToLatex({ name, children }: MathNode, toLatex: ToLatex): string {
  const [base = empty, first, second] = children
  const under = name === 'mover' ? undefined : first
  const over = name === 'mover' ? first : second
  const latex = toLatex(base).trim()
  if (limitOperators.has(latex) || latex.startsWith('\\operatorname{') || isBraced(latex)) {
    const limited = latex.startsWith('\\operatorname{') ? latex.replace('\\operatorname', '\\operatorname*') : latex
    return limited + scriptOf('_', under, toLatex) + scriptOf('^', over, toLatex)
  }
  const arrow = base.name === 'mo' ? stretchedArrows.get(base.text.trim()) : undefined
  if (arrow !== undefined) {
    const below = under === undefined ? '' : toLatex(under).trim().replace(/[[\]]/g, '')
    return `${arrow}${below === '' ? '' : `[${below}]`}{${over === undefined ? '' : toLatex(over).trim()}}`
  }
  return withOver(over, withUnder(under, latex, toLatex), toLatex)
}

function scriptOf(mark: '_' | '^', node: MathNode | undefined, toLatex: ToLatex): string {
  return node === undefined ? '' : script(mark, node, toLatex)
}

/** True for a brace above or below, whose label is a script. */
function isBraced(latex: string): boolean {
  return /^\\(?:over|under)brace\{/.test(latex) && latex.endsWith('}')
}

function withUnder(node: MathNode | undefined, latex: string, toLatex: ToLatex): string {
  if (node === undefined) return latex
  const command = underAccents.get(accentOf(node))
  if (command !== undefined) return `${command}{${latex}}`
  const below = toLatex(node).trim()
  return below === '' ? latex : `\\underset{${below}}{${latex}}`
}

function withOver(node: MathNode | undefined, latex: string, toLatex: ToLatex): string {
  if (node === undefined) return latex
  const accent = accents.get(accentOf(node))
  if (accent !== undefined) return `${isAtom(latex) ? accent[0] : accent[1]}{${latex}}`
  const above = toLatex(node).trim()
  return above === '' ? latex : `\\overset{${above}}{${latex}}`
}

function accentOf(node: MathNode): string {
  const only = soleChild([node])
  return only?.name === 'mo' || only?.name === 'mi' || only?.name === 'mtext' ? only.text.trim() : ''
}

/** Converts a base with scripts on both sides: tensors, isotopes. */
export function multiscriptsToLatex({ children }: MathNode, toLatex: ToLatex): string {
  const [base = empty, ...rest] = children
  const border = rest.findIndex(({ name }) => name === 'mprescripts')
  const after = border < 0 ? rest : rest.slice(0, border)
  const before = border < 0 ? [] : rest.slice(border + 1)
  const pre = pairs(before, toLatex)
  return joinLatex([pre === '' ? '' : `{}${pre}`, baseLatex(base, toLatex) + pairs(after, toLatex)])
}

function pairs(nodes: readonly MathNode[], toLatex: ToLatex): string {
  let latex = ''
  for (let at = 0; at < nodes.length; at += 2) {
    const pair = script('_', nodes[at] ?? empty, toLatex) + script('^', nodes[at + 1] ?? empty, toLatex)
    // A second script of the same kind needs an empty base.
    latex += latex === '' || pair === '' ? pair : `{}${pair}`
  }
  return latex
}
