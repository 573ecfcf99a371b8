import type { Rule, TextRun } from './pdf-file.ts'

/** A vertical line that is drawn on a page, in points from its top left. */
export interface CellLine {
  x: number
  y0: number
  y1: number
}

/** A page with more lines is a drawing. */
const maxLines = 1_000
/** How far a line may reach into the text behind it, in ems. */
const maxReach = 0.2

/**
 * Tells each run the nearest vertical line before it and the nearest horizontal one above it, on a page that has both: where a
 * vertical line stands between two runs, these are in two cells of a table, and lines of text below one horizontal line are in one row.
 */
export function addCellLines(
  runs: readonly TextRun[],
  { cellLines, rules }: { cellLines: readonly CellLine[]; rules: readonly Rule[] },
): TextRun[] {
  if (cellLines.length === 0 || cellLines.length > maxLines || rules.length > maxLines) return [...runs]
  return runs.map((run) => {
    if (run.rotation !== 0) return run
    const middle = run.y - run.size * 0.3
    const start = run.x + run.size * maxReach
    const before = cellLines.filter(({ x, y0, y1 }) => middle >= y0 && middle <= y1 && x <= start)
    if (before.length === 0) return run
    const above = rules.filter(({ x0, x1, y }) => y < middle && x0 <= start && run.x <= x1)
    return {
      ...run,
      lineBefore: Math.max(...before.map(({ x }) => x)),
      ...(above.length > 0 && { lineAbove: Math.max(...above.map(({ y }) => y)) }),
    }
  })
}
