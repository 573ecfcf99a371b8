import { findRunningHeads, removeRunningHeads } from './page/running-heads.ts'
import type { RunningHead } from './page/running-heads.ts'
import { findMarginSides, removeMarginNumbers } from './notes/margin-numbers.ts'
import { minMonoShare } from './page/code-lines.ts'
import type { MarginSide } from './notes/margin-numbers.ts'
import type { PageText } from './page/pdf-file.ts'
import { isNextLine, newHeadingStyles, toHalfPoints } from './headings/heading-styles.ts'
import type { HeadingStyles } from './headings/heading-styles.ts'
import { learnWords, newVocabulary } from './page/hyphenation.ts'
import type { Vocabulary } from './page/hyphenation.ts'
import { namesHeading } from './page/structured-parts.ts'
import { sectionNumberOf } from './headings/section-numbers.ts'
import { boldHeadingSizes, repeatedBoldLines } from './headings/bold-headings.ts'
import { minLargeSize, textEnd } from './headings/set-apart.ts'
import { buildLines, isMonospaced } from './page/build-lines.ts'
import { widthOf } from './characters/text.ts'
import { segmentsByRotation } from './page/segments.ts'
import type { Line, Segment } from './page/page-parts.ts'

/** The typographic properties that the pages of a book share, measured on sample pages. */
export interface Calibration {
  /** The font size of the body text in points. */
  size: number
  /** The distance between the baselines of a paragraph, as a multiple of the font size. */
  leading: number
  /** Whether the body text is monospaced. If so, monospaced text is not code. */
  monoBody: boolean
  runningHeads: RunningHead[]
  headings: HeadingStyles
  /** The margins that contain line numbers. */
  numberedMargins: MarginSide[]
  vocabulary: Vocabulary
}

/** Minimum size of running text, relative to the body text. Labels of charts are smaller. */
export const minTextSize = 0.6

const sampleClusters = 4
const clusterLength = 4
/** The maximum number of levels that are distinguished by font size alone. */
const maxSizeLevels = 3
/**
 * Maximum mean width of the headings of one size, in characters, of which Chinese, Japanese and Korean ones count twice,
 * and their maximum share in the lines of a book, if they are more than a few.
 */
const maxWidth = 60
const minFlood = 20
const maxHeadingShare = 0.35
/** The maximum number of lines of a title, and the maximum share of the lines of one size that are in paragraphs. */
const maxTitleLines = 3
const maxParagraphShare = 0.5
/** The share of proportionally spaced text above which it is the body text, even if most of the book is code. */
const minProseShare = 0.2
/** Matches what is typical of a line of code: its first or last characters, or an operator between its words. */
const codeSign = /^(?:[\\{}[\]<#%$@&|]|\/[/*])|[\\{}[\];=>&|]$|\s?(?:[:!=<>+-]?=|->|=>|&&|\|\|)\s/u

/**
 * The pages to sample, from 1: all pages of a short book, otherwise groups of adjacent pages throughout the book,
 * because running heads alternate.
 */
export function samplePages(pageCount: number): number[] {
  const sampleSize = sampleClusters * clusterLength
  if (pageCount <= sampleSize + clusterLength) return Array.from({ length: pageCount }, (_, index) => index + 1)
  const step = (pageCount - clusterLength) / sampleClusters
  return Array.from({ length: sampleSize }, (_, index) => {
    const cluster = Math.floor(index / clusterLength)
    return Math.floor(1 + step * (cluster + 0.5)) + (index % clusterLength)
  })
}

/** Measures the typographic properties of a book on sample pages, which are keyed by page number. */
export function calibrate(samples: ReadonlyMap<number, PageText>): Calibration {
  const numberedMargins = findMarginSides([...samples.values()])
  const pages = [...samples].map(([number, page]) => {
    const [segments = []] = segmentsByRotation(removeMarginNumbers(page, numberedMargins))
    return { number, segments, isWide: page.width > page.height }
  })
  const size = measureBodySize(pages.flatMap(({ segments }) => segments))
  const runningHeads = findRunningHeads(pages, size)
  const vocabulary = newVocabulary()
  const leadings = new Histogram()
  let mono = 0
  let characters = 0
  const lines: Line[] = []
  for (const { segments } of pages) {
    let last: Line | undefined
    for (const line of buildLines(removeRunningHeads(segments, runningHeads))) {
      lines.push(line)
      learnWords(vocabulary, line.text)
      mono += line.mono * line.text.length
      characters += line.text.length
      if (last && Math.abs(last.size - line.size) < 0.3 && line.size >= size * minTextSize) {
        vocabulary.hangul.learnLineEnd(last.text, line.text)
        leadings.add(Math.round(((line.y - last.y) / line.size) * 20))
      }
      last = line
    }
  }
  const leading = (leadings.mode((value) => value >= 18 && value <= 50) ?? 24) / 20
  const labels = repeatedBoldLines(lines, { size, leading })
  const boldSizes = boldHeadingSizes(lines, { size, leading })
  const headings = newHeadingStyles({ ...rankHeadingSizes(lines, size), labels, boldSizes })
  headings.isTagged = [...samples.values()].some(({ structure }) => structure?.some(namesHeading) === true)
  const monoBody = mono > characters * (1 - minProseShare) && !isListing(lines)
  return { size, leading, monoBody, runningHeads, headings, numberedMargins, vocabulary }
}

/**
 * Whether most monospaced lines look like code. Then the book consists of listings with headings and is not
 * typewritten.
 */
function isListing(lines: readonly Line[]): boolean {
  const typed = lines.filter(({ mono }) => mono >= minMonoShare)
  return typed.filter(({ text }) => codeSign.test(text)).length > typed.length / 2
}

/** The most common font size of proportional text, in points; of all text, if nearly all is monospaced. */
function measureBodySize(segments: readonly Segment[]): number {
  const [sizes, proseSizes] = [new Histogram(), new Histogram()]
  for (const { runs } of segments) {
    for (const { text, size, font } of runs) {
      const width = widthOf(text)
      sizes.add(toHalfPoints(size), width)
      if (!isMonospaced(text, font)) proseSizes.add(toHalfPoints(size), width)
    }
  }
  return ((proseSizes.total > sizes.total * minProseShare ? proseSizes : sizes).mode() ?? 20) / 2
}

/**
 * The heading levels of font sizes that are clearly larger than the body text and used only for short lines, not for
 * paragraphs; and the other such sizes.
 */
function rankHeadingSizes(lines: readonly Line[], body: number): Pick<HeadingStyles, 'levels' | 'textSizes'> {
  const found = new Map<number, { lines: number; width: number; inParagraphs: number }>()
  for (const together of linesTogether(lines)) {
    const [{ size }] = together
    if (size < body * minLargeSize) continue
    const entry = found.get(toHalfPoints(size)) ?? { lines: 0, width: 0, inParagraphs: 0 }
    entry.lines += together.length
    entry.width += together.reduce((width, { text }) => width + widthOf(text), 0)
    if (isParagraph(together)) entry.inParagraphs += together.length
    found.set(toHalfPoints(size), entry)
  }
  const ranked = [...found]
    .filter(
      ([, entry]) => entry.width / entry.lines <= maxWidth && entry.inParagraphs <= entry.lines * maxParagraphShare,
    )
    .filter(([, entry]) => entry.lines <= Math.max(minFlood, lines.length * maxHeadingShare))
    .map(([size]) => size)
  const levels = new Map(
    ranked.sort((a, b) => b - a).map((size, index): [number, number] => [size, Math.min(index + 1, maxSizeLevels)]),
  )
  return { levels, textSizes: new Set([...found.keys()].filter((size) => !levels.has(size))) }
}

/** Whether lines in one size are a paragraph: they are many, or they end like a sentence and have no section number. */
function isParagraph(lines: readonly [Line, ...Line[]]): boolean {
  if (lines.length > maxTitleLines) return true
  return textEnd.test(lines.at(-1)?.text ?? '') && sectionNumberOf(lines[0].text) === null
}

/** Groups the lines that follow each other in one size as those of a paragraph or of a title do. */
function linesTogether(lines: readonly Line[]): [Line, ...Line[]][] {
  const groups: [Line, ...Line[]][] = []
  for (const line of lines) {
    const last = groups.at(-1)
    const above = last?.at(-1)
    if (last && above && isNextLine(above, line)) last.push(line)
    else groups.push([line])
  }
  return groups
}

class Histogram {
  readonly #counts = new Map<number, number>()
  #total = 0

  add(value: number, count = 1): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + count)
    this.#total += count
  }

  get total(): number {
    return this.#total
  }

  /** The value with the highest count. */
  mode(isAllowed: (value: number) => boolean = () => true): number | undefined {
    const entries = [...this.#counts].filter(([value]) => isAllowed(value))
    return entries.reduce<[number, number] | undefined>((a, b) => (a && a[1] >= b[1] ? a : b), undefined)?.[0]
  }
}
