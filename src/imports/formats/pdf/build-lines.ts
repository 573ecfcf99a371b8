import { extentOf } from './reading-order.ts'
import type { TextRun } from './pdf-file.ts'
import type { Segment } from './segments.ts'
import { hasSpaceless, isSpaceless } from './text.ts'

/** A line of text. `pieces` are its runs from left to right (from right to left in such scripts). */
export interface Line {
  x0: number
  x1: number
  y: number
  size: number
  pieces: Piece[]
  text: string
  /** Shares (0 to 1) of the characters. */
  mono: number
  bold: number
  rtl: boolean
}

export interface Piece {
  text: string
  mono: boolean
  bold: boolean
  x0: number
  x1: number
  /** True when a space belongs before it. */
  spaced: boolean
  /** True when the space before it is wide enough for a column of a table. */
  tab: boolean
}

/** A gap (in ems) that no justified line has between words. */
const tabGap = 1.5

/** Joins segments that share a baseline into lines, from top to bottom; raised and lowered characters go with their line. */
export function linesOf(segments: readonly Segment[]): Line[] {
  const groups: Segment[][] = []
  let top: Segment | undefined
  for (const segment of segments.toSorted((a, b) => a.y - b.y)) {
    const group = groups.at(-1)
    if (group && top && sharesLine(top, group, segment)) {
      group.push(segment)
      if (segment.size > top.size) top = segment
    } else {
      groups.push([segment])
      top = segment
    }
  }
  return groups.map(lineOf)
}

function sharesLine(main: Segment, group: readonly Segment[], segment: Segment): boolean {
  const larger = Math.max(main.size, segment.size)
  const smaller = Math.min(main.size, segment.size)
  const rise = Math.abs(segment.y - main.y)
  if (rise > larger * (smaller < larger * 0.85 ? 0.6 : 0.3)) return false
  return rise < larger * 0.15 || !group.some((other) => overlap(other, segment) > smaller * 0.5)
}

function overlap(a: Segment, b: Segment): number {
  return Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0)
}

function lineOf(group: readonly Segment[]): Line {
  const main = group.reduce((a, b) =>
    b.size > a.size * 1.02 || (b.size > a.size * 0.98 && width(b) > width(a)) ? b : a,
  )
  const rtl = group.flatMap(({ runs }) => runs).reduce((sum, run) => sum + (run.rtl ? 1 : -1) * run.text.length, 0) > 0
  const runs = group.length === 1 ? main.runs : group.toSorted((a, b) => a.x0 - b.x0).flatMap((segment) => segment.runs)
  const ordered = runs.toSorted((a, b) => (rtl ? b.x + b.width - (a.x + a.width) : a.x - b.x))
  const pieces = piecesOf(ordered, main)
  const total = pieces.reduce((sum, piece) => sum + piece.text.length, 0)
  const share = (flag: 'mono' | 'bold'): number =>
    pieces.reduce((sum, piece) => sum + (piece[flag] ? piece.text.length : 0), 0) / total
  return {
    ...extentOf(group),
    y: main.y,
    size: main.size,
    pieces,
    text: textOf(pieces),
    mono: share('mono'),
    bold: share('bold'),
    rtl,
  }
}

function width(segment: Segment): number {
  return segment.x1 - segment.x0
}

function piecesOf(runs: readonly TextRun[], { size, y }: Segment): Piece[] {
  const pieces: Piece[] = []
  let last: TextRun | undefined
  for (const run of runs) {
    const gap = last ? gapBetween(last, run) : 0
    const spaced = last !== undefined && hasSpace(last, run, gap / Math.max(run.size, last.size))
    const tab = gap > size * tabGap
    const { bold } = run.font
    // East Asian fonts are of one width by nature: that is no code.
    const mono = run.font.mono && /[!-~]/.test(run.text) && !hasSpaceless(run.text)
    const text = last && !spaced && !mono && isRaised(run, size, y) ? `^${run.text}` : run.text
    const open = pieces.at(-1)
    if (open && !tab && open.mono === mono && open.bold === bold && !(mono && gap > size * 0.7)) {
      open.text += (spaced ? ' ' : '') + text
      open.x1 = Math.max(open.x1, run.x + run.width)
    } else {
      pieces.push({ text, mono, bold, x0: run.x, x1: run.x + run.width, spaced, tab })
    }
    last = run
  }
  return pieces
}

/** Figures set this small and this high are an exponent or the mark of a note. */
function isRaised(run: TextRun, size: number, y: number): boolean {
  return run.size < size * 0.82 && y - run.y > size * 0.2 && /^\d{1,3}$/.test(run.text)
}

function gapBetween(last: TextRun, run: TextRun): number {
  return run.x >= last.x ? run.x - (last.x + last.width) : last.x - (run.x + run.width)
}

function hasSpace(last: TextRun, run: TextRun, gap: number): boolean {
  if (isSpaceless(last.text.at(-1) ?? '') && isSpaceless(run.text[0] ?? '')) return gap > 0.8
  return (run.spaced && gap > 0.02) || gap > 0.2
}

/** The words of pieces in one line, with single spaces. */
export function textOf(pieces: readonly Piece[]): string {
  return pieces.map((piece, index) => (piece.spaced && index > 0 ? ' ' : '') + piece.text).join('')
}
