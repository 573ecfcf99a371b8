import { newBlock } from './blocks.ts'
import type { Block, Anchor } from './blocks.ts'

export interface Cell {
  blocks: Block[]
  header: boolean
  columnSpan: number
  rowSpan: number
}

/** A table whose cells are being parsed. */
export interface TableState {
  rows: Cell[][]
  /** Whether its first row is in a `thead`. */
  hasHeader: boolean
}

const maxColumns = 50
const maxRowLength = 1_500
/** Maximum length of a cell that may be a header because it is bold. */
const maxHeaderLength = 80

/**
 * The Markdown table, or null if cells contain more than text, or if there are fewer than two or too many columns. The
 * caller then writes the cells one by one.
 */
export function buildTable({ rows, hasHeader }: TableState): Block | null {
  if (rows.some((row) => row.some((cell) => !cell.blocks.every(isPlain)))) return null
  const hasHeaderRow = hasHeader || (rows[0]?.every((cell) => cell.header) ?? false) || takeBoldHeader(rows)
  const grid = layOutCells(rows)
  const columns = Math.max(0, ...grid.slice(0, 1_000).map((row) => row.length))
  if (columns < 2 || columns > maxColumns || grid.some((row) => row.length > columns)) return null
  const lines = grid.map((row) => renderRow(row, columns))
  if (lines.some((line) => line.length > maxRowLength)) return null
  const [heading, body] = hasHeaderRow ? [lines[0] ?? '', lines.slice(1)] : [renderRow([], columns), lines]
  const block = newBlock('table', body.join('\n'))
  block.head = `${heading}\n${`| --- `.repeat(columns)}|`
  block.anchors = collectAnchors(rows, hasHeaderRow ? ['', ...body] : body)
  return block
}

/**
 * Takes the first row as the header if all its cells are short and bold and the second row is not. Some programs write
 * headers this way. Removes the emphasis, which headers have anyway.
 */
function takeBoldHeader([first = [], second = []]: readonly Cell[][]): boolean {
  const cells = first.flatMap(({ blocks }) => blocks)
  if (cells.length < 2 || !cells.every(isBold) || !second.some(({ blocks }) => blocks.length > 0)) return false
  if (first.some(({ blocks }) => blocks.length > 1) || second.every(({ blocks }) => blocks.every(isBold))) return false
  for (const block of cells) block.body = block.body.slice(2, -2)
  return true
}

/** True if a text is one short span of strong emphasis. */
function isBold({ body }: Block): boolean {
  return body.length <= maxHeaderLength && /^\*\*(?!\*)(?:(?!\*\*)[^\n])+(?<!\*)\*\*$/.test(body)
}

function isPlain(block: Block): boolean {
  return block.kind === 'text' || block.kind === 'heading'
}

/** The texts of the cells by row and column; a cell that spans several positions leaves the others empty. */
function layOutCells(rows: readonly Cell[][]): string[][] {
  const occupied: number[] = []
  return rows.map((cells) => {
    const row: string[] = []
    const skipOccupied = (): void => {
      while ((occupied[row.length] ?? 0) > 0) {
        occupied[row.length] = (occupied[row.length] ?? 0) - 1
        row.push('')
      }
    }
    for (const cell of cells) {
      skipOccupied()
      for (let column = 0; column < cell.columnSpan && row.length <= maxColumns; column++) {
        occupied[row.length] = cell.rowSpan - 1
        row.push(column === 0 ? cellText(cell) : '')
      }
    }
    skipOccupied()
    return row
  })
}

function cellText(cell: Cell): string {
  const parts = cell.blocks.map((block) => {
    const body = block.kind === 'heading' ? block.body.replace(/^#+ /, '') : block.body
    return (block.firstLinePrefix.trimStart() + body).replace(/\s*\n/g, '<br>')
  })
  return parts.join('<br>').replaceAll('|', '\\|')
}

function renderRow(row: readonly string[], columns: number): string {
  const cells = Array.from({ length: columns }, (_, column) => row[column] ?? '')
  return `| ${cells.join(' | ')} |`
}

/** The anchors of all cells, moved to the start of their rows. */
function collectAnchors(rows: readonly Cell[][], lines: readonly string[]): Anchor[] {
  const anchors: Anchor[] = []
  let offset = 0
  for (const [index, row] of rows.entries()) {
    for (const cell of row) {
      for (const block of cell.blocks) anchors.push(...block.anchors.map((anchor) => ({ ...anchor, offset })))
    }
    offset += (lines[index]?.length ?? 0) + (index === 0 && lines[0] === '' ? 0 : 1)
  }
  return anchors
}
