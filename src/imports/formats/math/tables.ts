import type { MathNode, ToLatex } from './math-node.ts'

/** LaTeX environments by the fences around a table. */
export const matrixNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '()': 'pmatrix',
    '[]': 'bmatrix',
    '{}': 'Bmatrix',
    '||': 'vmatrix',
    '∣∣': 'vmatrix',
    '‖‖': 'Vmatrix',
    '∥∥': 'Vmatrix',
  }),
)

/**
 * Converts a table to the named environment; without a name, its alignment decides between equations, an array and a
 * matrix.
 */
export function tableToLatex(table: MathNode, toLatex: ToLatex, name?: string): string {
  const rows = table.children.filter((row) => row.name === 'mtr' || row.name === 'mlabeledtr')
  const lines = rows.map((row) => rowLatex(row, toLatex))
  const columns = Math.max(1, ...rows.map((row) => row.children.length))
  const [environment, argument] = name === undefined ? environmentOf(table, columns) : [name, '']
  if (name === 'cases' && columns > 2) {
    return `\\left\\{\\begin{array}{${'l'.repeat(columns)}} ${lines.join(' \\\\ ')} \\end{array}\\right.`
  }
  return `\\begin{${environment}}${argument} ${lines.join(' \\\\ ')} \\end{${environment}}`
}

function rowLatex({ name, children }: MathNode, toLatex: ToLatex): string {
  const [label, ...others] = children
  const cells = (name === 'mlabeledtr' ? others : children).map((cell) => toLatex(cell).trim())
  const text = cells.join(' & ')
  return name === 'mlabeledtr' && label !== undefined ? `${text} \\qquad ${toLatex(label).trim()}` : text
}

function environmentOf({ attributes }: MathNode, columns: number): [environment: string, argument: string] {
  const alignment = (attributes['columnalign'] ?? '').split(/\s+/).filter((word) => word !== '')
  if (alignment[0] === 'right' && alignment[1] === 'left') return ['aligned', '']
  if (alignment.some((word) => word !== 'center')) {
    const letters = Array.from({ length: columns }, (_, at) => (alignment[at] ?? alignment.at(-1) ?? 'c').charAt(0))
    return ['array', `{${letters.map((letter) => ('lcr'.includes(letter) ? letter : 'c')).join('')}}`]
  }
  return ['matrix', '']
}
