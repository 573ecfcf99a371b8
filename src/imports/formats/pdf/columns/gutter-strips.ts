import type { Extent } from '../page/extent.ts'
import type { Segment } from '../page/page-parts.ts'

/** Maximum share of segments (a page number) that cross the middle of a gutter but not its emptiest position. */
const maxExcess = 1 / 24
/**
 * Maximum share of segments above and below columns on part of a page. More than half of all cross the middle of a
 * column.
 */
const maxBandCrossing = 0.45

/** The emptiest positions of strips at least `width` wide that at most an eighth of the segments cross. */
export function emptyStrips(segments: readonly Segment[], extent: Extent, width: number): number[] {
  const crossings = countCrossings(segments, extent)
  return innerStrips(crossings, segments.length / 8)
    .filter(({ start, end }) => end - start >= width)
    .map((strip) => {
      const middle = middleOf(strip)
      const part = sparsestPart(crossings, strip)
      const excess = (crossings[Math.floor(middle)] ?? 0) - (crossings[part.start] ?? 0)
      return extent.x0 + (excess > segments.length * maxExcess ? middleOf(part) : middle)
    })
}

/** The middles of the positions at least `width` wide that fewer segments cross than on both sides of them. */
export function sparsestPlaces(segments: readonly Segment[], extent: Extent, width: number): number[] {
  const crossings = countCrossings(segments, extent)
  return stripsOf(crossings, segments.length * maxBandCrossing)
    .flatMap((strip) => sparserParts(crossings, strip))
    .filter(({ start, end }) => end - start >= width)
    .map((part) => extent.x0 + middleOf(part))
}

/** A range of x positions, relative to the left edge. `end` is exclusive. */
interface Strip {
  start: number
  end: number
}

function middleOf({ start, end }: Strip): number {
  return (start + end) / 2
}

/** The widest part of a strip that the fewest segments cross. Lines of different lengths narrow a gap. */
function sparsestPart(crossings: Int32Array, { start, end }: Strip): Strip {
  const inside = crossings.subarray(start, end)
  const parts = stripsOf(inside, Math.min(...inside))
  const widest = parts.reduce((a, b) => (b.end - b.start > a.end - a.start ? b : a))
  return { start: start + widest.start, end: start + widest.end }
}

/** The parts of a strip that fewer segments cross than the points on both sides of them. */
function sparserParts(crossings: Int32Array, { start, end }: Strip): Strip[] {
  const parts: Strip[] = []
  let [from, isFall] = [start, start > 0]
  for (let at = start + 1; at <= end; at += 1) {
    const [before = 0, here = 0] = [crossings[at - 1], crossings[at]]
    if (here === before) continue
    if (here > before && isFall) parts.push({ start: from, end: at })
    ;[from, isFall] = [at, here < before]
  }
  return parts
}

function innerStrips(crossings: Int32Array, most: number): Strip[] {
  return stripsOf(crossings, most).filter(({ start, end }) => start > 0 && end < crossings.length)
}

/** The number of segments that cross each point of the width. */
function countCrossings(segments: readonly Segment[], extent: Extent): Int32Array {
  const bins = Math.min(4_000, Math.max(1, Math.ceil(extent.x1 - extent.x0)))
  const changes = new Int32Array(bins + 2)
  for (const { x0, x1 } of segments) {
    const from = Math.max(0, Math.floor(x0 - extent.x0))
    const to = Math.min(bins, Math.max(from + 1, Math.ceil(x1 - extent.x0)))
    if (from > bins) continue
    changes[from] = (changes[from] ?? 0) + 1
    changes[to] = (changes[to] ?? 0) - 1
  }
  let crossing = 0
  return changes.map((change) => (crossing += change)).subarray(0, bins + 1)
}

/** The maximal ranges of values up to `most`. */
function stripsOf(values: Int32Array, most: number): Strip[] {
  const strips: Strip[] = []
  let start = -1
  for (let at = 0; at <= values.length; at += 1) {
    const isEmpty = at < values.length && (values[at] ?? 0) <= most
    if (isEmpty && start < 0) start = at
    if (!isEmpty && start >= 0) {
      strips.push({ start, end: at })
      start = -1
    }
  }
  return strips
}
