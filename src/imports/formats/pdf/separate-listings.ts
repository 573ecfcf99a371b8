import { isMonospaced } from './build-lines.ts'
import { minMonoShare } from './code-lines.ts'
import { extentOf, median } from './extent.ts'
import type { Segment } from './page-parts.ts'

/** A listing, and what stands beside it on one side. */
interface ListingPair {
  listing: Segment[]
  result: Segment[]
  isListingFirst: boolean
}

const minRows = 2
/** A region with more segments is a drawing or hostile. */
const maxSegments = 2_000
/** Between two lines of a listing or of a result, in ems: a blank line may be between them. */
const maxGap = 2.6
/** How far a line of a listing is indented, in ems. */
const maxIndent = 12
/** Between a listing and its result, in ems. */
const minGap = 0.7
/** How far a result reaches over its listing, above and below, in ems. */
const maxReach = 5
/** Baselines this close, in ems, are one. */
const maxShift = 0.1
/** The share of the rows of the shorter side that may stand on a baseline of the other one, as those of a table do. */
const maxShared = 0.5
/** The share of the lines of a table that have a row of meanings beside them, all equally far below. */
const minAligned = 0.7
/** The share of a result that may be set as code. */
const maxCodeShare = 0.25
/** The share of the words of a result that its source has, and how many words tell. */
const minCommonWords = 0.25
const minWords = 4

/**
 * Divides a region at listings that stand beside what they produce, as manuals of LaTeX set them: the listing is read for itself,
 * then its result, or the other way round where the result is on the left. Names of commands beside what they mean stay.
 */
export function separateListings(region: readonly Segment[]): Segment[][] {
  const code = region.length > maxSegments ? [] : region.filter(isCode)
  if (code.length < minRows || code.length === region.length) return [[...region]]
  const parts: Segment[][] = []
  let rest = [...region]
  for (const block of groupCode(code)) {
    const pair = rowsOf(block).length < minRows ? null : findPair(block, rest)
    if (!pair) continue
    const { listing, result, isListingFirst } = pair
    const taken = new Set([...listing, ...result])
    const top = Math.min(...[...taken].map(({ y }) => y))
    const others = rest.filter((segment) => !taken.has(segment))
    parts.push(
      others.filter(({ y }) => y < top),
      ...(isListingFirst ? [listing, result] : [result, listing]),
    )
    rest = others.filter(({ y }) => y >= top)
  }
  return [...parts, rest].filter((part) => part.length > 0)
}

function isCode({ runs, table }: Segment): boolean {
  if (table) return false
  return lengthOf(runs.filter(({ text, font }) => isMonospaced(text, font))) >= lengthOf(runs) * minMonoShare
}

function lengthOf(runs: Segment['runs']): number {
  return runs.reduce((sum, { text }) => sum + text.length, 0)
}

/** Lines of code one closely below the other, from top to bottom. */
function groupCode(code: readonly Segment[]): Segment[][] {
  const groups: { x0: number; x1: number; segments: Segment[] }[] = []
  for (const segment of code.toSorted((a, b) => a.y - b.y || a.x0 - b.x0)) {
    const group = groups.findLast(({ x0, x1, segments }) => {
      const fall = segment.y - (segments.at(-1)?.y ?? -Infinity)
      const isInside = segment.x0 < x1 && segment.x1 > x0
      return fall < segment.size * maxGap && (isInside || isIndented(segment, x0))
    })
    if (group) {
      group.segments.push(segment)
      Object.assign(group, extentOf(group.segments))
    } else groups.push({ x0: segment.x0, x1: segment.x1, segments: [segment] })
  }
  return groups.map(({ segments }) => segments)
}

function isIndented(segment: Segment, x0: number): boolean {
  return segment.x0 >= x0 - segment.size && segment.x0 < x0 + segment.size * maxIndent
}

/** A listing with its result; null if text is on both sides or between them, or if each line has its meaning beside it. */
function findPair(block: readonly Segment[], region: readonly Segment[]): ListingPair | null {
  const { x0, x1 } = extentOf(block)
  const [first, last] = [block[0], block.at(-1)]
  if (!first || !last) return null
  const em = first.size
  const isNear = ({ y }: Segment): boolean => y > first.y - em && y < last.y + em
  const numbers = region.filter((segment) => isLineNumber(segment, x0) && isNear(segment))
  const inListing = new Set([...block, ...numbers])
  const others = region.filter((segment) => !inListing.has(segment))
  const near = others.filter(isNear)
  for (const isListingFirst of [true, false]) {
    const isBeside = (segment: Segment): boolean =>
      isListingFirst ? segment.x0 >= x1 + em * minGap : segment.x1 <= x0 - em * minGap
    if (near.length === 0 || !near.every(isBeside)) continue
    const result = extendResult(near, others, isBeside)
    const isClose = result.every(({ y }) => y > first.y - em * maxReach && y < last.y + em * maxReach)
    // A word on the left is a term.
    if (!isListingFirst && rowsOf(result).length < minRows) continue
    if (isClose && isResult(result, block)) return { listing: [...inListing], result, isListingFirst }
  }
  return null
}

function isLineNumber({ runs, x1 }: Segment, left: number): boolean {
  const [run] = runs
  return run !== undefined && runs.length === 1 && x1 <= left && /^\d{1,4}$/.test(run.text)
}

/** A result with the lines close above and below it that stand on its side alone. */
function extendResult(
  near: readonly Segment[],
  others: readonly Segment[],
  isBeside: (segment: Segment) => boolean,
): Segment[] {
  const result = [...near]
  const taken = new Set(near)
  const [above, below] = [-1, 1].map((way) => others.filter(({ y }) => Math.sign(y - (near[0]?.y ?? 0)) === way))
  for (const side of [above?.toSorted((a, b) => b.y - a.y) ?? [], below?.toSorted((a, b) => a.y - b.y) ?? []]) {
    for (const segment of side) {
      if (taken.has(segment)) continue
      const isClose = result.some((other) => Math.abs(other.y - segment.y) < segment.size * maxGap)
      if (!isClose || !isBeside(segment)) break
      taken.add(segment)
      result.push(segment)
    }
  }
  return result
}

/** Whether text is the result of the listing beside it: its lines have places of their own, or its words are those of the source. */
function isResult(result: readonly Segment[], block: readonly Segment[]): boolean {
  if (result.some(({ table }) => table !== undefined)) return false
  if (result.filter(isCode).length > result.length * maxCodeShare) return false
  const [rows, lines] = [rowsOf(result), rowsOf(block)]
  const em = block[0]?.size ?? 0
  const shifts = lines.map((line) => nearestShift(line, rows))
  const usual = median(shifts)
  const aligned = shifts.filter((shift) => Math.abs(shift - usual) <= em * maxShift).length
  const shared = shifts.filter((shift) => Math.abs(shift) <= em * maxShift).length
  const isTable =
    lines.length > minRows && rows.length >= lines.length * minAligned && aligned >= lines.length * minAligned
  if (!isTable && shared <= Math.min(rows.length, lines.length) * maxShared) return true
  if (shared === lines.length) return false
  const source = new Set(wordsOf(block))
  const words = wordsOf(result)
  return words.length >= minWords && words.filter((word) => source.has(word)).length >= words.length * minCommonWords
}

/** How far the row nearest to a line is below it. */
function nearestShift(line: number, rows: readonly number[]): number {
  return rows.reduce((least, row) => (Math.abs(row - line) < Math.abs(least) ? row - line : least), Infinity)
}

function wordsOf(segments: readonly Segment[]): string[] {
  return segments.flatMap(({ runs }) => runs.flatMap(({ text }) => text.toLowerCase().match(/\p{L}{2,}/gu) ?? []))
}

/** The baselines of segments, from top to bottom. */
function rowsOf(segments: readonly Segment[]): number[] {
  const rows: number[] = []
  for (const { y, size } of segments.toSorted((a, b) => a.y - b.y)) {
    if (y - (rows.at(-1) ?? -Infinity) > size * 0.4) rows.push(y)
  }
  return rows
}
