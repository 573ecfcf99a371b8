import { extentOf } from '../page/extent.ts'
import type { Segment } from '../page/page-parts.ts'

/** Limit on the segments of a region. A region with more is a drawing or a hostile file. */
const maxSegments = 2_000
/**
 * The maximum vertical distance between the first lines of captions side by side, in ems. Their pictures may differ in
 * height.
 */
const maxShift = 2.5
/** Maximum line distance in a caption, and minimum gap between two captions, in ems. */
const maxLeading = 1.45
const minGap = 0.5
const label =
  /^(?:(?:Fig(?:ure|\.)?|FIG(?:URE|\.)?|Table|TABLE|Abb(?:ildung|\.)|Tab(?:elle|\.)|Figura|Tabela|Tabla|图|圖|表|図)\s*(\d[\d.–-]*)|\(?(\p{Ll})\)\s)/u

/** A caption: its lines from top to bottom, and the number or letter in its label. */
interface Caption {
  number: string
  segments: Segment[]
}

/**
 * Splits a region at captions that are side by side if any of them has several lines. Each caption is read separately.
 * Their lines may be centred and in any script, so only the labels distinguish them from table cells.
 */
export function separateCaptions(region: readonly Segment[]): Segment[][] {
  if (region.length > maxSegments) return [[...region]]
  const parts: Segment[][] = []
  let rest = [...region]
  for (const group of groupCaptions(region)) {
    const captions = completeCaptions(group, rest)
    if (!captions) continue
    const taken = new Set(captions.flatMap(({ segments }) => segments))
    const top = Math.min(...[...taken].map(({ y }) => y))
    const others = rest.filter((segment) => !taken.has(segment))
    parts.push(
      others.filter(({ y }) => y < top),
      ...captions.map(({ segments }) => segments),
    )
    rest = others.filter(({ y }) => y >= top)
  }
  return [...parts, rest].filter((part) => part.length > 0)
}

function labelOf({ runs, table, formula }: Segment): string | undefined {
  if (table || formula !== undefined) return undefined
  const [, number, letter] = label.exec(startOf(runs)) ?? []
  return number ?? letter
}

/** The text of the first runs, which may contain a label. */
function startOf(runs: Segment['runs']): string {
  return runs
    .slice(0, 4)
    .map(({ text }) => text)
    .join(' ')
}

/** Groups segments that start with different labels and are side by side, from top to bottom. */
function groupCaptions(region: readonly Segment[]): Caption[][] {
  const groups: Caption[][] = []
  for (const segment of region.toSorted((a, b) => a.y - b.y)) {
    const number = labelOf(segment)
    if (number === undefined) continue
    const caption = { number, segments: [segment] }
    const group = groups.at(-1)
    if (group?.every((other) => other.number !== number && isBeside(other, caption))) group.push(caption)
    else if (!group?.some((other) => other.number === number)) groups.push([caption])
  }
  return groups.filter(({ length }) => length > 1)
}

function isBeside({ segments: [a] }: Caption, { segments: [b] }: Caption): boolean {
  if (!a || !b) return false
  const gap = Math.max(a.x0, b.x0) - Math.min(a.x1, b.x1)
  return Math.abs(a.y - b.y) < a.size * maxShift && gap > a.size * minGap
}

/**
 * The captions from left to right, extended by the lines close below them. Null if each has only one line, or if they
 * overlap.
 */
function completeCaptions(group: readonly Caption[], region: readonly Segment[]): Caption[] | null {
  const captions = group.toSorted((a, b) => extentOf(a.segments).x0 - extentOf(b.segments).x0)
  const top = Math.min(...captions.flatMap(({ segments }) => segments.map(({ y }) => y)))
  for (const segment of region.toSorted((a, b) => a.y - b.y)) {
    if (segment.y < top || segment.table || captions.some(({ segments }) => segments.includes(segment))) continue
    const over = captions.filter(({ segments }) => {
      const { x0, x1 } = extentOf(segments)
      return segment.x0 < x1 && segment.x1 > x0
    })
    const [caption] = over
    const last = caption?.segments.at(-1)
    if (!caption || !last || segment.y - last.y > segment.size * maxLeading || !isSameSize(segment, last)) continue
    if (over.length > 1) break
    const number = labelOf(segment)
    if (number === undefined || number === caption.number) caption.segments.push(segment)
  }
  const extents = captions.map(({ segments }) => extentOf(segments))
  const isSeparate = extents.every(({ x0 }, index) => x0 > (extents[index - 1]?.x1 ?? -Infinity))
  return isSeparate && captions.some(({ segments }) => segments.length > 1) ? captions : null
}

function isSameSize(a: Segment, b: Segment): boolean {
  return Math.abs(a.size - b.size) < a.size * 0.1
}
