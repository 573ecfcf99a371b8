import type { Rule, TextRun } from './pdf-file.ts'

/** A vertical line that is drawn on a page, in points from the top left. */
export interface CellLine {
  x: number
  y0: number
  y1: number
}

/** Limit on the lines of a page. A page with more is a drawing. */
const maxLines = 1_000
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
