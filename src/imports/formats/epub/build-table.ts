import { newBlock } from './blocks.ts'
import type { Block, Mark } from './blocks.ts'

export interface Cell {
  blocks: Block[]
  header: boolean
  columns: number
  rows: number
}

/** A table while its cells go by. */
export interface Table {
  rows: Cell[][]
  /** Its first row stands in a `thead`. */
  headed: boolean
}

const mostColumns = 50
const longestRow = 1_500

/** The Markdown table, or null when cells hold more than text or it is no more than one column: then cells stand one by one. */
export function buildTable({ rows, headed: marked }: Table): Block | null {
  if (rows.some((row) => row.some((cell) => !cell.blocks.every(isPlain)))) return null
  const grid = layOut(rows)
  const columns = Math.max(0, ...grid.slice(0, 1_000).map((row) => row.length))
  if (columns < 2 || columns > mostColumns || grid.some((row) => row.length > columns)) return null
  const lines = grid.map((row) => renderRow(row, columns))
  if (lines.some((line) => line.length > longestRow)) return null
  const headed = marked || (rows[0]?.every((cell) => cell.header) ?? false)
  const [heading, body] = headed ? [lines[0] ?? '', lines.slice(1)] : [renderRow([], columns), lines]
  const block = newBlock('table', body.join('\n'))
  block.head = `${heading}\n${`| --- `.repeat(columns)}|`
  block.marks = collectMarks(rows, headed ? ['', ...body] : body)
  return block
}

function isPlain(block: Block): boolean {
  return block.kind === 'text' || block.kind === 'heading'
}

/** The cells' texts by row and column; a cell that spans several leaves the others empty. */
function layOut(rows: readonly Cell[][]): string[][] {
  const occupied: number[] = []
  return rows.map((cells) => {
    const row: string[] = []
    const skip = (): void => {
      while ((occupied[row.length] ?? 0) > 0) {
        occupied[row.length] = (occupied[row.length] ?? 0) - 1
        row.push('')
      }
    }
    for (const cell of cells) {
      skip()
      for (let column = 0; column < cell.columns && row.length <= mostColumns; column++) {
        occupied[row.length] = cell.rows - 1
        row.push(column === 0 ? cellText(cell) : '')
      }
    }
    skip()
    return row
  })
}

function cellText(cell: Cell): string {
  const parts = cell.blocks.map((block) => {
    const body = block.kind === 'heading' ? block.body.replace(/^#+ /, '') : block.body
    return (block.first.trimStart() + body).replace(/\s*\n/g, '<br>')
  })
  return parts.join('<br>').replaceAll('|', '\\|')
}

function renderRow(row: readonly string[], columns: number): string {
  const cells = Array.from({ length: columns }, (_, column) => row[column] ?? '')
  return `| ${cells.join(' | ')} |`
}

/** What points into cells points at their rows. */
function collectMarks(rows: readonly Cell[][], lines: readonly string[]): Mark[] {
  const marks: Mark[] = []
  let at = 0
  for (const [index, row] of rows.entries()) {
    for (const cell of row) {
      for (const block of cell.blocks) marks.push(...block.marks.map((mark) => ({ ...mark, at })))
    }
    at += (lines[index]?.length ?? 0) + (index === 0 && lines[0] === '' ? 0 : 1)
  }
  return marks
}
