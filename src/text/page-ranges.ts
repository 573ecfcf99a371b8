/** One page of a book as readers see it. */
export interface Page {
  /** Position in the file, from 1. */
  pageNum: number
  content: string
  /** Stable within one version of a book. */
  id: string
  /** The printed label (`iv`) where the file names one. */
  label: string | null
  /** Titles from the table of contents that the page lies under, outermost first. */
  chapter: string[]
  /** The canonical address of the page in its version. */
  url: string
}

/** An inclusive range of page numbers. */
export interface PageRange {
  from: number
  to: number
  /** Where in page `from` to begin, in UTF-16 code units: the rest of a page that was larger than an answer. */
  offset?: number
}

const rangePattern = /^(\d{1,9})(?:-(\d{1,9})|@(\d{1,9}))?$/

/**
 * Reads a page range such as `1-5,10` or `12@60000`: parts that cannot be parsed are skipped, the rest is merged in
 * ascending order. An omitted range means the whole book; no part that parses means no page.
 */
export function parsePageRanges(text: string | undefined): PageRange[] {
  if (text === undefined) return [{ from: 1, to: Number.MAX_SAFE_INTEGER }]
  return mergeRanges(text.split(',').flatMap((piece) => parseRange(piece.trim())))
}

function parseRange(text: string): PageRange[] {
  const match = rangePattern.exec(text)
  if (!match) return []
  const from = Number(match[1])
  const to = match[2] === undefined ? from : Number(match[2])
  if (from < 1 || to < from) return []
  return [{ from, to, ...(match[3] === undefined ? {} : { offset: Number(match[3]) }) }]
}

/** Joins overlapping and adjacent ranges; a part of a page stays apart unless another range holds the whole page. */
export function mergeRanges(ranges: readonly PageRange[]): PageRange[] {
  const merged: PageRange[] = []
  const sorted = [...ranges].sort((a, b) => a.from - b.from || (a.offset ?? 0) - (b.offset ?? 0))
  for (const range of sorted) {
    const last = merged.at(-1)
    if (last && range.from <= last.to) last.to = Math.max(last.to, range.to)
    else if (last && range.from === last.to + 1 && range.offset === undefined) last.to = range.to
    else merged.push({ ...range })
  }
  return merged
}

const maxRanges = 20

/**
 * Writes ranges in the form that `parsePageRanges` reads, at most 20 of them: where there are more, the last one holds
 * all the rest and what lies between.
 */
export function formatPageRanges(ranges: readonly PageRange[]): string {
  const rest = ranges.slice(maxRanges - 1)
  const [first, last] = [rest[0], rest.at(-1)]
  const kept =
    rest.length > 1 && first && last ? [...ranges.slice(0, maxRanges - 1), { ...first, to: last.to }] : ranges
  return kept.map(formatRange).join(',')
}

function formatRange({ from, to, offset }: PageRange): string {
  if (offset === undefined) return from === to ? `${from}` : `${from}-${to}`
  return from === to ? `${from}@${offset}` : `${from}@${offset},${formatRange({ from: from + 1, to })}`
}

/** Cuts ranges off at the last page of a book. */
export function clipRanges(ranges: readonly PageRange[], pageCount: number): PageRange[] {
  return ranges
    .filter(({ from }) => from <= pageCount)
    .map((range) => ({ ...range, to: Math.min(range.to, pageCount) }))
}
