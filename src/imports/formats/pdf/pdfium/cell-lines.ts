import type { Rule, TextRun } from '../page/pdf-file.ts'

/** A vertical line that is drawn on a page, in points from the top left. */
export interface CellLine {
  x: number
  y0: number
  y1: number
}

/** Limit on the lines of a page. A page with more is a drawing. */
const maxLines = 1_000
/** Maximum distance between two lines that meet, in points. */
const maxGap = 2
/** How far a line may extend into the text to its right, in ems. */
const maxReach = 0.2

/**
 * Adds to each run the nearest vertical line to its left and the nearest horizontal line above it, on a page that has
 * both. Runs with a vertical line between them are in different cells of a table. Lines of text below the same
 * horizontal line are in the same row.
 */
export function addCellLines(
  runs: readonly TextRun[],
  { cellLines, rules }: { cellLines: readonly CellLine[]; rules: readonly Rule[] },
): TextRun[] {
  if (cellLines.length === 0 || cellLines.length > maxLines || rules.length > maxLines) return [...runs]
  const ends = cellLines.map((line) => endOfCells(line, cellLines, rules))
  return runs.map((run) => {
    if (run.rotation !== 0) return run
    const middle = run.y - run.size * 0.3
    const start = run.x + run.size * maxReach
    const before = cellLines.filter(
      ({ x, y0, y1 }, index) => middle >= y0 && middle <= y1 && x <= start && start < (ends[index] ?? Infinity),
    )
    if (before.length === 0) return run
    const above = rules.filter(({ x0, x1, y }) => y < middle && x0 <= start && run.x <= x1)
    return {
      ...run,
      lineBefore: Math.max(...before.map(({ x }) => x)),
      ...(above.length > 0 && { lineAbove: Math.max(...above.map(({ y }) => y)) }),
    }
  })
}

/**
 * The x at which the cells to the right of a vertical line end. If the line is the left edge of a frame, this is the
 * right edge; if it is the right edge, it is the line itself. Otherwise it is infinite.
 */
function endOfCells(line: CellLine, lines: readonly CellLine[], rules: readonly Rule[]): number {
  const touching = rulesAt(line, rules)
  const isAtCorner = [line.y0, line.y1].every((end) => touching.some(({ y }) => isNear(y, end)))
  if (!isAtCorner) return Infinity
  const [x0, x1] = [Math.min(...touching.map((rule) => rule.x0)), Math.max(...touching.map((rule) => rule.x1))]
  if (!isNear(x0, line.x) && !isNear(x1, line.x)) return Infinity
  const other = lines.find(
    ({ x, y0, y1 }) => isNear(x, isNear(x0, line.x) ? x1 : x0) && isNear(y0, line.y0) && isNear(y1, line.y1),
  )
  const isFrame = other && rulesAt(other, rules).every((rule) => rule.x0 > x0 - maxGap && rule.x1 < x1 + maxGap)
  return isFrame ? Math.max(line.x, other.x) : Infinity
}

/** The horizontal lines that touch or cross a vertical line. */
function rulesAt({ x, y0, y1 }: CellLine, rules: readonly Rule[]): Rule[] {
  return rules.filter(
    (rule) => rule.y > y0 - maxGap && rule.y < y1 + maxGap && rule.x0 < x + maxGap && rule.x1 > x - maxGap,
  )
}

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) < maxGap
}
