import type { ExtractedPage, TocEntry } from '../format.ts'
import { buildBlocks } from './build-blocks.ts'
import { findCardColumns } from './card-columns.ts'
import type { Calibration } from './calibration.ts'
import { readingOrder } from './reading-order.ts'
import { extractFormulas } from './find-formulas.ts'
import type { FigureBox } from './find-figures.ts'
import { renderWithPlaces } from './place-figures.ts'
import { separateMarginNotes } from './margin-notes.ts'
import { keepParagraphs } from './keep-paragraphs.ts'
import { separateListings } from './separate-listings.ts'
import { separateShortColumns } from './short-columns.ts'
import { separateCaptions } from './side-captions.ts'
import { removeMarginNumbers } from './margin-numbers.ts'
import type { PageText } from './pdf-file.ts'
import { printedNumber, removeRunningHeads } from './running-heads.ts'
import { addDocumentTitle } from './document-title.ts'
import { joinColumns } from './join-columns.ts'
import { findHeadings } from './find-headings.ts'
import { learnWords } from './hyphenation.ts'
import { tieFootnotes } from './footnotes.ts'
import { escapeText } from './inline-text.ts'
import { buildLines } from './build-lines.ts'
import { renderMarkdown } from './render-markdown.ts'
import { extractFramedTables } from './framed-tables.ts'
import { extractTables } from './table-zones.ts'
import { splitRunIns } from './split-run-ins.ts'
import type { Segment } from './page-parts.ts'
import { segmentsByRotation } from './segments.ts'

/**
 * Limit on the text runs of a page. A page with more is a drawing or hostile; its text stays in the order of the file.
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
   * Headings that were recognized by their appearance, in order. They form the table of contents of a book without an
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
 * Converts a page to Markdown. `titles` are the outline entries of the page. Adds the words of the page to the
 * vocabulary of the book.
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
  const linesOf = (segments: Segment[]) => regionsOf(segments).map((region) => splitRunIns(buildLines(region), titles))
  const upright = linesOf(body)
  const regions = tieFootnotes([...upright, ...turned.flatMap(linesOf)], calibration.size)
  for (const line of regions.flat()) learnWords(calibration.vocabulary, line.text)
  const headings = findHeadings(regions, titles, calibration)
  if (page.isFirst) addDocumentTitle(headings, regions.slice(0, upright.length), calibration)
  const options = { vocabulary: calibration.vocabulary, ignoreFonts: calibration.monoBody }
  const blocks = joinColumns(regions.map((lines) => buildBlocks(lines, calibration, headings)))
  return {
    content: renderWithPlaces(blocks, page.figures ?? [], (part) => renderMarkdown(part, options)),
    headings: blocks.flatMap((block) => {
      if (block.kind !== 'heading') return []
      const title = block.lines.map((line) => line.text).join(' ')
      return [{ title: title.replace(/\s+/g, ' ').trim(), level: block.level }]
    }),
  }
}

function plainText({ runs }: PageText): string {
  return runs.map((run) => escapeText(run.text)).join(' ')
}
