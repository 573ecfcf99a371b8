/** An outline title of a file with its one-based page; null if the destination is invalid. */
export interface OutlineTitle {
  title: string
  page: number | null
}

/** The number of outline titles found as headings, and the number of headings that are such titles. */
export interface HeadingScore {
  titles: number
  titlesFound: number
  headings: number
  headingsNamed: number
}

interface Heading {
  page: number
  key: string
  found: boolean
}

/** Maximum distance in pages between a title and its position in the outline. */
const maxPagesApart = 1
/** The last page on which the first heading can be the title of the document. */
const maxTitlePage = 2
/**
 * Minimum number of letters for matching a title by its start: outlines shorten titles, and headings have note marks.
 */
const minCutTitle = 10
const headingLine = /^#{1,6}\s+(\S.*)$/
const prefix = /^(?:\p{L}{4,12})?(?:\d{1,5}\p{L}?|[ivxlcdm]{1,6}|\p{L}\d{0,4})?$|^第?.{1,4}[章节節部]?\d{0,4}$/u

/**
 * Compares the headings of Markdown pages with the titles of the file's outline. Both are reduced to letters and digits
 * without accents. Each heading matches one title on the same or an adjacent page. Ignores numbers before them and the
 * title of the document.
 */
export function compareHeadings(pages: readonly string[], titles: readonly OutlineTitle[]): HeadingScore {
  const headings = pages.flatMap((page, index) => headingsOf(page, index + 1))
  const expected = titles.filter(({ page, title }) => page !== null && fold(title) !== '')
  let titlesFound = 0
  for (const { title, page } of expected) {
    const key = fold(title)
    const match = headings
      .filter((heading) => !heading.found && Math.abs(heading.page - (page ?? 0)) <= maxPagesApart)
      .toSorted((a, b) => Math.abs(a.page - (page ?? 0)) - Math.abs(b.page - (page ?? 0)))
      .find((heading) => isSameTitle(heading.key, key))
    if (!match) continue
    match.found = true
    titlesFound += 1
  }
  const [first, ...others] = headings
  // Outlines do not include the title of the document.
  const counted = first && !first.found && first.page <= maxTitlePage ? others : headings
  const named = counted.filter(({ found }) => found).length
  return { titles: expected.length, titlesFound, headings: counted.length, headingsNamed: named }
}

export function addScores(scores: readonly HeadingScore[]): HeadingScore {
  const sum = (of: (score: HeadingScore) => number): number => scores.reduce((total, score) => total + of(score), 0)
  return {
    titles: sum(({ titles }) => titles),
    titlesFound: sum(({ titlesFound }) => titlesFound),
    headings: sum(({ headings }) => headings),
    headingsNamed: sum(({ headingsNamed }) => headingsNamed),
  }
}

export function recallOf({ titles, titlesFound }: HeadingScore): number {
  return titles === 0 ? 1 : titlesFound / titles
}

export function precisionOf({ headings, headingsNamed }: HeadingScore): number {
  return headings === 0 ? 1 : headingsNamed / headings
}

function headingsOf(page: string, number: number): Heading[] {
  let fence: string | undefined
  return page.split('\n').flatMap((line) => {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark !== undefined && fence === undefined) fence = mark
    else if (mark !== undefined && fence !== undefined && mark.startsWith(fence)) fence = undefined
    const text = fence === undefined ? headingLine.exec(line)?.[1] : undefined
    const key = fold(text ?? '')
    return key === '' ? [] : [{ page: number, key, found: false }]
  })
}

function isSameTitle(a: string, b: string): boolean {
  const [long, short] = a.length >= b.length ? [a, b] : [b, a]
  if (short.length >= minCutTitle && long.startsWith(short)) return true
  return long.endsWith(short) && prefix.test(long.slice(0, long.length - short.length))
}

/** Letters and digits in lower case, without accents and ligatures. */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/&[a-z]+;|<[^>]*>/g, '')
    .replace(/[\p{M}\p{Lm}\p{Sk}]/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
}
