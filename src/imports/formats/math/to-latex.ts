import type { MathBuilder } from './build-math.ts'
import { mathNode, type MathNode, type ToLatex } from './math-node.ts'
import { rowToLatex } from './rows.ts'
import { multiscriptsToLatex, scriptsToLatex, underOverToLatex } from './scripts.ts'
import { tableToLatex } from './tables.ts'
import { textToLatex, tokenToLatex } from './tokens.ts'

/** Maximum length of a formula; longer ones become plain text, because reading apps do not typeset them. */
const maxLatexLength = 2_000
/** Maximum depth of a formula; deeper ones become plain text. */
const maxDepth = 60
const texEncodings = /^(?:application\/x-tex|application\/x-latex|tex|latex|text\/x-tex|text\/latex)$/i

/** Converts a formula to LaTeX for `$…$`, in one line; null if it is empty, too long or too deep. */
export function mathToLatex({ root, isTooLong }: MathBuilder): string | null {
  if (isTooLong || depthOf(root) > maxDepth) return null
  const latex = tidy(givenLatex(root) ?? toLatex({ ...root, name: 'mrow' }))
  return latex === '' || latex.length > maxLatexLength ? null : latex
}

/** One element with its contents. */
const toLatex: ToLatex = (node) => {
  const token = tokenToLatex(node)
  if (token !== null) return token
  const convert = converters.get(node.name)
  return convert === undefined ? rowToLatex(node.children, toLatex) : convert(node)
}

const group: ToLatex = (node) => rowToLatex(node.children, toLatex)
const nothing: ToLatex = () => ''
const scripts: ToLatex = (node) => scriptsToLatex(node, toLatex)
const underOver: ToLatex = (node) => underOverToLatex(node, toLatex)

const converters: ReadonlyMap<string, ToLatex> = new Map(
  Object.entries({
    mrow: group,
    mstyle: group,
    mpadded: group,
    merror: group,
    mfrac: fraction,
    msqrt: (node) => `\\sqrt{${group(node)}}`,
    mroot: ({ children: [base, index] }) => `\\sqrt[${convertOne(index).replace(/[[\]]/g, '')}]{${convertOne(base)}}`,
    msub: scripts,
    msup: scripts,
    msubsup: scripts,
    munder: underOver,
    mover: underOver,
    munderover: underOver,
    mmultiscripts: (node) => multiscriptsToLatex(node, toLatex),
    mtable: (node) => tableToLatex(node, toLatex),
    mfenced: fenced,
    menclose: enclosed,
    mphantom: (node) => `\\phantom{${group(node)}}`,
    maction: ({ children, attributes }) =>
      convertOne(children[Number(attributes['selection'] ?? 1) - 1] ?? children[0]),
    semantics: (node) => givenLatex(node) ?? convertOne(node.children[0]),
    annotation: nothing,
    'annotation-xml': nothing,
    none: nothing,
    mprescripts: nothing,
    malignmark: nothing,
    maligngroup: nothing,
    // HTML words inside a text.
    span: (node) => textToLatex(node.text) + group(node),
  }),
)

function convertOne(node: MathNode | undefined): string {
  return node === undefined ? '' : toLatex(node).trim()
}

function fraction({ children: [top, bottom], attributes }: MathNode): string {
  const [above, below] = [convertOne(top), convertOne(bottom)]
  if (/^0(?:\.0*)?[a-z%]*$/.test(attributes['linethickness'] ?? '')) return `\\genfrac{}{}{0pt}{}{${above}}{${below}}`
  return attributes['bevelled'] === 'true' ? `{${above}}/{${below}}` : `\\frac{${above}}{${below}}`
}

/** The operator of a fence; empty if the fence is empty. */
function fence(text: string): MathNode[] {
  return text.trim() === '' ? [] : [mathNode('mo', [], text)]
}

function fenced({ children, attributes }: MathNode): string {
  const separators = Array.from((attributes['separators'] ?? ',').replace(/\s/g, ''))
  const inner = children.flatMap((child, index) => {
    const separator = index === 0 ? undefined : (separators[index - 1] ?? separators.at(-1))
    return separator === undefined ? [child] : [mathNode('mo', [], separator), child]
  })
  const [open = '(', close = ')'] = [attributes['open'], attributes['close']]
  return rowToLatex([...fence(open), ...inner, ...fence(close)], toLatex)
}

const notations: ReadonlyMap<string, string> = new Map(
  Object.entries({
    box: '\\boxed',
    roundedbox: '\\boxed',
    circle: '\\boxed',
    radical: '\\sqrt',
    top: '\\overline',
    bottom: '\\underline',
    updiagonalstrike: '\\cancel',
    downdiagonalstrike: '\\bcancel',
    horizontalstrike: '\\cancel',
  }),
)

function enclosed(node: MathNode): string {
  const names = (node.attributes['notation'] ?? '').split(/\s+/)
  const command = names.map((name) => notations.get(name)).find((found) => found !== undefined)
  return command === undefined ? group(node) : `${command}{${group(node)}}`
}

/** The author's LaTeX annotation in the MathML, if it can be used between dollar signs unchanged. */
function givenLatex({ children }: MathNode): string | null {
  const [only] = children
  if (children.length === 1 && only?.name === 'semantics') return givenLatex(only)
  const annotation = children.find(
    ({ name, attributes }) => name === 'annotation' && texEncodings.test(attributes['encoding'] ?? ''),
  )
  const tex =
    annotation?.text
      .replace(/(?<!\\)%[^\n]*(?=\n|$)/g, '')
      .replace(/\s+/g, ' ')
      .trim() ?? ''
  const inner = /^\{\\(?:displaystyle|textstyle) (.*)\}$/.exec(tex)?.[1]
  return inner !== undefined && isBalanced(inner) ? inner.trim() : isSafe(tex) ? tex : null
}

/** True if braces are balanced, and nothing in it ends the formula or defines commands. */
function isSafe(tex: string): boolean {
  if (
    tex === '' ||
    tex.length > maxLatexLength ||
    /(?<!\\)\$|`|\\(?:def|gdef|newcommand|let|label|ref|html\w+|href|url|includegraphics)(?![A-Za-z])/.test(tex)
  )
    return false
  return isBalanced(tex)
}

function isBalanced(tex: string): boolean {
  let depth = 0
  for (let at = 0; at < tex.length; at++) {
    if (tex[at] === '\\') at++
    else if (tex[at] === '{') depth++
    else if (tex[at] === '}' && --depth < 0) return false
  }
  return depth === 0 && !tex.endsWith('\\')
}

function depthOf(node: MathNode): number {
  let deepest = 0
  const waiting: [node: MathNode, depth: number][] = [[node, 1]]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [current, depth] = next
    deepest = Math.max(deepest, depth)
    for (const child of current.children) waiting.push([child, depth + 1])
  }
  return deepest
}

function tidy(latex: string): string {
  const text = latex.replace(/\s+/g, ' ').trim()
  // Removes the backslash of a trailing escaped space.
  return text.endsWith('\\') && !text.endsWith('\\\\') ? text.slice(0, -1).trim() : text
}
