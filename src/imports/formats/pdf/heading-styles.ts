import type { Line } from './page-parts.ts'

/** How the headings of a book look, learnt from the titles that its outline names, or from the sampled pages. */
export interface HeadingStyles {
  /** Whether the file has an outline; looks alone make few headings then. */
  hasOutline: boolean
  /** The level of headings by font size in half points, of a book without an outline. */
  levels: Map<number, number>
  /** What the outline named in each style, and what only looked like it. */
  named: Map<string, NamedStyle>
  /** Headings so far: those that the outline names, and those found by looks. */
  totals: { named: number; byLooks: number }
}

interface NamedStyle {
  level: number
  named: number
  byLooks: number
}

/** Headings by looks beside those that the outline names: at most this share of them, and one more. */
const maxShareByLooks = 0.1

export function newHeadingStyles(levels: Map<number, number>): HeadingStyles {
  return { hasOutline: false, levels, named: new Map(), totals: { named: 0, byLooks: 0 } }
}

/** Learns the style of a heading that the outline names. */
export function learnStyle(styles: HeadingStyles, line: Line, level: number): void {
  const style = styles.named.get(styleKey(line))
  if (style) style.named += 1
  else styles.named.set(styleKey(line), { level, named: 1, byLooks: 0 })
  styles.totals.named += 1
}

/**
 * The level of a line that looks like the headings that the outline names; null if there are none such, or if more lines
 * look like them than are, so that a common style does not flood the book with headings.
 */
export function levelByNamedStyle(styles: HeadingStyles, line: Line): number | null {
  const style = styles.named.get(styleKey(line))
  const { named, byLooks } = styles.totals
  if (!style || style.byLooks >= Math.max(1, style.named / 2)) return null
  return byLooks < 1 + named * maxShareByLooks ? style.level : null
}

/** Counts a heading that was found by `levelByNamedStyle`. */
export function countByLooks(styles: HeadingStyles, line: Line): void {
  const style = styles.named.get(styleKey(line))
  if (style) style.byLooks += 1
  styles.totals.byLooks += 1
}

function styleKey({ size, bold }: Line): string {
  return `${Math.round(size * 2)}${bold > 0.5 ? 'b' : ''}`
}
