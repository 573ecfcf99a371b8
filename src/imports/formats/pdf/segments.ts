import type { Table } from './find-table.ts'
import type { PageText, TextRun, QuarterTurns } from './pdf-file.ts'

/** Adjacent runs on one baseline, rotated upright: x to the right, y down. */
export interface Segment {
  x0: number
  x1: number
  /** The baseline of the largest run. */
  y: number
  size: number
  runs: TextRun[]
  /** A table that stands for its segments. */
  table?: Table
}

/** A gap of this width, in ems, is wider than a space between words. */
const maxWordGap = 1.5

/** The segments of a page by writing direction; the direction with the most characters is first. */
export function segmentsByRotation(page: PageText): Segment[][] {
  const groups = new Map<QuarterTurns, TextRun[]>()
  for (const run of page.runs) {
    const group = groups.get(run.rotation)
    if (group) group.push(run)
    else groups.set(run.rotation, [run])
  }
  return [...groups.entries()]
    .map(([rotation, runs]) => (rotation === 0 ? runs : runs.map((run) => unrotate(run, rotation, page))))
    .sort((a, b) => countCharacters(b) - countCharacters(a))
    .map(joinRuns)
}

function countCharacters(runs: readonly TextRun[]): number {
  return runs.reduce((sum, run) => sum + run.text.length, 0)
}

function unrotate(run: TextRun, rotation: QuarterTurns, { width, height }: PageText): TextRun {
  if (rotation === 1) return { ...run, x: run.y, y: width - run.x }
  if (rotation === 2) return { ...run, x: width - run.x, y: height - run.y }
  return { ...run, x: height - run.y, y: run.x }
}

function joinRuns(runs: readonly TextRun[]): Segment[] {
  const segments: Segment[] = []
  let current: Segment | undefined
  let last: TextRun | undefined
  for (const run of runs) {
    if (last && isRepeated(last, run)) continue
    if (current && last && continuesSegment(current, last, run)) {
      current.runs.push(run)
      current.x0 = Math.min(current.x0, run.x)
      current.x1 = Math.max(current.x1, run.x + run.width)
      if (run.size > current.size * 1.05) {
        current.size = run.size
        current.y = run.y
      }
    } else {
      current = { x0: run.x, x1: run.x + run.width, y: run.y, size: run.size, runs: [run] }
      segments.push(current)
    }
    last = run
  }
  return segments
}

/** Whether the same text is drawn twice with a slight offset, by which some files imitate bold. */
function isRepeated(last: TextRun, run: TextRun): boolean {
  const near = last.size * 0.2
  return last.text === run.text && Math.abs(last.x - run.x) < near && Math.abs(last.y - run.y) < near
}

function continuesSegment(current: Segment, last: TextRun, run: TextRun): boolean {
  const size = Math.max(current.size, run.size)
  const rise = Math.abs(run.y - current.y)
  const small = Math.min(run.size, current.size) < size * 0.85
  // A letter may be lowered inside a word, as in TeX.
  const isLetter = run.text.length < 3 || last.text.length < 3
  if (rise > size * (small ? 0.6 : isLetter ? 0.4 : 0.3)) return false
  const gap = run.rtl || last.rtl ? current.x0 - (run.x + run.width) : run.x - (last.x + last.width)
  return (gap < size * maxWordGap && gap > -size * 0.5) || (run.rtl && Math.abs(run.x - current.x1) < size * maxWordGap)
}
