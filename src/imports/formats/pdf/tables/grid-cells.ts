import { isMonospaced } from '../page/build-lines.ts'
import type { TextPiece } from '../page/page-parts.ts'
import type { TextRun } from '../page/pdf-file.ts'
import { isSpacelessScript } from '../characters/text.ts'

/** A cell of a row whose column is not known yet. */
export interface GridCell {
  x0: number
  x1: number
  pieces: TextPiece[]
}

export interface GridRow {
  y: number
  size: number
  cells: GridCell[]
}

/** Minimum gap between the columns of a table, in ems. */
export const minCellGap = 0.75

/** The cells of runs on one baseline, separated by gaps that are wider than a space. */
export function cellsOf(runs: readonly TextRun[]): GridCell[] {
  const cells: GridCell[] = []
  let last: TextRun | undefined
  for (const run of runs.toSorted((a, b) => a.x - b.x)) {
    const size = Math.max(run.size, last?.size ?? 0)
    const gap = last ? run.x - (last.x + last.width) : Infinity
    const piece = pieceOf(run, gap > size * 0.2 || (run.hasSpaceBefore && gap > size * 0.02))
    const cell = cells.at(-1)
    if (cell && gap < size * minCellGap && !isLineBetween(last, run)) {
      if (isSpacelessScript(cell.pieces.at(-1)?.text.at(-1) ?? '') && isSpacelessScript(run.text[0] ?? ''))
        piece.hasSpaceBefore = false
      cell.pieces.push(piece)
      cell.x1 = Math.max(cell.x1, piece.x1)
    } else {
      cells.push({ x0: run.x, x1: run.x + run.width, pieces: [{ ...piece, hasSpaceBefore: false }] })
    }
    last = run
  }
  return cells
}

function pieceOf(run: TextRun, hasSpaceBefore: boolean): TextPiece {
  const { text, font, x, width, lineBefore, link } = run
  return {
    text,
    mono: isMonospaced(text, font),
    bold: font.bold,
    x0: x,
    x1: x + width,
    hasSpaceBefore,
    hasTabBefore: false,
    ...(lineBefore !== undefined && { lineBefore }),
    ...(link !== undefined && { link }),
  }
}

type WithLineBefore = Pick<TextPiece, 'lineBefore'> | undefined

/** Maximum shift of a ruled line between the cells of one column or row, in points. */
export const maxLineShift = 1.5

/** Whether a vertical line is drawn between two runs or pieces. */
export function isLineBetween(one: WithLineBefore, other: WithLineBefore): boolean {
  return (
    other?.lineBefore !== undefined &&
    (one?.lineBefore === undefined || Math.abs(other.lineBefore - one.lineBefore) > maxLineShift)
  )
}
