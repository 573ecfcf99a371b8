import type { TocEntry } from '../../format.ts'
import type { Line } from '../page/page-parts.ts'
import { sectionNumberOf, type SectionNumber, addSection } from './section-numbers.ts'

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
  /** Font sizes of text that is larger than most text, in half points, which are not sizes of headings. */
  textSizes: ReadonlySet<number>
  /** Bold lines that repeat on the sample pages, such as "Returns": labels and no headings, without an outline. */
  labels: ReadonlySet<string>
  /** The last section numbers, without an outline, and the level of the headings above sections that have one number. */
  sections: SectionNumber[]
  levelAboveSections: number
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

/** Maximum distance of the lines of a heading, in ems. */
const maxTitleLeading = 1.7
/** Maximum number of headings recognised by appearance, as a share of those in the outline, plus one. */
const maxShareByStyle = 0.1

/** What the sample pages show of the headings of a book. */
type SampledStyles = Pick<HeadingStyles, 'levels' | 'textSizes' | 'labels'> & { boldSizes: ReadonlySet<number> }

/** The styles at the beginning of a book. */
export function newHeadingStyles({ levels, textSizes, labels, boldSizes }: SampledStyles): HeadingStyles {
  const below = Math.max(0, ...levels.values())
  const boldLevels = new Map(
    [...boldSizes].sort((a, b) => b - a).map((size, index): [number, number] => [size, Math.min(6, below + index + 1)]),
  )
  return {
    hasOutline: false,
    isTagged: false,
    levels,
    boldLevels,
    textSizes,
    labels,
    sections: [],
    levelAboveSections: 0,
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

/** Whether a line continues the one above in the same size. */
export function isNextLine(above: Line, below: Line): boolean {
  const distance = below.y - above.y
  return (
    toHalfPoints(below.size) === toHalfPoints(above.size) && distance >= 0 && distance <= above.size * maxTitleLeading
  )
}

function styleKey({ size, bold }: Line): string {
  return `${toHalfPoints(size)}${bold > 0.5 ? 'b' : ''}`
}

/** Learns the section number of a heading in a book without an outline, and the level of such headings. */
export function learnSection(styles: HeadingStyles, title: string, level: number): void {
  const number = sectionNumberOf(title)
  if (!number) return
  addSection(styles.sections, number)
  styles.levelAboveSections = Math.max(0, level - number.length)
}
