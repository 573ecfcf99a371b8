import { countCharacters } from '../characters/count-characters.ts'
import { isMonospaced } from './build-lines.ts'
import { minMonoShare } from './code-lines.ts'
import { extentOf, median } from './extent.ts'
import type { Segment } from './page-parts.ts'

/** A code listing, and the text on one side of it. */
interface ListingPair {
  listing: Segment[]
  result: Segment[]
  isListingFirst: boolean
}

const minRows = 2
/** Limit on the segments of a region. A region with more is a drawing or a hostile file. */
const maxSegments = 2_000
/** Maximum line distance in a listing or a result, in ems. A blank line may be in between. */
const maxGap = 2.6
/** Maximum indent of a line in a listing, in ems. */
const maxIndent = 12
/** Minimum gap between a listing and its result, in ems. */
const minGap = 0.7
/** How far a result may extend above and below its listing, in ems. */
const maxReach = 5
/** Maximum distance between baselines that count as equal, in ems. */
const maxShift = 0.1
/**
 * The maximum share of rows of the shorter side that coincide with a baseline of the other side. Rows of a table share
 * theirs.
 */
const maxShared = 0.5
/** In a table, minimum share of lines that have a description beside them at the same vertical offset. */
const minAligned = 0.7
/** The maximum share of a result that is set as code. */
const maxCodeShare = 0.25
/**
 * The minimum share of the words of a result that also occur in its source, and the minimum number of words for this
 * comparison.
 */
const minCommonWords = 0.25
const minWords = 4

/**
 * Splits a region at code listings that are beside their output, as in LaTeX manuals. The listing is read first and
 * then its result; if the result is on the left, the result is read first. Command names beside their descriptions stay
 * together.
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
  return (
    countCharacters(runs.filter(({ text, font }) => isMonospaced(text, font))) >= countCharacters(runs) * minMonoShare
  )
}

/** Groups lines of code that are close below each other, from top to bottom. */
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

/**
 * A listing with its result. Null if there is text on both sides or in between, or if each line has its description
 * beside it.
 */
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
    // A single word on the left is a term.
    if (!isListingFirst && rowsOf(result).length < minRows) continue
    if (isClose && isResult(result, block)) return { listing: [...inListing], result, isListingFirst }
  }
  return null
}

function isLineNumber({ runs, x1 }: Segment, left: number): boolean {
  const [run] = runs
  return run !== undefined && runs.length === 1 && x1 <= left && /^\d{1,4}$/.test(run.text)
}

/** A result, extended by adjacent rows above and below it that are only on its side. */
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
      const row = side.filter(({ y }) => Math.abs(y - segment.y) < segment.size * 0.4)
      if (!isClose || !row.every(isBeside)) break
      taken.add(segment)
      result.push(segment)
    }
  }
  return result
}

/**
 * Whether text is the result of the listing beside it: its lines have their own baselines, or its words occur in the
 * source.
 */
function isResult(result: readonly Segment[], block: readonly Segment[]): boolean {
  if (result.some(({ table }) => table !== undefined)) return result.every(({ table }) => table !== undefined)
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

/** The vertical offset of the row that is nearest to a line; positive if the row is below. */
function nearestShift(line: number, rows: readonly number[]): number {
  return rows.reduce((least, row) => (Math.abs(row - line) < Math.abs(least) ? row - line : least), Infinity)
}

function wordsOf(segments: readonly Segment[]): string[] {
  return segments.flatMap(({ runs }) => runs.flatMap(({ text }) => text.toLowerCase().match(/\p{L}{2,}/gu) ?? []))
}

/** The distinct baselines of segments, from top to bottom. */
function rowsOf(segments: readonly Segment[]): number[] {
  const rows: number[] = []
  for (const { y, size } of segments.toSorted((a, b) => a.y - b.y)) {
    if (y - (rows.at(-1) ?? -Infinity) > size * 0.4) rows.push(y)
  }
  return rows
}
