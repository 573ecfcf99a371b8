import { countCharacters } from '../characters/count-characters.ts'
import { median } from './extent.ts'
import { comparisonKey } from '../characters/text.ts'
import type { Segment } from './page-parts.ts'

/** The position of a running head or foot that repeats throughout a book, in points. */
export interface RunningHead {
  edge: 'top' | 'bottom'
  y: number
  size: number
  /** The minimum distance to the adjacent text, in points. */
  gap: number
  /** Whether it contains the page number. If so, only rows with a number match. */
  numbered: boolean
  /** The offsets between page positions and printed numbers, one for each numbering; empty if not numbered. */
  offsets: NumberOffset[]
  /** Whether it stays in the text, because the pages of the book (slides) contain little else. */
  stays: boolean
}

/** A numbering of pages. The style is `x` for Roman numerals. */
interface NumberOffset {
  style: 'x' | '1'
  offset: number
}

interface Row {
  y: number
  size: number
  gap: number
  text: string
  segments: Segment[]
}

/**
 * A page that is searched for running heads. `isWide` indicates a slide, whose title is at the same position on each
 * page.
 */
interface SamplePage {
  number: number
  segments: readonly Segment[]
  isWide: boolean
}

/** Maximum number of running heads at an edge: a title above a line with the page number. */
const maxRowsAtEdge = 2
/**
 * Minimum number of pages with the same running head: if it contains the page number, and if it repeats its text. In a
 * shorter book it must be on every page.
 */
const minPages = 3
const minRepeatingPages = 5
/** Running heads that make up more than this share of the text stay in it. */
const maxShare = 0.1

/**
 * Finds running heads and feet, which keep their position from page to page and contain repeated text or an increasing
 * page number. Rows in a larger font than the body (`bodySize`, in points) are headings.
 */
export function findRunningHeads(pages: readonly SamplePage[], bodySize: number): RunningHead[] {
  const all = (['top', 'bottom'] as const).flatMap((edge) => {
    const runningHeads: RunningHead[] = []
    for (let depth = 0; depth < maxRowsAtEdge; depth += 1) {
      const rows = pages.flatMap(({ number, segments, isWide }) => {
        const row = outermostRow(removeRunningHeads(segments, runningHeads), edge)
        return row && row.size < bodySize * (edge === 'top' && isWide ? 0.9 : 1.15) ? [{ ...row, number }] : []
      })
      const runningHead = runningHeadOf(rows, edge, pages.length)
      if (!runningHead) break
      runningHeads.push(runningHead)
    }
    return runningHeads
  })
  const total = pages.reduce((sum, { segments }) => sum + countSegmentCharacters(segments), 0)
  const rest = pages.reduce((sum, { segments }) => sum + countSegmentCharacters(removeRunningHeads(segments, all)), 0)
  return all.map((head) => ({ ...head, stays: total - rest > total * maxShare }))
}

function countSegmentCharacters(segments: readonly Segment[]): number {
  return countCharacters(segments.flatMap(({ runs }) => runs))
}

/** The segments of a page without running heads and feet; all segments if the page contains nothing else. */
export function removeRunningHeads(segments: readonly Segment[], runningHeads: readonly RunningHead[]): Segment[] {
  const dropped = new Set(
    findHeadRows(segments, runningHeads).flatMap(({ head, row }) => (head.stays ? [] : row.segments)),
  )
  const rest = segments.filter((segment) => !dropped.has(segment))
  return rest.length === 0 ? [...segments] : rest
}

/**
 * The page number in a running head or foot of the page. Null if it does not fit a numbering of the book (that of a
 * running head, or that of the `previous` page).
 */
export function printedNumber(
  page: { number: number; segments: readonly Segment[] },
  runningHeads: readonly RunningHead[],
  previous: { number: number; label: string } | null,
): string | null {
  const candidates = findHeadRows(page.segments, runningHeads).flatMap(({ head, row }) =>
    head.numbered ? pageNumbers(row.text).map((found) => ({ ...found, head })) : [],
  )
  const before = previous ? pageNumbers(previous.label)[0] : undefined
  const isNext = ({ value, style }: PageNumber): boolean =>
    before !== undefined && before.style === style && value - before.value === page.number - (previous?.number ?? 0)
  const isKnown = ({ value, style }: PageNumber, head: RunningHead): boolean =>
    head.offsets.some((known) => known.style === style && known.offset === value - page.number)
  return candidates.find((found) => isNext(found) || isKnown(found, found.head))?.text ?? null
}

/** The rows of a page that match running heads, from the edges inwards. */
function findHeadRows(
  segments: readonly Segment[],
  runningHeads: readonly RunningHead[],
): { head: RunningHead; row: Row }[] {
  let rest = [...segments]
  const found: { head: RunningHead; row: Row }[] = []
  for (const head of runningHeads) {
    const row = outermostRow(rest, head.edge)
    if (!row || !isRunningHead(row, head)) continue
    found.push({ head, row })
    const taken = new Set(row.segments)
    rest = rest.filter((segment) => !taken.has(segment))
  }
  return found
}

function isRunningHead(row: Row, runningHead: RunningHead): boolean {
  const distance = Math.abs(row.y - runningHead.y)
  if (distance > 2.5 || Math.abs(row.size - runningHead.size) > runningHead.size * 0.12) return false
  if (!runningHead.numbered) return row.gap >= runningHead.gap
  // A bare number at exactly the same position may be close to a footnote.
  const isBareNumber = distance <= 1 && !row.text.includes(' ') && row.gap > row.size * 1.1
  return pageNumbers(row.text).length > 0 && (isBareNumber || row.gap >= runningHead.gap)
}

/** The outermost row at an edge, with its distance to the next row. */
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

function runningHeadOf(
  rows: readonly (Row & { number: number })[],
  edge: 'top' | 'bottom',
  pageCount: number,
): RunningHead | null {
  const candidates = rows.map((row) => rows.filter((other) => Math.abs(other.y - row.y) <= 2 && sameSize(other, row)))
  const band = candidates.reduce<(Row & { number: number })[]>((a, b) => (b.length > a.length ? b : a), [])
  if (band.length < Math.max(minPages, rows.length * 0.3)) return null
  const size = median(band.map((row) => row.size))
  const gap = median(band.map((row) => Math.min(row.gap, 1_000)))
  if (gap < size * 1.4) return null
  const offsets = numberOffsets(band)
  const numbered = offsets.length > 0
  if (!numbered && !hasRepeatedText(band, Math.min(minRepeatingPages, pageCount))) return null
  const y = median(band.map((row) => row.y))
  return { edge, y, size, gap: Math.min(gap * 0.85, size * 2), numbered, offsets, stays: false }
}

function sameSize(a: Row, b: Row): boolean {
  return Math.abs(a.size - b.size) <= a.size * 0.12
}

/** The numberings in which most rows contain a number that increases with the pages; empty if there are none. */
function numberOffsets(rows: readonly (Row & { number: number })[]): NumberOffset[] {
  const counts = new Map<string, NumberOffset & { count: number }>()
  for (const { text, number } of rows) {
    for (const { value, style } of pageNumbers(text)) {
      const key = `${style}${value - number}`
      counts.set(key, { style, offset: value - number, count: (counts.get(key)?.count ?? 0) + 1 })
    }
  }
  const [first, second] = [...counts.values()].sort((a, b) => b.count - a.count)
  // Two numberings are common, because the front matter has its own.
  if (!first || first.count < minPages || first.count + (second?.count ?? 0) < rows.length * 0.6) return []
  return [...counts.values()].filter(({ count }) => count > 1).slice(0, 8)
}

/** Whether most rows, and at least `minimum`, share a segment with another row, ignoring digits: a chapter title on the left. */
function hasRepeatedText(rows: readonly Row[], minimum: number): boolean {
  const seen = new Map<string, number>()
  const keys = rows.map(({ segments }) => new Set(segments.map(textKey).filter((key) => key.length > 3)))
  for (const key of keys.flatMap((row) => [...row])) seen.set(key, (seen.get(key) ?? 0) + 1)
  const repeated = keys.filter((row) => [...row].some((key) => (seen.get(key) ?? 0) > 1)).length
  return repeated >= minimum && repeated >= rows.length * 0.7
}

function textKey({ runs }: Segment): string {
  return comparisonKey(runs.map((run) => run.text.replace(/\d+/g, '')).join(''))
}

interface PageNumber {
  value: number
  style: NumberOffset['style']
  text: string
}

/** The Arabic or Roman numerals at either end of a row that may be a page number. */
function pageNumbers(text: string): PageNumber[] {
  const words = text.split(' ')
  return [...new Set([words[0], words.at(-1)])].flatMap((word = ''): PageNumber[] => {
    const figures = word.replace(/^[-–—|[(]+|[-–—|\])]+$/g, '').replace(/^[a-z]-(?=\d)/i, '')
    const digits = figures.replace(/[٠-٩۰-۹]/g, (digit) => String((digit.codePointAt(0) ?? 0) & 15))
    if (/^\d{1,5}$/.test(digits)) return [{ value: Number(digits), style: '1', text: figures }]
    return /^[ivxlc]{1,8}$/i.test(figures)
      ? [{ value: parseRoman(figures.toLowerCase()), style: 'x', text: figures }]
      : []
  })
}

const romanValues: ReadonlyMap<string, number> = new Map(Object.entries({ i: 1, v: 5, x: 10, l: 50, c: 100 }))

function parseRoman(figures: string): number {
  const values = [...figures].map((figure) => romanValues.get(figure) ?? 0)
  return values.reduce((sum, value, index) => sum + (value < (values[index + 1] ?? 0) ? -value : value), 0)
}
