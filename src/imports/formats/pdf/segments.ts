import type { PageText, TextRun, Turn } from './pdf-file.ts'

/** Runs that stand next to each other on one baseline, upright: x to the right, y down, whatever their turn was. */
export interface Segment {
  x0: number
  x1: number
  /** Baseline of the largest run. */
  y: number
  size: number
  runs: TextRun[]
}

/** A gap this wide (in ems) is not a space between words. */
const wideGap = 1.5

/** The text of a page in one writing direction; the direction with most characters comes first. */
export function segmentsByTurn(page: PageText): Segment[][] {
  const groups = new Map<Turn, TextRun[]>()
  for (const run of page.runs) {
    const group = groups.get(run.turn)
    if (group) group.push(run)
    else groups.set(run.turn, [run])
  }
  return [...groups.entries()]
    .map(([turn, runs]) => (turn === 0 ? runs : runs.map((run) => upright(run, turn, page))))
    .sort((a, b) => characters(b) - characters(a))
    .map(joinRuns)
}

function characters(runs: readonly TextRun[]): number {
  return runs.reduce((sum, run) => sum + run.text.length, 0)
}

function upright(run: TextRun, turn: Turn, { width, height }: PageText): TextRun {
  if (turn === 1) return { ...run, x: run.y, y: width - run.x }
  if (turn === 2) return { ...run, x: width - run.x, y: height - run.y }
  return { ...run, x: height - run.y, y: run.x }
}

function joinRuns(runs: readonly TextRun[]): Segment[] {
  const segments: Segment[] = []
  let open: Segment | undefined
  let last: TextRun | undefined
  for (const run of runs) {
    if (last && isRepeated(last, run)) continue
    if (open && last && continues(open, last, run)) {
      open.runs.push(run)
      open.x0 = Math.min(open.x0, run.x)
      open.x1 = Math.max(open.x1, run.x + run.width)
      if (run.size > open.size * 1.05) {
        open.size = run.size
        open.y = run.y
      }
    } else {
      open = { x0: run.x, x1: run.x + run.width, y: run.y, size: run.size, runs: [run] }
      segments.push(open)
    }
    last = run
  }
  return segments
}

/** The same text drawn twice with a slight offset, which is how some files make bold. */
function isRepeated(last: TextRun, run: TextRun): boolean {
  const near = last.size * 0.2
  return last.text === run.text && Math.abs(last.x - run.x) < near && Math.abs(last.y - run.y) < near
}

function continues(open: Segment, last: TextRun, run: TextRun): boolean {
  const size = Math.max(open.size, run.size)
  const rise = Math.abs(run.y - open.y)
  const small = Math.min(run.size, open.size) < size * 0.85
  if (rise > size * (small ? 0.6 : 0.3)) return false
  const gap = run.rtl || last.rtl ? open.x0 - (run.x + run.width) : run.x - (last.x + last.width)
  return (gap < size * wideGap && gap > -size * 0.5) || (run.rtl && Math.abs(run.x - open.x1) < size * wideGap)
}
