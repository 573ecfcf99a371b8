import type { ExtractedPage, TocEntry } from '../format.ts'
import { blocksOf } from './build-blocks.ts'
import type { Calibration } from './calibration.ts'
import { readingOrder } from './reading-order.ts'
import type { PageText } from './pdf-file.ts'
import { withoutFurniture } from './running-heads.ts'
import { findHeadings } from './find-headings.ts'
import { learnWords } from './hyphenation.ts'
import { escapeText } from './inline-text.ts'
import { linesOf } from './build-lines.ts'
import { markdownOf } from './render-markdown.ts'
import { segmentsByTurn } from './segments.ts'

/** A page with more pieces of text than this is a drawing, or hostile: its words are kept in the order of the file. */
export const maxRuns = 20_000

export interface LaidOutPage {
  content: ExtractedPage['content']
  /** Headings found by their looks, in order: a table of contents for books without an outline. */
  headings: { title: string; level: number }[]
}

/** Turns a page into Markdown. `titles` are the outline's entries for this page; the vocabulary of the book grows with it. */
export function layOut(page: PageText, titles: readonly TocEntry[], calibration: Calibration): LaidOutPage {
  if (page.runs.length > maxRuns) return { content: wordsOnly(page), headings: [] }
  const [main = [], ...turned] = segmentsByTurn(page)
  const body = withoutFurniture(main, calibration.slots)
  const regions = [body, ...turned].flatMap((segments) => readingOrder(segments)).map(linesOf)
  for (const line of regions.flat()) learnWords(calibration.vocabulary, line.text)
  const headings = findHeadings(regions, titles, calibration)
  const options = { vocabulary: calibration.vocabulary, plain: calibration.monoBody }
  const blocks = regions.map((lines) => blocksOf(lines, calibration, headings))
  return {
    content: markdownOf(blocks.flat(), options),
    headings: blocks.flat().flatMap((block) => {
      if (block.kind !== 'heading') return []
      const title = block.lines.map((line) => line.text).join(' ')
      return [{ title: title.replace(/\s+/g, ' ').trim(), level: block.level }]
    }),
  }
}

function wordsOnly({ runs }: PageText): string {
  return runs.map((run) => escapeText(run.text)).join(' ')
}
