import { findRunningHeads, removeRunningHeads } from './running-heads.ts'
import type { RunningHead } from './running-heads.ts'
import type { PageText } from './pdf-file.ts'
import { learnWords } from './hyphenation.ts'
import type { Vocabulary } from './hyphenation.ts'
import { buildLines } from './build-lines.ts'
import type { Line } from './build-lines.ts'
import { segmentsByRotation } from './segments.ts'
import type { Segment } from './segments.ts'

/** What the pages of a book have in common, measured on a sample of them. */
export interface Calibration {
  /** Size of the body text in points. */
  size: number
  /** Distance between lines of a paragraph against the size. */
  leading: number
  /** True when the body itself is set in a monospaced font: then such text is not code. */
  monoBody: boolean
  runningHeads: RunningHead[]
  /** Level of a heading by its size in half points; from large to small. */
  headingLevels: Map<number, number>
  vocabulary: Vocabulary
}

const sampleClusters = 4
const clusterLength = 4
/** Levels that sizes alone may tell apart. */
const maxSizeLevels = 3

/** The pages to look at first: all of a short book, else groups of neighbours all over it (running heads alternate). */
export function samplePages(pageCount: number): number[] {
  const sampleSize = sampleClusters * clusterLength
  if (pageCount <= sampleSize + clusterLength) return Array.from({ length: pageCount }, (_, index) => index + 1)
  const step = (pageCount - clusterLength) / sampleClusters
  return Array.from({ length: sampleSize }, (_, index) => {
    const cluster = Math.floor(index / clusterLength)
    return Math.floor(1 + step * (cluster + 0.5)) + (index % clusterLength)
  })
}

/** Measures a book on sampled pages. */
export function calibrate(samples: ReadonlyMap<number, PageText>): Calibration {
  const pages = [...samples].map(([number, page]) => ({ number, segments: segmentsByRotation(page)[0] ?? [] }))
  const size = measureBodySize(pages.flatMap(({ segments }) => segments))
  const runningHeads = findRunningHeads(pages, size)
  const vocabulary: Vocabulary = { words: new Set() }
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
      if (last && Math.abs(last.size - line.size) < 0.3) leadings.add(Math.round(((line.y - last.y) / line.size) * 20))
      last = line
    }
  }
  const leading = (leadings.mode((value) => value >= 18 && value <= 50) ?? 24) / 20
  const headingLevels = rankHeadingSizes(lines, size)
  return { size, leading, monoBody: mono > characters * 0.6, runningHeads, headingLevels, vocabulary }
}

/** The size of most characters. */
function measureBodySize(segments: readonly Segment[]): number {
  const sizes = new Histogram()
  for (const { runs } of segments) for (const run of runs) sizes.add(toHalfPoints(run.size), run.text.length)
  return (sizes.mode() ?? 20) / 2
}

/** A size as a key: half points. */
export function toHalfPoints(size: number): number {
  return Math.round(size * 2)
}

/** Sizes clearly above the body that are used for short lines only, ranked. */
function rankHeadingSizes(lines: readonly Line[], body: number): Map<number, number> {
  const found = new Map<number, { lines: number; characters: number }>()
  for (const line of lines) {
    if (line.size < body * 1.15) continue
    const entry = found.get(toHalfPoints(line.size)) ?? { lines: 0, characters: 0 }
    entry.lines += 1
    entry.characters += line.text.length
    found.set(toHalfPoints(line.size), entry)
  }
  const ranked = [...found].filter(([, entry]) => entry.characters / entry.lines <= 60).map(([size]) => size)
  return new Map(
    ranked.sort((a, b) => b - a).map((size, index): [number, number] => [size, Math.min(index + 1, maxSizeLevels)]),
  )
}

class Histogram {
  readonly #counts = new Map<number, number>()

  add(value: number, count = 1): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + count)
  }

  /** The value counted most. */
  mode(isAllowed: (value: number) => boolean = () => true): number | undefined {
    const entries = [...this.#counts].filter(([value]) => isAllowed(value))
    return entries.reduce<[number, number] | undefined>((a, b) => (a && a[1] >= b[1] ? a : b), undefined)?.[0]
  }
}
