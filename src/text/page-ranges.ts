/** One page of a book in an answer. */
export interface Page {
  /** Position in the file, from 1. */
  pageNum: number
  content: string
  /** Stable within one version of a book. */
  id: string
  /** The printed label (`iv`), if the file has one. */
  label: string | null
  /** Titles of the chapters that contain the page, outermost first. */
  chapter: string[]
  /** The canonical URL of the page in its version. */
  url: string
  /** Only for pages with recognised text (OCR): its confidence, 0 to 100. */
  ocr?: { confidence: number } | undefined
}

/** An inclusive range of page numbers. */
export interface PageRange {
  from: number
  to: number
  /** Offset in page `from` at which to begin, UTF-16 units; continues a page that is too large for one answer. */
  offset?: number
}

const rangePattern = /^(\d{1,9})(?:-(\d{1,9})|@(\d{1,9}))?$/

/**
 * Parses page ranges such as `1-5,10` or `12@60000`; skips invalid parts and merges the others in ascending order.
 * Undefined means the whole book; without a valid part there are no pages.
 */
export function parsePageRanges(text: string | undefined): PageRange[] {
  if (text === undefined) return [{ from: 1, to: Number.MAX_SAFE_INTEGER }]
  return mergeRanges(text.split(',').flatMap((part) => parsePageRange(part.trim()) ?? []))
}

/** Parses one range, such as `5`, `1-5` or `12@60000`; null for any other text. */
export function parsePageRange(text: string): PageRange | null {
  const match = rangePattern.exec(text)
  if (!match) return null
  const from = Number(match[1])
  const to = match[2] === undefined ? from : Number(match[2])
  if (from < 1 || to < from) return null
  return { from, to, ...(match[3] === undefined ? {} : { offset: Number(match[3]) }) }
}

/**
 * Merges overlapping and adjacent ranges; a range with an offset stays separate unless another range covers the whole
 * page.
 */
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

/** Formats ranges for `parsePageRanges`, at most 20; with more, the last one spans all the rest. */
export function formatPageRanges(ranges: readonly PageRange[]): string {
  const rest = ranges.slice(maxRanges - 1)
  const [first, last] = [rest[0], rest.at(-1)]
  const limited =
    rest.length > 1 && first && last ? [...ranges.slice(0, maxRanges - 1), { ...first, to: last.to }] : ranges
  return limited.map(formatRange).join(',')
}

function formatRange({ from, to, offset }: PageRange): string {
  if (offset === undefined) return from === to ? `${from}` : `${from}-${to}`
  return from === to ? `${from}@${offset}` : `${from}@${offset},${formatRange({ from: from + 1, to })}`
}

/** Clips ranges to the last page of a book. */
export function clipRanges(ranges: readonly PageRange[], pageCount: number): PageRange[] {
  return ranges
    .filter(({ from }) => from <= pageCount)
    .map((range) => ({ ...range, to: Math.min(range.to, pageCount) }))
}
