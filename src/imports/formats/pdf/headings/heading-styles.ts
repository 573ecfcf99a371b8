import type { TocEntry } from '../../format.ts'
import type { Line } from '../page/page-parts.ts'

/** The styles of headings in a book, learnt from the titles in its outline or from the sample pages. */
export interface HeadingStyles {
  /** Whether the file has an outline. If it has, few headings are recognised by appearance alone. */
  hasOutline: boolean
  /** Whether the structure of a tagged file names its headings. Then none is recognised by appearance. */
  isTagged: boolean
  /** The heading level by font size in half points, for a book without an outline. */
  levels: Map<number, number>
  /** The level of bold headings in sizes close to that of the text, by font size in half points, without an outline. */
  boldLevels: Map<number, number>
  /** For each style, the number of headings that the outline lists and the number of lines that only look like them. */
  named: Map<string, NamedStyle>
  /** The number of headings so far: listed in the outline, and recognised by appearance. */
  totals: { named: number; byStyle: number }
  /** The titles that the outline lists for the page that was read last, but that are not on it. */
  missingTitles: TocEntry[]
}

interface NamedStyle {
  level: number
  named: number
  byStyle: number
}

/** Maximum number of headings recognised by appearance, as a share of those in the outline, plus one. */
const maxShareByStyle = 0.1

export function newHeadingStyles(levels: Map<number, number>, boldSizes: ReadonlySet<number>): HeadingStyles {
  const below = Math.max(0, ...levels.values())
  const boldLevels = new Map(
    [...boldSizes].sort((a, b) => b - a).map((size, index): [number, number] => [size, Math.min(6, below + index + 1)]),
  )
  return {
    hasOutline: false,
    isTagged: false,
    levels,
    boldLevels,
    named: new Map(),
    totals: { named: 0, byStyle: 0 },
    missingTitles: [],
  }
}

/** Records the style of a heading that the outline lists. */
export function learnStyle(styles: HeadingStyles, line: Line, level: number): void {
  const style = styles.named.get(styleKey(line))
  if (style) style.named += 1
  else styles.named.set(styleKey(line), { level, named: 1, byStyle: 0 })
  styles.totals.named += 1
}

/**
 * The level of a line that has the style of headings in the outline; null if there are none in this style. It is also
 * null once too many other lines have the style, so that a common style does not flood the book with headings.
 */
export function levelByNamedStyle(styles: HeadingStyles, line: Line): number | null {
  const style = styles.named.get(styleKey(line))
  const { named, byStyle } = styles.totals
  if (!style || style.byStyle >= Math.max(1, style.named / 2)) return null
  return byStyle < 1 + named * maxShareByStyle ? style.level : null
}

/** Counts a heading that `levelByNamedStyle` recognised. */
export function countByStyle(styles: HeadingStyles, line: Line): void {
  const style = styles.named.get(styleKey(line))
  if (style) style.byStyle += 1
  styles.totals.byStyle += 1
}

/** A font size in half points, for use as a map key. */
export function toHalfPoints(size: number): number {
  return Math.round(size * 2)
}

function styleKey({ size, bold }: Line): string {
  return `${toHalfPoints(size)}${bold > 0.5 ? 'b' : ''}`
}
