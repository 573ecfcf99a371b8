import { median } from './reading-order.ts'
import type { Segment } from './segments.ts'
import { comparisonKey } from './text.ts'

/** The position of a running head or foot in a book. */
export interface RunningHead {
  edge: 'top' | 'bottom'
  y: number
  size: number
  /** The minimum distance to the adjacent text. */
  gap: number
  /** Whether it contains the page number; a row must then have one. */
  numbered: boolean
}

interface Row {
  y: number
  size: number
  gap: number
  text: string
  segments: Segment[]
}

/** The maximum number of running rows at an edge: a title above a line with the page number. */
const maxRowsAtEdge = 2
/** The number of pages that must agree on a running head. */
const minPages = 3

/**
 * Finds running heads and feet by what stays in place from page to page: repeated text or an increasing page number.
 * Rows with a larger font than the body (`bodySize`, in points) are headings.
 */
export function findRunningHeads(
  pages: readonly { number: number; segments: readonly Segment[] }[],
  bodySize: number,
): RunningHead[] {
  return (['top', 'bottom'] as const).flatMap((edge) => {
    const runningHeads: RunningHead[] = []
    for (let depth = 0; depth < maxRowsAtEdge; depth += 1) {
      const rows = pages.flatMap(({ number, segments }) => {
        const row = outermostRow(removeRunningHeads(segments, runningHeads), edge)
        return row && row.size < bodySize * 1.15 ? [{ ...row, number }] : []
      })
      const runningHead = runningHeadOf(rows, edge)
      if (!runningHead) break
      runningHeads.push(runningHead)
    }
    return runningHeads
  })
}

/** The segments of a page without running heads and feet. */
export function removeRunningHeads(segments: readonly Segment[], runningHeads: readonly RunningHead[]): Segment[] {
  let rest = [...segments]
  for (const runningHead of runningHeads) {
    const row = outermostRow(rest, runningHead.edge)
    if (!row || !isRunningHead(row, runningHead)) continue
    const dropped = new Set(row.segments)
    rest = rest.filter((segment) => !dropped.has(segment))
  }
  return rest
}

function isRunningHead(row: Row, runningHead: RunningHead): boolean {
  const distance = Math.abs(row.y - runningHead.y)
  if (distance > 2.5 || Math.abs(row.size - runningHead.size) > runningHead.size * 0.12) return false
  if (!runningHead.numbered) return row.gap >= runningHead.gap
  // A bare number at exactly the same position may be close to a footnote.
  const isBareNumber = distance <= 1 && !row.text.includes(' ') && row.gap > row.size * 1.1
  return pageNumbers(row.text).length > 0 && (isBareNumber || row.gap >= runningHead.gap)
}

/** The outermost row at an edge, with its distance to the next one. */
function outermostRow(segments: readonly Segment[], edge: 'top' | 'bottom'): Row | null {
  const sign = edge === 'top' ? 1 : -1
  let first: Segment | undefined
  for (const segment of segments) if (!first || segment.y * sign < first.y * sign) first = segment
  if (!first) return null
  const row: Segment[] = []
  let next = Infinity
  for (const segment of segments) {
    const distance = Math.abs(segment.y - first.y)
    if (distance <= first.size * 0.4) row.push(segment)
    else next = Math.min(next, distance)
  }
  const text = row
    .toSorted((a, b) => a.x0 - b.x0)
    .flatMap(({ runs }) => runs.map((run) => run.text))
    .join(' ')
  return { y: first.y, size: first.size, gap: next, text, segments: row }
}

function runningHeadOf(rows: readonly (Row & { number: number })[], edge: 'top' | 'bottom'): RunningHead | null {
  const candidates = rows.map((row) => rows.filter((other) => Math.abs(other.y - row.y) <= 2 && sameSize(other, row)))
  const band = candidates.reduce<(Row & { number: number })[]>((a, b) => (b.length > a.length ? b : a), [])
  if (band.length < Math.max(minPages, rows.length * 0.3)) return null
  const size = median(band.map((row) => row.size))
  const gap = median(band.map((row) => Math.min(row.gap, 1_000)))
  if (gap < size * 1.4) return null
  const numbered = hasPageNumbers(band)
  if (!numbered && !hasRepeatedText(band)) return null
  return { edge, y: median(band.map(({ y }) => y)), size, gap: Math.min(gap * 0.85, size * 2), numbered }
}

function sameSize(a: Row, b: Row): boolean {
  return Math.abs(a.size - b.size) <= a.size * 0.12
}

/** Whether most rows contain a number that increases with the pages. */
function hasPageNumbers(rows: readonly (Row & { number: number })[]): boolean {
  const offsets = new Map<number, number>()
  for (const { text, number } of rows) {
    for (const value of pageNumbers(text)) offsets.set(value - number, (offsets.get(value - number) ?? 0) + 1)
  }
  const [largest = 0, second = 0] = [...offsets.values()].sort((a, b) => b - a)
  // Two offsets are usual, because the front matter has its own numbering.
  return largest >= minPages && largest + second >= rows.length * 0.6
}

/** Whether most rows share a part with another row, ignoring digits; for example a chapter title on the left. */
function hasRepeatedText(rows: readonly Row[]): boolean {
  const seen = new Map<string, number>()
  const keys = rows.map(({ segments }) => new Set(segments.map(textKey).filter((key) => key.length > 3)))
  for (const key of keys.flatMap((row) => [...row])) seen.set(key, (seen.get(key) ?? 0) + 1)
  const repeated = keys.filter((row) => [...row].some((key) => (seen.get(key) ?? 0) > 1)).length
  return repeated >= minPages && repeated >= rows.length * 0.7
}

function textKey({ runs }: Segment): string {
  return comparisonKey(runs.map((run) => run.text.replace(/\d+/g, '')).join(''))
}

/** The Arabic or Roman numbers at either end of a row that may be a page number. */
function pageNumbers(text: string): number[] {
  const words = text.split(' ')
  return [words[0], words.at(-1)].flatMap((word = '') => {
    const figures = word.replace(/^[-–—|[(]+|[-–—|\])]+$/g, '').replace(/^[a-z]-(?=\d)/i, '')
    if (/^\d{1,5}$/.test(figures)) return [Number(figures)]
    return /^[ivxlc]{1,8}$/i.test(figures) ? [parseRoman(figures.toLowerCase())] : []
  })
}

const romanValues: Record<string, number> = { i: 1, v: 5, x: 10, l: 50, c: 100 }

function parseRoman(figures: string): number {
  const values = [...figures].map((figure) => romanValues[figure] ?? 0)
  return values.reduce((sum, value, index) => sum + (value < (values[index + 1] ?? 0) ? -value : value), 0)
}
