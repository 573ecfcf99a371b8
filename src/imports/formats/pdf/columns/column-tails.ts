import type { Segment } from '../page/page-parts.ts'

/** Maximum indent of the text below the columns, relative to the left edge of the left column, in ems. */
const maxIndent = 3

/**
 * The left column, and its last lines if they belong to the text below both columns. Such lines are below the end of
 * the right column, and the space above them is wider than all others between that end and `next`, the line below.
 */
export function splitTail(
  left: readonly Segment[],
  right: readonly Segment[],
  next: Segment | null,
): [column: Segment[], tail: Segment[]] {
  const edge = Math.min(...left.map(({ x0 }) => x0))
  if (!next || left.length === 0 || Math.abs(next.x0 - edge) > next.size * maxIndent) return [[...left], []]
  const bottom = Math.max(...right.map(({ y }) => y))
  const lines = [...left, next].map(({ y }) => y).sort((a, b) => a - b)
  let [end, widest] = [next.y, 0]
  for (const [index, y] of lines.entries()) {
    const below = lines[index + 1] ?? y
    if (below > bottom && below - y >= widest) [end, widest] = [y, below - y]
  }
  return [left.filter(({ y }) => y <= end), left.filter(({ y }) => y > end)]
}

/** The first segment below the given ones; null if there is none. */
export function nextBelow(segments: readonly Segment[], above: readonly Segment[]): Segment | null {
  const bottom = Math.max(...above.map(({ y }) => y))
  const below = segments.filter(({ y }) => y > bottom)
  return below.length === 0 ? null : below.reduce((a, b) => (b.y < a.y ? b : a))
}
