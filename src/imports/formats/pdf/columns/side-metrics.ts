import { countCharacters } from '../characters/count-characters.ts'
import { extentOf, median } from '../page/extent.ts'
import type { Segment } from '../page/page-parts.ts'

/** Measurements of the lines on one side of a gutter. */
export interface SideMetrics {
  rows: number
  x0: number
  width: number
  /** The median number of characters per row. */
  characters: number
  /** The median width of rows, relative to the width of the side. */
  fill: number
  /** The number of segments per row. */
  cells: number
  /** The number of rows, relative to the number that would fit into the height. */
  density: number
}

/** Measures one side of a gutter. */
export function measureSide(segments: readonly Segment[]): SideMetrics {
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

/** The segments on one baseline: the first of them, and the characters and the width of all. */
interface SegmentRow {
  first: Segment
  y: number
  characters: number
  width: number
}

/** The rows of segments, from top to bottom. */
export function rowsOf(segments: readonly Segment[]): SegmentRow[] {
  const rows: SegmentRow[] = []
  for (const segment of [...segments].sort((a, b) => a.y - b.y)) {
    const characters = countCharacters(segment.runs)
    const last = rows.at(-1)
    if (last && segment.y - last.y < segment.size * 0.4) {
      last.characters += characters
      last.width += segment.x1 - segment.x0
    } else {
      rows.push({ first: segment, y: segment.y, characters, width: segment.x1 - segment.x0 })
    }
  }
  return rows
}

/** The number of baselines of segments. */
export function countRows(segments: readonly Segment[]): number {
  return segments.length === 0 ? 0 : rowsOf(segments).length
}
