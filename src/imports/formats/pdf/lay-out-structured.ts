import { minMonoShare } from './page/code-lines.ts'
import type { Calibration } from './calibration.ts'
import { buildLines } from './page/build-lines.ts'
import type { Block, HeadingMatch, Line, TextPiece } from './page/page-parts.ts'
import { bulletMarker, isMidSentence, numberMarker } from './page/paragraphs.ts'
import type { TextRun } from './page/pdf-file.ts'
import { segmentsByRotation } from './page/segments.ts'
import { isSpacelessScript } from './characters/text.ts'
import type { StructuredCell, StructuredPart } from './page/structured-parts.ts'

/** The distance upwards, in ems, from which text begins the next column of a paragraph. */
const minColumnRise = 1.5
/** Maximum distance of the lines of one listing whose lines are paragraphs, in ems. */
const maxCodeGap = 1.6
/**
 * Paragraphs that end in the middle of a sentence are lines. If a page has more than a few and more than this share of
 * them, its structure is not that of its text.
 */
const [minBroken, maxBrokenShare] = [3, 0.3]

type TextPart = Exclude<StructuredPart, { kind: 'region' | 'table' }>

/** Lines of a page that become blocks together: a region of the layout, or a part of the structure. */
export interface LaidOutRegion {
  lines: Line[]
  part?: Exclude<StructuredPart, { kind: 'region' }>
}

/** The lines of a part, in reading order. Those of a table have no text. */
export function linesOfPart(part: Exclude<StructuredPart, { kind: 'region' }>): Line[] {
  if (part.kind === 'table') return tableLines(part.rows)
  return linesInOrder(part.kind === 'item' ? [...part.label, ...part.runs] : part.runs)
}

/** Whether many paragraphs of the structure are only lines of paragraphs. */
export function hasBrokenParagraphs(regions: readonly LaidOutRegion[]): boolean {
  let [paragraphs, broken] = [0, 0]
  for (const [index, { part, lines }] of regions.entries()) {
    if (part?.kind !== 'paragraph') continue
    paragraphs += 1
    const above = regions[index - 1]
    const [last, first] = [above?.lines.at(-1), lines[0]]
    if (above?.part?.kind !== 'paragraph' || !last || !first || last.mono >= minMonoShare) continue
    if (first.y > last.y && isMidSentence(last, first)) broken += 1
  }
  return broken > minBroken && broken > paragraphs * maxBrokenShare
}

/** The blocks of a part. A paragraph may be a heading that only the outline or the layout shows, or code. */
export function blocksOfPart(
  { part, lines }: Required<LaidOutRegion>,
  calibration: Calibration,
  headings: ReadonlyMap<Line, HeadingMatch>,
): Block[] {
  const [first] = lines
  if (part.kind === 'table') return lines.flatMap(({ table }) => (table ? [{ kind: 'table', table }] : []))
  if (!first) return []
  const match = headings.get(first)
  if (part.kind === 'heading') return [{ kind: 'heading', level: match?.tocEntry?.level ?? part.level, lines }]
  // Word writes numbered headings as the items of a list, among which only the outline shows them.
  if (match && (part.kind === 'paragraph' || match.tocEntry !== null) && areHeadings(lines, headings))
    return [{ kind: 'heading', level: match.level, lines }]
  if (first.note !== undefined) return [{ kind: 'note', number: first.note, lines }]
  return splitListings(lines, calibration).map((group, index): Block => {
    if (group.isCode) return { kind: 'code', lines: group.lines }
    return index === 0 ? textBlock(part, group.lines) : { kind: 'paragraph', lines: group.lines }
  })
}

/** Whether all lines belong to headings. */
function areHeadings(lines: readonly Line[], headings: ReadonlyMap<Line, HeadingMatch>): boolean {
  for (let index = 0, match; index < lines.length; index += match.lineCount) {
    match = headings.get(lines[index] as Line)
    if (!match) return false
  }
  return true
}

/** Separates listings from the text of a paragraph. Each begins and ends with a line of its own. */
function splitListings(lines: readonly Line[], { monoBody }: Calibration): { isCode: boolean; lines: Line[] }[] {
  const groups: { isCode: boolean; lines: Line[] }[] = []
  let last: Line | undefined
  for (const line of lines) {
    const group = groups.at(-1)
    const isMono = !monoBody && line.mono >= minMonoShare
    const isCode = isMono && (group?.isCode === true || !last || last.endsWithBreak === true)
    if (group?.isCode === isCode) group.lines.push(line)
    else groups.push({ isCode, lines: [line] })
    last = line
  }
  return groups
}

/** The blocks with the lines of a listing in one block if each of them is a paragraph in the structure. */
export function joinCode(blocks: readonly Block[]): Block[] {
  const joined: Block[] = []
  let listing: Line[] | null = null
  for (const block of blocks) {
    if (block.kind !== 'code') {
      listing = null
      joined.push(block)
    } else if (listing && continuesListing(listing.at(-1), block.lines[0])) {
      for (const line of block.lines) listing.push(line)
    } else {
      listing = [...block.lines]
      joined.push({ kind: 'code', lines: listing })
    }
  }
  return joined
}

function continuesListing(last: Line | undefined, first: Line | undefined): boolean {
  const gap = last && first ? first.y - last.y : 0
  return gap > 0 && gap <= (last?.size ?? 0) * maxCodeGap
}

/**
 * A list item, without its marker at the start of its text, or a paragraph. An item that shows no marker and has no
 * element for one is a paragraph, such as a term in a list of definitions; a paragraph that shows one is an item.
 */
function textBlock(part: TextPart, lines: Line[]): Block {
  const text = lines[0]?.text ?? ''
  const { depth, label, hasLabel } = part.kind === 'item' ? part : { depth: 0, label: [], hasLabel: false }
  const labelText = label.map((run) => run.text).join('')
  const isSign = labelText.length === 1 && text.startsWith(labelText)
  const marker = isSign ? labelText : (bulletMarker.exec(text)?.[1] ?? numberMarker.exec(text)?.[1] ?? '')
  return marker !== '' || hasLabel ? { kind: 'list-item', marker, depth, lines } : { kind: 'paragraph', lines }
}

/** The lines of text whose runs are in reading order. Text higher up on the page begins the next column. */
function linesInOrder(runs: readonly TextRun[]): Line[] {
  const columns: TextRun[][] = []
  let last: TextRun | undefined
  for (const run of runs) {
    const column = columns.at(-1)
    if (!column || !last || last.y - run.y > run.size * minColumnRise) columns.push([run])
    else column.push(run)
    last = run
  }
  return columns.flatMap((column) => buildLines(segmentsOf(column)))
}

function segmentsOf(runs: TextRun[]) {
  // The size of the page is only used for rotated text.
  return segmentsByRotation({ runs, width: 0, height: 0, picture: false, garbled: 0 })[0] ?? []
}

/** A table without the columns at its end that are empty. */
function tableLines(rows: readonly StructuredCell[][]): Line[] {
  const filled = rows.map((row) =>
    row.flatMap((cell) => [cell, ...Array.from({ length: cell.columns - 1 }, () => null)]),
  )
  const columns =
    Math.max(...filled.map((row) => row.findLastIndex((cell) => cell !== null && cell.runs.length > 0))) + 1
  const cells = filled.map((row) => Array.from({ length: columns }, (_, index) => cellPieces(row[index]?.runs ?? [])))
  const runs = rows.flat().flatMap((cell) => cell.runs)
  const [first] = runs
  if (!first) return []
  const table = { lineCount: rows.length, rows: cells, mono: false }
  const [x0, x1] = [Math.min(...runs.map(({ x }) => x)), Math.max(...runs.map(({ x, width }) => x + width))]
  const { y, size } = first
  return [{ x0, x1, y, size, table, pieces: [], text: '', mono: 0, bold: 0, rtl: false }]
}

function cellPieces(runs: readonly TextRun[]): TextPiece[] {
  const lines = linesInOrder(runs)
  return lines.flatMap(({ pieces }, index) =>
    pieces.map((piece, at) => {
      if (index === 0 || at > 0) return piece
      const above = lines[index - 1]?.text.at(-1) ?? ''
      const hasSpaceBefore = !isSpacelessScript(above) || !isSpacelessScript(piece.text[0] ?? '')
      return { ...piece, startsLine: true, hasSpaceBefore }
    }),
  )
}
