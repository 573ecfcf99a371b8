import type { Range } from './sentences.ts'

/** An occurrence of a query word on a page. */
export interface Occurrence extends Range {
  concept: number
  /** The index of the word on the page. */
  position: number
}

/** The maximum number of characters of a passage, including its ellipses. */
export const maxPassageLength = 300

interface Words {
  /** The occurrences in the range, ascending. */
  occurrences: readonly Occurrence[]
  weights: readonly number[]
  /** True for code, in which `[^1]` is no mark of a note. */
  isCode?: boolean
}

/**
 * Returns a range of a text on one line. A range that is too long is cut around its best words, between words if the script has spaces,
 * with an ellipsis for each omitted part. Leaves out the marks of notes.
 */
export function excerpt(text: string, range: Range, words: Words): string {
  const shown = (part: string) => onOneLine(words.isCode ? part : part.replaceAll(noteMark, ''))
  const whole = shown(text.slice(range.start, range.end))
  if (whole.length <= maxPassageLength) return whole
  const kept = bestWindow(range, words)
  const head = kept.start === range.start ? kept.start : afterBreak(text, kept.start, kept.end)
  const tail = kept.end === range.end ? kept.end : beforeBreak(text, kept.end, head)
  const body = shown(text.slice(head, tail))
  return `${head > range.start ? '… ' : ''}${body}${tail < range.end ? ' …' : ''}`
}

/** The mark of a note, in a sentence or before the note itself. */
const noteMark = /(?<=\S)\[\^[\p{L}\p{N}_.-]{1,20}\]|^\[\^[\p{L}\p{N}_.-]{1,20}\]:?\s*/gu

/** Removes line breaks. A word that was split across lines keeps its hyphen. */
function onOneLine(text: string): string {
  const isSplit = text.includes('-\n') || text.includes('\u2010\n')
  const joined = isSplit ? text.replaceAll(/(?<=\p{L})([-\u2010])\n\s*(?=\p{L})/gu, '$1') : text
  return joined.replaceAll(/\s+/g, ' ').trim()
}

/** The maximum length without the ellipses, which take two characters each. */
const windowLength = maxPassageLength - 4

/**
 * Returns the part of a range whose words have the greatest total weight, and the shortest of equal parts, so that as much as possible of the
 * text around the words is kept. It begins a little before the first of them.
 */
function bestWindow({ start, end }: Range, { occurrences, weights }: Words): Range {
  let best = { from: 0, to: -1, score: -1, length: 0 }
  const counts = new Map<number, number>()
  let from = 0
  const countOfFirst = () => counts.get((occurrences[from] as Occurrence).concept) ?? 0
  const lengthTo = ({ end: last }: Occurrence) => last - (occurrences[from] as Occurrence).start
  for (const [to, occurrence] of occurrences.entries()) {
    add(counts, occurrence.concept, 1)
    while (from < to && (lengthTo(occurrence) > windowLength || countOfFirst() > 1))
      add(counts, (occurrences[from++] as Occurrence).concept, -1)
    const [score, length] = [weightOf(counts, weights), lengthTo(occurrence)]
    if (score > best.score || (score === best.score && length < best.length)) best = { from, to, score, length }
  }
  const [first, last] = [occurrences[best.from], occurrences[best.to]]
  if (!first || !last) return { start, end: start + windowLength }
  const remainingLength = Math.max(0, windowLength - (last.end - first.start))
  const head = Math.max(start, Math.min(first.start - Math.ceil(remainingLength / 3), end - windowLength))
  return { start: head, end: Math.min(end, head + windowLength) }
}

function add(counts: Map<number, number>, concept: number, by: number): void {
  counts.set(concept, (counts.get(concept) ?? 0) + by)
}

/** Returns the total weight of the concepts that occur. Always adds in the same order, so that equal parts have equal weights. */
function weightOf(counts: ReadonlyMap<number, number>, weights: readonly number[]): number {
  let sum = 0
  for (const [concept, count] of counts) if (count > 0) sum += weights[concept] ?? 0
  return sum
}

const maxBreakDistance = 30

function afterBreak(text: string, from: number, limit: number): number {
  const found = /\s/.exec(text.slice(from, Math.min(limit, from + maxBreakDistance)))
  return found ? from + found.index + 1 : characterStart(text, from)
}

function beforeBreak(text: string, to: number, limit: number): number {
  const found = /\s\S*$/.exec(text.slice(Math.max(limit, to - maxBreakDistance), to))
  return found ? to - found[0].length : characterStart(text, to)
}

/** Returns the last offset at or before `at` that splits neither a surrogate pair nor a combining sequence. */
function characterStart(text: string, at: number): number {
  let start = at
  while (start > 0 && /^[\udc00-\udfff\p{M}\u200d]/u.test(text.slice(start, start + 2))) start--
  return start
}
