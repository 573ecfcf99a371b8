import type { TocEntry } from '../../format.ts'
import { maxHeadingCharacters } from './set-apart.ts'
import type { Calibration } from '../calibration.ts'
import { toHalfPoints } from './heading-styles.ts'
import { isContentsLine } from '../page/contents-lines.ts'
import { countByStyle, learnSection, learnStyle, levelByNamedStyle } from './heading-styles.ts'
import { headingByAppearance, isTableRow, numberedTitle, type PageState } from './headings-by-appearance.ts'
import { isProminent, matchTitles } from './match-titles.ts'
import { foldTitle, foldWithoutNumber } from '../../fold-title.ts'
import type { HeadingMatch, Line } from '../page/page-parts.ts'

/** The maximum number of lines of a heading. */
const maxLines = 3
/** The number of lines at the start of a page that may be titles of the preceding page. */
const maxTopLines = 8
/** The maximum number of titles to look for on the next page. A hostile outline can list a page any number of times. */
const maxMissingTitles = 100
const sectionNumber = /^\p{N}{1,3}\.\p{N}/u

/**
 * Finds the headings of a page: the titles that the outline lists for the page, and lines that look like headings of
 * this book.
 */
export function findHeadings(
  regions: readonly (readonly Line[])[],
  titles: readonly TocEntry[],
  calibration: Calibration,
): Map<Line, HeadingMatch> {
  const found = matchTitles(regions, titles, calibration)
  addTitlesFromPageBefore(found, { regions, titles }, calibration)
  for (const [line, { tocEntry }] of found) if (tocEntry) learnStyle(calibration.headings, line, tocEntry.level)
  for (const lines of regions) {
    for (let index = 0; index < lines.length; index += 1) {
      const line = lines[index]
      if (!line) continue
      const named = found.get(line)
      const heading = named ?? findUnlisted(lines, index, { calibration, found })
      if (!heading) continue
      if (!named) found.set(line, heading)
      index += heading.lineCount - 1
    }
  }
  return found
}

/**
 * Adds the titles that the outline lists for the preceding page, but that start this one: some programs set the
 * destination of a title before the page break. Keeps the titles that this page lacks for the next page with text.
 */
function addTitlesFromPageBefore(
  found: Map<Line, HeadingMatch>,
  { regions, titles }: { regions: readonly (readonly Line[])[]; titles: readonly TocEntry[] },
  calibration: Calibration,
): void {
  const { headings } = calibration
  const first = regions.find((lines) => lines.length > 0)
  if (first) {
    const matches = matchTitles([first.slice(0, maxTopLines)], headings.missingTitles, calibration)
    // A page number can precede them.
    for (let at = first.findIndex(({ text }) => /\p{L}/u.test(text)); at < first.length;) {
      const line = first[at]
      const match = line && !found.has(line) ? matches.get(line) : undefined
      if (!line || !match || !isTitle(first.slice(at, at + match.lineCount), match, calibration)) break
      found.set(line, match)
      at += match.lineCount
    }
    headings.missingTitles = []
  }
  const matched = new Set([...found.values()].map(({ tocEntry }) => tocEntry))
  const missing = titles.slice(0, maxMissingTitles).filter((title) => !matched.has(title))
  headings.missingTitles = [...headings.missingTitles, ...missing].slice(0, maxMissingTitles)
}

/**
 * Whether lines at the start of a page are a title and not a running head, which repeats a title with a page number in
 * the font of the text.
 */
function isTitle(lines: readonly Line[], { tocEntry }: HeadingMatch, { size }: Calibration): boolean {
  const [text, title] = [lines.map((line) => line.text).join(' '), tocEntry?.title ?? '']
  if (foldTitle(text) === foldTitle(title)) return true
  const standsOut = sectionNumber.test(text) || lines.every((line) => isProminent(line, size))
  return standsOut && foldWithoutNumber(text) === foldWithoutNumber(title)
}

/** A heading that no outline lists; null for other lines. */
function findUnlisted(lines: readonly Line[], index: number, page: PageState): HeadingMatch | null {
  const { headings } = page.calibration
  const heading = headings.hasOutline ? headingByStyle(lines, index, page) : headingByAppearance(lines, index, page)
  if (!heading) return null
  const own = lines.slice(index, index + heading.lineCount)
  if (headings.hasOutline) countByStyle(headings, own[0] as Line)
  else for (const { text } of own) learnSection(headings, text, heading.level)
  return heading
}

/** A heading of a book with an outline that the outline does not list, but that looks like those that it lists. */
function headingByStyle(lines: readonly Line[], index: number, { calibration, found }: PageState): HeadingMatch | null {
  const line = lines[index]
  if (!line || line.mono > 0.5 || !/\p{L}{2}/u.test(line.text) || isContentsLine(line)) return null
  if (isTableRow(line) && [lines[index - 1], lines[index + 1]].some(isTableRow)) return null
  const level = levelByStyle(line, calibration)
  if (level === null) return null
  let count = 1
  for (; count < maxLines; count += 1) {
    const [above, below] = [lines[index + count - 1], lines[index + count]]
    if (!above || !below || found.has(below) || toHalfPoints(below.size) !== toHalfPoints(line.size)) break
    if (below.y - above.y > line.size * 1.7 || line.size < calibration.size * 1.1) break
  }
  const text = lines.slice(index, index + count).map((part) => part.text)
  if (text.join(' ').length > maxHeadingCharacters * 1.5 || /[.,;:]$/.test(text.at(-1) ?? '')) return null
  return { level, lineCount: count, tocEntry: null }
}

function levelByStyle(line: Line, { headings, size }: Calibration): number | null {
  const isBoldNumbered = line.bold > 0.9 && line.text.length < maxHeadingCharacters && numberedTitle.test(line.text)
  return line.size >= size * 1.1 || isBoldNumbered ? levelByNamedStyle(headings, line) : null
}
