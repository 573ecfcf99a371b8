import type { ExtractedPage, TocEntry } from '../format.ts'
import { buildBlocks } from './build-blocks.ts'
import { findCardColumns } from './columns/card-columns.ts'
import type { Calibration } from './calibration.ts'
import { readingOrder } from './columns/reading-order.ts'
import { extractFormulas } from './formulas/find-formulas.ts'
import type { FigureBox } from './figures/find-figures.ts'
import { renderWithPlaces } from './figures/place-figures.ts'
import { markNarrowCells } from './tables/narrow-cells.ts'
import { separateMarginNotes } from './notes/margin-notes.ts'
import { keepParagraphs } from './columns/keep-paragraphs.ts'
import { separateListings } from './page/separate-listings.ts'
import { separateShortColumns } from './columns/short-columns.ts'
import { separateCaptions } from './figures/side-captions.ts'
import { removeMarginNumbers } from './notes/margin-numbers.ts'
import type { PageText, TextRun } from './page/pdf-file.ts'
import { printedNumber, removeRunningHeads } from './page/running-heads.ts'
import { blocksOfPart, hasBrokenParagraphs, joinCode, linesOfPart, type LaidOutRegion } from './lay-out-structured.ts'
import { readStructuredPage } from './page/structured-parts.ts'
import { markBreaks } from './page/author-breaks.ts'
import { addDocumentTitle, dropTitlePageLines } from './headings/document-title.ts'
import { joinColumns } from './page/join-columns.ts'
import { findHeadings } from './headings/find-headings.ts'
import { joinLineEnd, learnWords, type Vocabulary } from './page/hyphenation.ts'
import { arrangeNotes } from './notes/note-parts.ts'
import { linkFootnotes } from './notes/footnotes.ts'
import { escapeText } from './page/inline-text.ts'
import { buildLines } from './page/build-lines.ts'
import { renderMarkdown } from './page/render-markdown.ts'
import { extractFramedTables } from './tables/framed-tables.ts'
import { extractTables } from './tables/table-zones.ts'
import { splitRunIns } from './page/split-run-ins.ts'
import type { HeadingMatch, Line, Segment } from './page/page-parts.ts'
import { segmentsByRotation } from './page/segments.ts'

/**
 * Limit on the text runs of a page. A page with more is a drawing or a hostile file, and its text stays in the order of the
 * file.
 */
export const maxRuns = 20_000

/** A page and the context of its layout. */
export interface PageToLayOut extends PageText {
  /** The figures that it shows. Its text contains a placeholder for each. */
  figures?: readonly FigureBox[]
  /** Whether no earlier page has text. */
  isFirst?: boolean
}

export interface LaidOutPage {
  content: ExtractedPage['content']
  /**
   * Headings that were recognised by their appearance, in order. They form the table of contents of a book without an
   * outline.
   */
  headings: { title: string; level: number }[]
}

/**
 * The number that is printed on a page, if it fits the numbering of the book; otherwise null. `previous` is the printed
 * number of the preceding page.
 */
export function findPageLabel(
  page: PageText,
  calibration: Calibration,
  { number, previous }: { number: number; previous: string | null },
): string | null {
  if (page.runs.length > maxRuns || calibration.runningHeads.length === 0) return null
  const segments = segmentsByRotation(page)[0] ?? []
  const before = previous === null ? null : { number: number - 1, label: previous }
  return printedNumber({ number, segments }, calibration.runningHeads, before)
}

/**
 * Converts a page to Markdown; docs/architecture.md lists the passes. `titles` are the outline entries of the page. Adds
 * the words of the page to the vocabulary of the book.
 */
export function layOutPage(page: PageToLayOut, titles: readonly TocEntry[], calibration: Calibration): LaidOutPage {
  if (page.runs.length > maxRuns) return { content: plainText(page), headings: [] }
  const [main = [], ...turned] = segmentsByRotation(removeMarginNumbers(page, calibration.numberedMargins))
  const body = removeRunningHeads(main, calibration.runningHeads)
  const { rules = [], usesMath = false } = page
  const bars = usesMath ? rules.filter(({ isHeavy }) => !isHeavy) : []
  const withTables = (segments: Segment[]) => {
    const drawn = segments[0]?.runs[0]?.rotation === 0 ? rules : []
    return extractFramedTables(extractTables(segments, drawn), drawn)
  }
  const formulasOf = (region: Segment[]) => extractFormulas(region, bars)
  const regionsOf = (segments: Segment[]) =>
    findCardColumns(segments)?.map(withTables).map(formulasOf) ??
    readingOrder(withTables(segments))
      .flatMap(separateListings)
      .map(formulasOf)
      .flatMap(separateCaptions)
      .flatMap(separateShortColumns)
      .flatMap(separateMarginNotes)
      .flatMap(keepParagraphs)
  const linesOf = (segments: Segment[]) =>
    regionsOf(segments).map((region) => splitRunIns(buildLines(markNarrowCells(region)), titles))
  const structured = structuredRegions(page, body, linesOf)
  const upright = structured ?? linesOf(body).map((lines) => ({ lines }))
  const all: LaidOutRegion[] = [...upright, ...turned.flatMap(linesOf).map((lines) => ({ lines }))]
  const linked = linkFootnotes(all, calibration.size)
  const regions = linked.map((lines, index) => ({ ...all[index], lines }))
  for (const line of linked.flat()) learnWords(calibration.vocabulary, line.text)
  const headings = findHeadings(linked, titles, calibration)
  if (structured && calibration.headings.isTagged) dropStyled(headings)
  else if (page.isFirst) {
    const shown = linked.slice(0, upright.length)
    addDocumentTitle(headings, shown, calibration)
    dropTitlePageLines(headings, shown)
  }
  const options = { vocabulary: calibration.vocabulary, ignoreFonts: calibration.monoBody }
  const built = regions.map(({ part, lines }) =>
    part ? blocksOfPart({ part, lines }, calibration, headings) : buildBlocks(lines, calibration, headings),
  )
  const blocks = structured ? joinCode(built.flat()) : joinColumns(built)
  return {
    content: renderWithPlaces(blocks, page.figures ?? [], (part) => renderMarkdown(part, options)),
    headings: blocks.flatMap((block) => {
      if (block.kind !== 'heading') return []
      return [{ title: titleOf(block.lines, calibration.vocabulary), level: block.level }]
    }),
  }
}

/**
 * The regions of a tagged page, in the order of its structure. `body` are its segments without running heads. Null if
 * its structure does not fit its text.
 */
function structuredRegions(
  page: PageToLayOut,
  body: readonly Segment[],
  linesOf: (segments: Segment[]) => Line[][],
): LaidOutRegion[] | null {
  if (!page.structure) return null
  const kept = new Set(body.flatMap(({ runs }) => runs))
  const runs = page.runs.filter((run) => kept.has(run) || run.rotation !== 0 || run.slanted)
  const structured = readStructuredPage({ ...page, runs })
  if (!structured) return null
  const layOut = (shown: readonly TextRun[]) => linesOf(segmentsByRotation({ ...page, runs: [...shown] })[0] ?? [])
  const regions = arrangeNotes(structured.parts).flatMap((part): LaidOutRegion[] =>
    part.kind === 'region' ? layOut(part.runs).map((lines) => ({ lines })) : [{ part, lines: linesOfPart(part) }],
  )
  if (hasBrokenParagraphs(regions)) return null
  const { outside, top } = structured
  const [above, below] = [outside.filter((run) => run.y < top), outside.filter((run) => run.y >= top)]
  return [
    ...layOut(above).map((lines) => ({ lines })),
    ...markBreaks(regions),
    ...layOut(below).map((lines) => ({ lines })),
  ]
}

/** The text of a heading on one line. */
function titleOf(lines: readonly Line[], vocabulary: Vocabulary): string {
  const title = lines.reduce((whole, { text }) => {
    const { trimCharacters, separator } = joinLineEnd(whole, text, vocabulary)
    return whole.slice(0, whole.length - trimCharacters) + separator + text
  }, '')
  return title.replace(/\s+/g, ' ').trim()
}

/** Removes the headings that only their appearance shows. */
function dropStyled(headings: Map<Line, HeadingMatch>): void {
  for (const [line, { tocEntry }] of headings) if (tocEntry === null) headings.delete(line)
}

function plainText({ runs }: PageText): string {
  return runs.map((run) => escapeText(run.text)).join(' ')
}
