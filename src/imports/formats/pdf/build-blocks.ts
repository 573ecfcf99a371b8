import type { Calibration } from './calibration.ts'
import { halfPoints } from './calibration.ts'
import { extentOf, median } from './reading-order.ts'
import type { HeadingMatch } from './find-headings.ts'
import type { Line } from './build-lines.ts'
import { tableAt } from './find-table.ts'
import type { Table } from './find-table.ts'
import { leader } from './text.ts'

/** A unit of Markdown and the lines it is made of. */
export type Block =
  | { kind: 'heading'; level: number; lines: Line[] }
  | { kind: 'paragraph'; lines: Line[] }
  | { kind: 'item'; marker: string; depth: number; lines: Line[] }
  | { kind: 'contents'; lines: Line[] }
  | { kind: 'code'; lines: Line[] }
  | { kind: 'table'; table: Table }

type TextKind = 'heading' | 'code' | 'contents' | 'text'

/** A vertical gap this much above the usual distance of lines starts a new block. */
const looseLine = 1.17
const bullet = /^([•◦▪●○■□‣∙·*▸►➢✓–—-])(?=\s)/
const numeral = /^(\d{1,3}[.)])(?=\s)/

/** Divides the lines of one region (a column, or the whole page) into blocks. */
export function blocksOf(
  lines: readonly Line[],
  calibration: Calibration,
  headings: ReadonlyMap<Line, HeadingMatch>,
): Block[] {
  const blocks: Block[] = []
  const leading = leadingOf(lines, calibration)
  let text: Line[] = []
  const flush = (): void => {
    for (const block of textBlocks(text, leading)) blocks.push(block)
    text = []
  }
  for (let index = 0; index < lines.length;) {
    const line = lines[index]
    if (!line) break
    const heading = headings.get(line)
    const kind = heading ? 'heading' : kindOf(line, text, calibration)
    const table = kind === 'text' || kind === 'code' ? tableAt(lines, index, leading) : null
    if (kind === 'text' && !table) {
      text.push(line)
      index += 1
      continue
    }
    flush()
    if (heading) {
      blocks.push({ kind: 'heading', level: heading.level, lines: lines.slice(index, index + heading.lines) })
      index += heading.lines
    } else if (table && !(kind === 'code' && table.mono)) {
      blocks.push({ kind: 'table', table })
      index += table.lines
    } else {
      addLine(blocks, kind === 'contents' ? 'contents' : 'code', line)
      index += 1
    }
  }
  flush()
  nestItems(blocks)
  return blocks
}

/** Gives neighbouring list items their depth by where their markers stand. */
function nestItems(blocks: readonly Block[]): void {
  let edges: number[] = []
  for (const block of blocks) {
    if (block.kind !== 'item') {
      if (block.kind === 'heading') edges = []
      continue
    }
    const { x0 = 0, size = 0 } = block.lines[0] ?? {}
    edges = edges.filter((edge) => edge < x0 - size * 0.8)
    block.depth = Math.min(edges.length, 5)
    edges.push(x0)
  }
}

function addLine(blocks: Block[], kind: 'contents' | 'code', line: Line): void {
  const last = blocks.at(-1)
  if (last?.kind === kind && isNear(last.lines, line, kind)) last.lines.push(line)
  else blocks.push({ kind, lines: [line] })
}

/** True when a line belongs to the code (or contents) above: no large gap, nor a small one with less indentation. */
function isNear(lines: readonly Line[], line: Line, kind: 'contents' | 'code'): boolean {
  const [first, last] = [lines[0], lines.at(-1)]
  if (!first || !last) return false
  const gap = line.y - last.y
  const outdented = kind === 'code' && line.x0 < extentOf(lines).x0 - line.size
  return gap < line.size * (outdented ? 1.3 : 4.5)
}

function kindOf(line: Line, above: readonly Line[], { monoBody }: Calibration): TextKind {
  if (leader.test(line.text)) return 'contents'
  if (monoBody || line.mono < 0.75) return 'text'
  const last = above.at(-1)
  return last && isTail(last, line, extentOf(above).x1) ? 'text' : 'code'
}

/** The last line of a paragraph may happen to be all code. */
function isTail(last: Line, line: Line, right: number): boolean {
  const room = right - last.x1
  return (
    line.y - last.y < line.size * 1.35 &&
    Math.abs(line.x0 - last.x0) < line.size * 0.8 &&
    room < firstWordWidth(line) + line.size &&
    last.mono < 0.75 &&
    !last.text.endsWith(':')
  )
}

/** The usual distance of lines in this region against their size. */
function leadingOf(lines: readonly Line[], { leading }: Calibration): number {
  const ratios: number[] = []
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1]
    if (!next || halfPoints(next.size) !== halfPoints(line.size)) continue
    const ratio = (next.y - line.y) / line.size
    if (ratio > 0.9 && ratio < leading * 1.6) ratios.push(ratio)
  }
  return ratios.length >= 6 ? Math.min(median(ratios), leading * 1.35) : leading
}

/** Divides running text at gaps, then each piece into paragraphs and list items. */
function textBlocks(lines: readonly Line[], leading: number): Block[] {
  const groups: Line[][] = []
  for (const line of lines) {
    const group = groups.at(-1)
    const last = group?.at(-1)
    if (group && last && isTight(last, line, leading)) group.push(line)
    else groups.push([line])
  }
  return groups.flatMap((group) => paragraphs(group))
}

function isTight(last: Line, line: Line, leading: number): boolean {
  const size = Math.max(last.size, line.size)
  return line.y - last.y <= size * leading * looseLine && Math.min(last.size, line.size) >= size * 0.85
}

function paragraphs(lines: readonly Line[]): Block[] {
  const right = rightEdge(lines)
  const blocks: Block[] = []
  let open: Extract<Block, { lines: Line[] }> | undefined
  for (const line of lines) {
    const marker = bullet.exec(line.text)?.[1] ?? (startsList(line, open) ? numeral.exec(line.text)?.[1] : undefined)
    if (marker !== undefined) {
      open = { kind: 'item', marker, depth: 0, lines: [line] }
      blocks.push(open)
    } else if (open && goesOn(open.lines, line, right)) {
      open.lines.push(line)
    } else {
      open = { kind: 'paragraph', lines: [line] }
      blocks.push(open)
    }
  }
  return blocks
}

/** The edge at which most lines end; that of the longest where none agree. */
function rightEdge(lines: readonly Line[]): number {
  const ends = lines.map((line) => line.x1).sort((a, b) => b - a)
  return ends.find((end, index) => end - (ends[index + 1] ?? 0) < 1.5) ?? ends[0] ?? 0
}

/** A numeral at a line start begins an item unless it is the middle of a sentence. */
function startsList(line: Line, open: { kind: string; lines: Line[] } | undefined): boolean {
  const last = open?.lines.at(-1)
  if (!open || !last || open.kind === 'item') return true
  return /[.:;!?]$/.test(last.text) || Math.abs(line.x0 - last.x0) > line.size
}

/** True when a line goes on with the paragraph above it. */
function goesOn(paragraph: readonly Line[], line: Line, right: number): boolean {
  const last = paragraph.at(-1)
  if (!last || isRow(last) || isRow(line)) return false
  const em = line.size
  const shift = line.rtl ? last.x1 - line.x1 : line.x0 - last.x0
  const room = right - last.x1
  const full =
    line.rtl || room < firstWordWidth(line) + em * 0.8 || (isOpenEnded(last, line) && room < (right - last.x0) / 4)
  if (paragraph.length > 1 && Math.abs(shift) > em * 0.8) return false
  if (shift > em * 0.8) return full && shift < em * 6
  if (shift < -em * 0.8) return full && shift > -em * 5
  return full
}

/** True when the words themselves say that a sentence goes on: no stop, then a small letter. */
function isOpenEnded(last: Line, line: Line): boolean {
  return /[^.:;!?)\]”"]$/.test(last.text) && /^\p{Ll}/u.test(line.text)
}

/** Text with a hole in it is a row of a table, if a lone one. */
function isRow({ pieces }: Line): boolean {
  return pieces.some((piece, index) => piece.tab && piece.x0 - (pieces[index - 1]?.x1 ?? piece.x0) > 24)
}

function firstWordWidth(line: Line): number {
  const word = line.text.indexOf(' ')
  return word < 0 ? line.x1 - line.x0 : ((line.x1 - line.x0) * word) / line.text.length
}
