import { countCharacters } from '../characters/count-characters.ts'
import type { QuarterTurns, TextRun } from '../page/pdf-file.ts'

/** A line of text that is rotated by a quarter turn. `y0` and `y1` are its upper and its lower end, in points. */
interface RotatedLine {
  rotation: QuarterTurns
  size: number
  /** The x of the baseline, and of the middle of the letters. */
  x: number
  middle: number
  y0: number
  y1: number
  runs: TextRun[]
}

/** Limit on the rotated lines of a page. A page with more is a drawing. */
const maxLines = 200
/** Maximum number of characters of the heading of a column. */
const maxCharacters = 60
/** Maximum horizontal distance between the headings of adjacent columns, in ems. */
const maxPitch = 10
/** Maximum difference between the ends of the headings of one table, and between headings and other text of their row. */
const maxShift = 0.6
/** The part of a page below a heading that contains the first cells of its column, in ems. */
const cellArea = { above: 0.5, below: 12, side: 1.5 }
/** Maximum width of these cells, in ems, and their minimum number. */
const [maxCellWidth, minCells] = [8, 2]
/** Minimum share of headings with cells below them. */
const minShare = 0.7
/** The width that a heading gets, in ems. It is less than the distance between two columns. */
const headWidth = 0.5

/**
 * Places rotated headings of table columns as upright text above their columns, in the row of the other headings. They
 * are lines side by side with the same upper or lower end, above columns of short texts. `runs` are those of a page.
 */
export function uprightHeads(runs: readonly TextRun[]): TextRun[] {
  const lines = rotatedLines(runs)
  if (lines.length < 2 || lines.length > maxLines) return [...runs]
  const upright = runs.filter(({ rotation }) => rotation === 0)
  const heads = headGroups(lines).filter((group) => isAboveCells(group, upright))
  const placed = new Map(heads.flatMap((group) => placeHeads(group, upright)))
  return runs.map((run) => placed.get(run) ?? run)
}

function rotatedLines(runs: readonly TextRun[]): RotatedLine[] {
  const lines: RotatedLine[] = []
  for (const run of runs) {
    const { rotation, size, x, y, width } = run
    if ((rotation !== 1 && rotation !== 3) || run.slanted === true || run.font.vertical) continue
    const [y0, y1] = rotation === 1 ? [y, y + width] : [y - width, y]
    const line = lines.at(-1)
    if (line && line.rotation === rotation && Math.abs(line.x - x) < size * 0.3 && gapBetween(line, y0, y1) < size) {
      line.runs.push(run)
      line.y0 = Math.min(line.y0, y0)
      line.y1 = Math.max(line.y1, y1)
    } else {
      const middle = x + size * (rotation === 1 ? 0.3 : -0.3)
      lines.push({ rotation, size, x, middle, y0, y1, runs: [run] })
    }
  }
  return lines
}

function gapBetween(line: RotatedLine, y0: number, y1: number): number {
  return Math.max(y0 - line.y1, line.y0 - y1)
}

/** Groups of at least two lines side by side that may be the headings of one table. */
function headGroups(lines: readonly RotatedLine[]): RotatedLine[][] {
  const groups: RotatedLine[][] = []
  for (const line of lines.toSorted((a, b) => a.x - b.x)) {
    if (countCharacters(line.runs) > maxCharacters) continue
    const group = groups.findLast((each) => continuesGroup(each, line))
    if (group) group.push(line)
    else groups.push([line])
  }
  return groups.filter(({ length }) => length > 1)
}

function continuesGroup(group: readonly RotatedLine[], line: RotatedLine): boolean {
  const [first, last] = [group[0], group.at(-1)]
  if (!first || !last || line.rotation !== first.rotation || line.x - last.x > line.size * maxPitch) return false
  const near = line.size * maxShift
  return Math.abs(first.y0 - line.y0) < near || Math.abs(first.y1 - line.y1) < near
}

function isAboveCells(group: readonly RotatedLine[], upright: readonly TextRun[]): boolean {
  const above = group.filter(({ middle, y1, size }) => {
    const cells = upright.filter(
      ({ x, y, width }) =>
        y > y1 + size * cellArea.above &&
        y < y1 + size * cellArea.below &&
        width < size * maxCellWidth &&
        x < middle + size * cellArea.side &&
        x + width > middle - size * cellArea.side,
    )
    return new Set(cells.map(({ y }) => Math.round(y / size))).size >= minCells
  })
  return above.length >= group.length * minShare
}

/** The headings as upright runs, each with the rotated run that it replaces. */
function placeHeads(group: readonly RotatedLine[], upright: readonly TextRun[]): [TextRun, TextRun][] {
  const [top, bottom] = [Math.min(...group.map(({ y0 }) => y0)), Math.max(...group.map(({ y1 }) => y1))]
  const size = Math.max(...group.map((line) => line.size))
  // Other headings are at the bottom of their row, in its middle, or at the top.
  const places = [bottom, (top + bottom) / 2 + size * 0.3, top + size * 0.8].flatMap(
    (place) => upright.find(({ y }) => Math.abs(y - place) < size * maxShift)?.y ?? [],
  )
  const [y = bottom] = places
  const rotatedHeight = bottom - top
  return group.flatMap(({ middle, runs, size: em }) => {
    const width = (em * headWidth) / runs.length
    const start = middle - (em * headWidth) / 2
    return runs.map((run, index): [TextRun, TextRun] => [
      run,
      {
        ...run,
        rotation: 0,
        rotatedHeight,
        x: start + width * index,
        y,
        width,
        hasSpaceBefore: index === 0 || run.hasSpaceBefore,
      },
    ])
  })
}
