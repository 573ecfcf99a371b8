import { countCharacters } from '../characters/count-characters.ts'
import type { TextPiece } from '../page/page-parts.ts'
import { startsMidSentence } from './table-cells.ts'

/** A line of text whose cells are arranged in columns. */
export interface GridLine {
  y: number
  size: number
  columns: TextPiece[][]
  /** The indexes of the columns with text. */
  filled: number[]
  /** Whether one of its cells extends over several columns. */
  isSpanning: boolean
}

/** Whether a line belongs to the table row of the line before it. */
export type RowRelation = 'same row' | 'next row' | 'unknown'

/**
 * For each line, whether it belongs to the table row of the line before it, according to rules and distances: all lines
 * between two rules if rules separate all rows, and lines that are so close that they overlap.
 */
export function rowRelations(lines: readonly GridLine[], rules: readonly number[]): RowRelation[] {
  const bandOf = ({ y }: GridLine): number => rules.filter((rule) => rule < y).length
  const bands = [...Map.groupBy(lines, bandOf).values()]
  const widths = columnWidths(lines)
  const isRuled = bands.length >= minBands && bands.every((band) => isOneRow(band, widths))
  const hasHead = isHead(bands)
  const relations = lines.map((line, index): RowRelation => {
    const before = lines[index - 1]
    if (!before || bandOf(before) !== bandOf(line)) return 'next row'
    return isRuled || (hasHead && bandOf(line) === 0) ? 'same row' : 'unknown'
  })
  if (isRuled) return relations
  let row: number[] = []
  for (const [index, line] of lines.entries()) {
    const lineCount = linesAround(lines, index)
    if (lineCount > 0) {
      relations.fill('same row', index - lineCount + 1, index + lineCount + 1)
      relations[index - lineCount] = 'next row'
    }
    const before = lines[index - 1]
    const isBeside = before && isOverlapping(before, line) && !before.isSpanning && !line.isSpanning
    const isFree = !line.filled.some((column) => row.includes(column))
    const isPart = isFree || (before && !isFirstOf(line, lines[index + 1]) && isStacked(before, line))
    if (relations[index] === 'unknown' && isBeside && isPart) relations[index] = 'same row'
    row = relations[index] === 'same row' ? [...row, ...line.filled] : line.filled
  }
  return relations
}

/** Minimum number of rows that rules separate. */
const minBands = 3

/** Minimum number of lines of a cell whose lines have to fill the width of the column, and how much of it. */
const [manyLines, minFilling] = [3, 0.5]

/**
 * Whether lines can be one table row: one of them has text in more columns than all others, the first column contains
 * one cell only, which is the key of the row, and the text of each cell wraps at the width of its column.
 */
function isOneRow(lines: readonly GridLine[], widths: readonly number[]): boolean {
  if (lines.length === 1) return true
  const most = Math.max(...lines.map(({ filled }) => filled.length))
  const fullest = lines.filter(({ filled }) => filled.length === most)
  const keys = lines.filter(({ filled }) => filled[0] === 0)
  const hasOneKey =
    fullest[0]?.filled[0] === 0 || keys.slice(1).every(({ columns: [first = []] }) => startsMidSentence(first))
  return fullest.length === 1 && hasOneKey && widths.every((width, column) => isWrapped(lines, column, width))
}

function isWrapped(lines: readonly GridLine[], column: number, width: number): boolean {
  const parts = lines.flatMap(({ columns }) => widthOf(columns[column] ?? []) || [])
  const wrapped = parts.slice(0, -1)
  const mean = wrapped.reduce((sum, each) => sum + each, 0) / wrapped.length
  return parts.length < manyLines || mean >= width * minFilling
}

function columnWidths(lines: readonly GridLine[]): number[] {
  const [first] = lines
  return (first?.columns ?? []).map((_, column) =>
    Math.max(...lines.map(({ columns }) => widthOf(columns[column] ?? []))),
  )
}

function widthOf(pieces: readonly TextPiece[]): number {
  return pieces.length === 0 ? 0 : (pieces.at(-1)?.x1 ?? 0) - (pieces[0]?.x0 ?? 0)
}

/** Maximum number of lines of a head. */
const maxHeadLines = 4
const number = /^[\p{N}.,%+−–-]+$/u

/** Whether the lines above the first rule are one table head of several lines. */
function isHead([first = [], ...others]: readonly (readonly GridLine[])[]): boolean {
  if (first.length < 2 || first.length > Math.min(maxHeadLines, others.flat().length)) return false
  const before = new Set<number>()
  for (const { columns, filled, isSpanning } of first) {
    if (isSpanning || columns.some((pieces) => number.test(textOf(pieces)))) return false
    // A line with several further columns contains the parts of a head over several columns.
    const added = filled.filter((column) => !before.has(column))
    if (before.size > 0 && added.length > 1 && added.length < filled.length) return false
    for (const column of filled) before.add(column)
  }
  return true
}

/** Maximum distance between the baselines of lines that overlap, in ems. */
const maxOverlap = 0.85

function isOverlapping(above: GridLine, below: GridLine): boolean {
  return below.y - above.y < Math.max(above.size, below.size) * maxOverlap
}

/** Maximum number of characters of a symbol that is composed of others, one above the other. */
const maxStacked = 3
const symbolsOnly = /^[^\p{L}\p{N}]+$/u

/**
 * Whether two lines that overlap contain the parts of composed symbols, such as "<" above "=": one of them has nothing
 * but symbols, each above or below a short text.
 */
function isStacked(above: GridLine, below: GridLine): boolean {
  return hasSymbolsAt(above, below) || hasSymbolsAt(below, above)
}

function hasSymbolsAt({ columns, filled }: GridLine, other: GridLine): boolean {
  const isPart = (column: number): boolean =>
    column > 0 && symbolsOnly.test(textOf(columns[column])) && isShortAt(columns[column], other.columns[column])
  return filled.length > 0 && filled.every(isPart)
}

/** Whether a line can be a part of the row below: it overlaps the next line, which has no text in the same columns. */
function isFirstOf(line: GridLine, next: GridLine | undefined): boolean {
  return next !== undefined && isOverlapping(line, next) && !line.filled.some((column) => next.filled.includes(column))
}

/** Whether two cells have few characters, and the middle of the first is within the second. */
function isShortAt(symbols: readonly TextPiece[] = [], others: readonly TextPiece[] = []): boolean {
  const middle = ((symbols[0]?.x0 ?? 0) + (symbols.at(-1)?.x1 ?? 0)) / 2
  return (
    countCharacters(symbols) <= maxStacked &&
    countCharacters(others) <= maxStacked &&
    (others[0]?.x0 ?? Infinity) <= middle &&
    middle <= (others.at(-1)?.x1 ?? 0)
  )
}

function textOf(pieces: readonly TextPiece[] = []): string {
  return pieces.map(({ text }) => text).join('')
}

/**
 * How many lines before `index`, and as many after it, belong to one cell beside that line: a cell with an even number
 * of lines, beside which the other cells of its row are centred. 0 if there is none.
 */
function linesAround(lines: readonly GridLine[], index: number): number {
  const [before, line, after] = [lines[index - 1], lines[index], lines[index + 1]]
  const [column] = before?.filled ?? []
  if (!before || !line || !after || column === undefined || line.filled.includes(column)) return 0
  if (!isOverlapping(before, line) || !isOverlapping(line, after)) return 0
  // A first cell is the key of its row, and the cell beside it may be for two rows.
  if (column === 0 && !startsMidSentence(after.columns[0] ?? [])) return 0
  const isOfCell = (at: number): boolean => lines[at]?.filled.length === 1 && lines[at].filled[0] === column
  let count = 0
  while (isOfCell(index - count - 1) && isOfCell(index + count + 1)) count += 1
  return count
}
