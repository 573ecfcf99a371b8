import type { Segment } from './page-parts.ts'

/** The left and right edge of a text area. */
export interface Extent {
  x0: number
  x1: number
}

export interface Gutter {
  x: number
  left: Segment[]
  right: Segment[]
  spanning: Segment[]
}

/** The maximum nesting of columns; deeper structures are tables. */
const maxDepth = 4
const minRows = 4

/**
 * Divides a page into regions in reading order at the gutters between columns. Segments that span a gutter divide the
 * columns vertically.
 */
export function readingOrder(segments: readonly Segment[], depth = 0): Segment[][] {
  const gutter = depth < maxDepth && segments.length >= 2 * minRows ? findGutter(segments, depth) : null
  if (!gutter) return segments.length > 0 ? [[...segments]] : []
  const regions: Segment[][] = []
  const spanning = gutter.spanning.sort((a, b) => a.y - b.y)
  let top = -Infinity
  let pending: Segment[] = []
  const flush = (): void => {
    if (pending.length > 0) regions.push(pending)
    pending = []
  }
  for (const bottom of [...spanning, null]) {
    const limit = bottom?.y ?? Infinity
    const inBand = (segment: Segment): boolean => segment.y > top && segment.y <= limit
    const [left, right] = [gutter.left.filter(inBand), gutter.right.filter(inBand)]
    if (Math.min(countRows(left), countRows(right)) < 2) {
      pending.push(...left, ...right)
    } else {
      flush()
      regions.push(...readingOrder(left, depth + 1), ...readingOrder(right, depth + 1))
    }
    if (bottom) pending.push(bottom)
    top = limit
  }
  flush()
  return regions
}

/** The gutter between two columns of text, if there is one. */
export function findGutter(segments: readonly Segment[], depth: number): Gutter | null {
  const extent = extentOf(segments)
  const size = median(segments.map((segment) => segment.size))
  let best: Gutter | null = null
  let bestRows = 0
  for (const x of emptyStrips(segments, extent, size * 0.7)) {
    const gutter: Gutter = { x, left: [], right: [], spanning: [] }
    for (const segment of segments) {
      const side = segment.x1 <= x ? gutter.left : segment.x0 >= x ? gutter.right : gutter.spanning
      side.push(segment)
    }
    const rows = Math.min(countRows(gutter.left), countRows(gutter.right))
    if (rows <= bestRows || !isTextColumns(gutter, extent, depth)) continue
    best = gutter
    bestRows = rows
  }
  return best
}

/** The middles of vertical strips at least `width` wide that at most an eighth of the segments cross. */
function emptyStrips(segments: readonly Segment[], extent: Extent, width: number): number[] {
  const bins = Math.min(4_000, Math.max(1, Math.ceil(extent.x1 - extent.x0)))
  const changes = new Int32Array(bins + 2)
  for (const { x0, x1 } of segments) {
    const from = Math.max(0, Math.floor(x0 - extent.x0))
    const to = Math.min(bins, Math.max(from + 1, Math.ceil(x1 - extent.x0)))
    if (from > bins) continue
    changes[from] = (changes[from] ?? 0) + 1
    changes[to] = (changes[to] ?? 0) - 1
  }
  const maxCrossing = segments.length / 8
  const strips: number[] = []
  let crossing = 0
  let start = -1
  for (let bin = 0; bin <= bins; bin += 1) {
    crossing += changes[bin] ?? 0
    if (crossing <= maxCrossing && start < 0) start = bin
    if (crossing > maxCrossing && start >= 0) {
      if (start > 0 && bin - start >= width) strips.push(extent.x0 + (start + bin) / 2)
      start = -1
    }
  }
  return strips
}

/** Whether a gutter separates columns of text, as opposed to columns of a table or of a list of terms. */
function isTextColumns({ left, right }: Gutter, extent: Extent, depth: number): boolean {
  const sides = [measureSide(left), measureSide(right)]
  if (sides.some(({ rows }) => rows < minRows)) return false
  if (sides.every((side) => side.characters >= 18 && side.fill >= 0.55 && side.cells < 1.3)) return true
  const [a, b] = sides
  if (!a || !b || Math.min(a.rows, b.rows) < 8 || Math.min(a.density, b.density) < 0.4) return false
  if (a.characters < 6 || a.width < (b.x0 - a.x0) * 0.6) return false
  const leftShare = (b.x0 - a.x0) / (extent.x1 - extent.x0)
  // Narrow columns (an index) divide the page evenly; a third of a column indicates a list of terms.
  const isNear = (part: number): boolean => leftShare >= part - 0.02 && leftShare <= part + 0.07
  return isNear(1 / 2) || (depth === 0 && (isNear(1 / 3) || isNear(2 / 3)))
}

interface SideMetrics {
  rows: number
  x0: number
  width: number
  /** The median number of characters per row. */
  characters: number
  /** The median width of rows relative to the width of the side. */
  fill: number
  /** The number of segments per row. */
  cells: number
  /** The number of rows relative to the number that would fit into the height. */
  density: number
}

function measureSide(segments: readonly Segment[]): SideMetrics {
  const rows = rowsOf(segments)
  const { x0, x1 } = extentOf(segments)
  const ys = segments.map(({ y }) => y).sort((a, b) => a - b)
  const height = (ys.at(-1) ?? 0) - (ys[0] ?? 0)
  const size = median(segments.map((segment) => segment.size))
  return {
    rows: rows.length,
    x0,
    width: x1 - x0,
    characters: median(rows.map((row) => row.characters)),
    fill: median(rows.map((row) => row.width)) / (x1 - x0),
    cells: segments.length / rows.length,
    density: (rows.length * size * 1.2) / (height + size),
  }
}

function rowsOf(segments: readonly Segment[]): { y: number; characters: number; width: number }[] {
  const rows: { y: number; characters: number; width: number }[] = []
  for (const segment of [...segments].sort((a, b) => a.y - b.y)) {
    const characters = segment.runs.reduce((sum, run) => sum + run.text.length, 0)
    const last = rows.at(-1)
    if (last && segment.y - last.y < segment.size * 0.4) {
      last.characters += characters
      last.width += segment.x1 - segment.x0
    } else {
      rows.push({ y: segment.y, characters, width: segment.x1 - segment.x0 })
    }
  }
  return rows
}

function countRows(segments: readonly Segment[]): number {
  return segments.length === 0 ? 0 : rowsOf(segments).length
}

/** The smallest extent that contains all items. */
export function extentOf(items: readonly Extent[]): Extent {
  const extent = { x0: Infinity, x1: -Infinity }
  for (const { x0, x1 } of items) {
    extent.x0 = Math.min(extent.x0, x0)
    extent.x1 = Math.max(extent.x1, x1)
  }
  return extent
}

/** The middle value; 0 for an empty list. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}
