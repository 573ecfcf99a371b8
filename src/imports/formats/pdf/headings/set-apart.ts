import type { Line } from '../page/page-parts.ts'

/** The maximum length of a heading that is recognised only by its appearance, in characters. */
export const maxHeadingCharacters = 100
/** Minimum size of headings that are clearly larger than the text, relative to it. */
export const minLargeSize = 1.15
/** Minimum distance from the line above, relative to the usual line distance or to that from the line below. */
const minDistance = 1.25
/** The same for the distance from the line below. */
const minDistanceBelow = 1.15
/** The end of a sentence, of a part of one, or of words before a list. */
export const textEnd = /[.,;:。，；：、।]$/u
/** What a book has in common: the size of the text in points, and the line distance as a multiple of it. */
export interface BodyText {
  size: number
  leading: number
}

/** Whether a line is further below the line above it than lines of text are, or than it is above the line below it. */
export function isSetApart(lines: readonly Line[], index: number, body: BodyText): boolean {
  const [above, line] = [lines[index - 1], lines[index]]
  if (!line || above === undefined || line.y < above.y) return true
  const distance = Math.min(line.size * body.leading, distanceBelow(line, lines[index + 1]))
  return line.y - above.y > distance * minDistance
}

/** Whether a line is further above the line below it than lines of text are. */
export function isApartBelow(lines: readonly Line[], index: number, body: BodyText): boolean {
  const line = lines[index]
  return !line || distanceBelow(line, lines[index + 1]) > line.size * body.leading * minDistanceBelow
}

function distanceBelow(line: Line, below: Line | undefined): number {
  return below && below.y > line.y ? below.y - line.y : Infinity
}
