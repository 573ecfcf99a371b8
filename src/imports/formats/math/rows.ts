import type { MathNode, ToLatex } from './math-node.ts'
import { matrixNames, tableToLatex } from './tables.ts'
import { characters, joinLatex } from './tokens.ts'

const openers = new Set(['(', '[', '{', '⟨', '〈', '〈', '⌈', '⌊', '⟦', '⟮'])
const closers = new Set([')', ']', '}', '⟩', '〉', '〉', '⌉', '⌋', '⟧', '⟯'])
const bars = new Set(['|', '∣', '‖', '∥'])
/** Elements that are taller than a line, so that fences around them stretch. */
const tall = new Set(['mfrac', 'mtable', 'munder', 'mover', 'munderover', 'msqrt', 'mroot', 'mmultiscripts'])
const wrappers = new Set(['mrow', 'mstyle', 'mpadded', 'semantics'])

/**
 * Converts a sequence of elements; fences stretch around tall ones, and fences around a table determine its
 * environment.
 */
export function rowToLatex(nodes: readonly MathNode[], toLatex: ToLatex): string {
  const parts: string[] = []
  for (let at = 0; at < nodes.length; at++) {
    const node = nodes[at]
    if (node === undefined) continue
    const end = isFence(node) ? closingFence(nodes, at) : -1
    if (end < 0) {
      parts.push(openCases(nodes, at, toLatex) ?? spaced(node, parts, toLatex))
      if (parts.at(-1)?.startsWith('\\begin{cases}') === true && isFence(node)) at = nodes.length
      continue
    }
    parts.push(fencedToLatex(nodes.slice(at, end + 1), toLatex))
    at = end
  }
  return joinLatex(parts)
}

/**
 * Adds spacing: a plus or minus at the start of a row, or after a fence or another operator, is a sign without space
 * around it.
 */
function spaced(node: MathNode, before: readonly string[], toLatex: ToLatex): string {
  const latex = toLatex(node)
  const isSign = before.every((part) => part === '') || /(?:[(,=[{]|\\[{]) ?$/.test(before.at(-1) ?? '')
  return isSign && node.name === 'mo' && /^[+\-−±∓]$/.test(fenceText(node)) ? latex.trim() : latex
}

function isFence(node: MathNode): boolean {
  return node.name === 'mo' && (openers.has(fenceText(node)) || bars.has(fenceText(node)))
}

function fenceText(node: MathNode): string {
  return node.text.trim()
}

/** The index of the fence that closes the one at `from`; -1 if there is none. */
function closingFence(nodes: readonly MathNode[], from: number): number {
  const opener = nodes[from]
  if (opener === undefined) return -1
  const text = fenceText(opener)
  if (bars.has(text)) {
    // A bar is a fence if a second bar in the row closes it; a single bar separates a condition.
    const end = nodes.findIndex((node, at) => at > from + 1 && node.name === 'mo' && fenceText(node) === text)
    const isCondition = opener.attributes['fence'] === 'false' || opener.attributes['stretchy'] === 'false'
    return isCondition ? -1 : end
  }
  let depth = 0
  for (let at = from; at < nodes.length; at++) {
    const node = nodes[at]
    if (node?.name !== 'mo') continue
    if (openers.has(fenceText(node))) depth++
    else if (closers.has(fenceText(node)) && --depth === 0) return at
  }
  return -1
}

function fencedToLatex(nodes: readonly MathNode[], toLatex: ToLatex): string {
  const [open, close] = [fenceText(nodes[0] as MathNode), fenceText(nodes.at(-1) as MathNode)]
  const inner = nodes.slice(1, -1)
  const only = soleChild(inner)
  if (only?.name === 'mtable') {
    const kind = matrixNames.get(`${open}${close}`)
    if (kind !== undefined) return tableToLatex(only, toLatex, kind)
  }
  if (
    only?.name === 'mfrac' &&
    open === '(' &&
    close === ')' &&
    only.attributes['linethickness']?.startsWith('0') === true
  ) {
    const [top, bottom] = only.children
    return `\\binom{${top === undefined ? '' : toLatex(top).trim()}}{${bottom === undefined ? '' : toLatex(bottom).trim()}}`
  }
  const text = rowToLatex(inner, toLatex).trim()
  const [left, right] = [fenceLatex(open, '\\lvert'), fenceLatex(close, '\\rvert')]
  if (!inner.some(isTall)) return joinLatex([left, text, right])
  return joinLatex([`\\left${left}`, text, `\\right${right}`])
}

function fenceLatex(text: string, bar: string): string {
  if (text === '|' || text === '∣') return bar
  if (text === '‖' || text === '∥') return bar.replace('vert', 'Vert')
  if (text === '⟦') return '⟦'
  if (text === '⟧') return '⟧'
  return characters(text)
}

/** The only element of a row apart from empty wrappers; undefined if there are several. */
export function soleChild(nodes: readonly MathNode[]): MathNode | undefined {
  const visible = nodes.filter(
    (node) => node.name !== 'mspace' && !(node.name === 'mo' && /^[\u2061-\u2064]*$/.test(node.text.trim())),
  )
  const [only] = visible
  if (visible.length !== 1 || only === undefined) return undefined
  return wrappers.has(only.name) ? soleChild(only.children) : only
}

function isTall(node: MathNode): boolean {
  return tall.has(node.name) || node.children.some(isTall)
}

/** An unclosed brace before a table: cases. */
function openCases(nodes: readonly MathNode[], at: number, toLatex: ToLatex): string | null {
  const node = nodes[at]
  if (node?.name !== 'mo' || fenceText(node) !== '{') return null
  const rest = nodes.slice(at + 1).filter((next) => !(next.name === 'mo' && next.text.trim() === ''))
  const table = soleChild(rest)
  return table?.name === 'mtable' ? tableToLatex(table, toLatex, 'cases') : null
}
