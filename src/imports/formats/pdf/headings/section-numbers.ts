import type { Line } from '../page/page-parts.ts'
import { isApartBelow, isSetApart, maxHeadingCharacters, minLargeSize, textEnd, type BodyText } from './set-apart.ts'

/** The number of a section, one part for each level. Letters of appendices follow all digits. */
export type SectionNumber = readonly number[]

const numbered = /^((?:\d{1,3}|[A-Z](?=\.\d))(?:\.\d{1,3}){0,5})\.?\s+(?=[\p{L}\p{N}("'“„«‘¿¡§[\\_.])(.*)$/u
/** What is added to the number of a letter, so that it follows all digits. */
const beforeLetters = 1000
/** How many numbers may be missing between two headings, and the largest number with which deeper levels begin. */
const maxStep = 3
const maxFirst = 1
/** How many of the last numbers a number may follow. A line that only looks like a heading then hides no others. */
const recent = 4
/** Minimum size of a heading that is not bold, relative to the text. */
const minSize = 1.05
const bold = 0.5

/** The section number at the start of a title; null if there is none. */
export function sectionNumberOf(text: string): SectionNumber | null {
  const match = numbered.exec(text)
  if (!match?.[1] || !/\p{L}/u.test(match[2] ?? '')) return null
  return match[1]
    .split('.')
    .map((part) => (/\d/.test(part) ? Number(part) : beforeLetters + part.charCodeAt(0) - 'A'.charCodeAt(0) + 1))
}

/**
 * Adds the number of a heading to those that the next heading may follow. Leaves out a number without dots that begins
 * nothing and continues nothing: it may be that of a date.
 */
export function addSection(sections: SectionNumber[], next: SectionNumber): void {
  if (next.length === 1 && (next[0] as number) > maxFirst && !continues(sections, next)) return
  sections.push(next)
  if (sections.length > recent) sections.shift()
}

/**
 * Whether a line is a heading by its section number: the number follows those before it, and the line is set apart from
 * the text. It is larger or bold, or stands alone between the lines above and below; a number without dots, which may
 * also belong to a list, must then be centred. `sections` are the last numbers of the book.
 */
export function isSectionHeading(
  lines: readonly Line[],
  index: number,
  { sections, ...body }: BodyText & { sections: readonly SectionNumber[] },
): boolean {
  const line = lines[index]
  const number = line && line.text.length <= maxHeadingCharacters ? sectionNumberOf(line.text) : null
  if (!line || !number || !isSetApart(lines, index, body)) return false
  if (number.length > 1 && line.size >= body.size * minLargeSize) return true
  if (!continues(sections, number)) return false
  if (standsOut(line, body)) return true
  return isApartBelow(lines, index, body) && !textEnd.test(line.text) && (number.length > 1 || isCentred(lines, index))
}

/** Whether a line is larger than the text or bold. */
export function standsOut({ size, bold: share }: Line, body: BodyText): boolean {
  return size >= body.size * minSize || (share > bold && size > body.size * 0.9)
}

/** Whether a number follows one of the last ones, or may be the first number of a book or chapter. */
function continues(sections: readonly SectionNumber[], next: SectionNumber): boolean {
  const [first = 0, ...others] = next
  if (sections.length === 0) return others.length === 0 ? first <= maxStep : others.every((part) => part <= maxFirst)
  return sections.some((last) => follows(last, next))
}

/** Whether a number is the next one on its level, on a higher level, or the first one on a deeper level. */
function follows(last: SectionNumber, next: SectionNumber): boolean {
  const at = next.findIndex((part, level) => part !== last[level])
  const part = next[at]
  if (part === undefined || next.slice(at + 1).some((first) => first > maxFirst)) return false
  const before = last[at] ?? 0
  const step = part > beforeLetters && before < beforeLetters ? part - beforeLetters : part - before
  return step > 0 && step <= maxStep
}

/** Whether a line is in the middle of the widest line near it. */
function isCentred(lines: readonly Line[], index: number): boolean {
  const line = lines[index] as Line
  const near = lines.slice(Math.max(0, index - 5), index + 6)
  const [x0, x1] = [Math.min(...near.map((each) => each.x0)), Math.max(...near.map((each) => each.x1))]
  const [left, right] = [line.x0 - x0, x1 - line.x1]
  return Math.min(left, right) > line.size * 2 && Math.abs(left - right) < line.size
}
