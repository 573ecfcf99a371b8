import { cellsOf } from './grid-cells.ts'
import type { GridRow } from './grid-cells.ts'
import type { Segment } from '../page/page-parts.ts'
import type { TextRun } from '../page/pdf-file.ts'

/** The segments on one line of a page, arranged in cells. */
export interface Row extends GridRow {
  segments: Segment[]
  /** The height of its rotated headings, in points. */
  rotatedHeight: number
}

const captionStart =
  /^(?:[Tt]able|TABLE|[Tt]abelle|TABELLE|[Tt]ableau|TABLEAU|[Tt]abela|TABELA|[Tt]abla|TABLA|[Tt]abella|TABELLA|[Tt]abel|[Tt]ab\.|[Тт]аблица|جدول|表)\s*(?:\p{N}{1,3}|[IVX]{1,5}\b|\p{Lu}(?=[.\d-]))(?:[.\-–]\p{N}{1,3}){0,2}\s*(?:[.:–—|-]|$|(?=[^\p{Ll}\s]))/u
/** Matches words that follow the number in a sentence but not in a caption. */
const sentenceAfter = /^\S+\s*[\p{N}.\-–]+\s+\p{Ll}/u
/** Whether a segment is the caption of a table. */
export function isCaption(segment: Segment): boolean {
  const text = textOf(segment)
  return captionStart.test(text) && !sentenceAfter.test(text)
}

/** Maximum gap between the parts of a word in different fonts or sizes, such as small capitals, in ems. */
const maxPartGap = 0.1

/** The first 200 characters of a segment. */
export function textOf({ runs }: Segment): string {
  return runs
    .map((run, at) => (continuesWord(runs[at - 1], run) ? run.text : ` ${run.text}`))
    .join('')
    .trimStart()
    .slice(0, 200)
}

function continuesWord(last: TextRun | undefined, run: TextRun): boolean {
  if (!last || run.hasSpaceBefore) return false
  return Math.abs(run.x - (last.x + last.width)) < Math.max(run.size, last.size) * maxPartGap
}

/** Arranges segments in rows, from top to bottom. */
export function rowsOf(segments: readonly Segment[]): Row[] {
  const rows: { y: number; size: number; segments: Segment[] }[] = []
  for (const segment of segments.toSorted((a, b) => a.y - b.y)) {
    const row = rows.at(-1)
    if (row && !segment.table && segment.y - row.y < Math.max(row.size, segment.size) * 0.45) {
      row.segments.push(segment)
      row.size = Math.max(row.size, segment.size)
    } else rows.push({ y: segment.y, size: segment.size, segments: [segment] })
  }
  return rows.map((row) => {
    const runs = row.segments.flatMap((segment) => segment.runs)
    const rotatedHeight = Math.max(0, ...runs.map((run) => run.rotatedHeight ?? 0))
    return { ...row, rotatedHeight, cells: cellsOf(runs) }
  })
}
