import { alignSequences } from './align-sequences.ts'
import type { DiffBudget } from './diff-budget.ts'
import { splitLines } from './split-lines.ts'

/** A part of a line, and whether only this side of the comparison has it. */
export interface MarkedPart {
  text: string
  changed: boolean
}

/** Lines that both texts have, or lines of one that replace those of the other; without line ends. */
export type TextStretch =
  | { same: true; lines: string[] }
  | { same: false; before: MarkedPart[][]; after: MarkedPart[][] }

/** Maximum length of changed lines that are compared word by word; longer ones are marked whole. */
const maxMarkedCharacters = 20_000

/**
 * Compares two texts line by line and, within changed lines, word by word. The cost is bounded by the budget and by the
 * sizes: larger changes are marked by line, or as one block.
 */
export function compareTexts(before: string, after: string, budget: DiffBudget): TextStretch[] {
  const [linesBefore, linesAfter] = [splitLines(before), splitLines(after)]
  return alignSequences(linesBefore, linesAfter, budget).map((stretch) => {
    const old = linesBefore.slice(stretch.before.start, stretch.before.start + stretch.before.count)
    if (stretch.same) return { same: true, lines: old.map(withoutLineEnd) }
    const next = linesAfter.slice(stretch.after.start, stretch.after.start + stretch.after.count)
    return { same: false, ...markWords(old, next, budget) }
  })
}

function markWords(old: readonly string[], next: readonly string[], budget: DiffBudget) {
  const [before, after] = [old.join(''), next.join('')]
  if (old.length === 0 || next.length === 0 || before.length + after.length > maxMarkedCharacters) {
    return { before: old.map(wholeLine), after: next.map(wholeLine) }
  }
  const [words, others] = [splitWords(before), splitWords(after)]
  const stretches = alignSequences(words, others, budget)
  const kept = stretches.filter(({ same }) => same).reduce((sum, one) => sum + lengthOf(words, one.before), 0)
  // Lines with little in common are easier to read as two separate texts.
  if (kept * 3 < Math.min(before.length, after.length)) {
    return { before: old.map(wholeLine), after: next.map(wholeLine) }
  }
  const parts = {
    before: stretches.map(({ same, before: range }) => ({ changed: !same, text: textOf(words, range) })),
    after: stretches.map(({ same, after: range }) => ({ changed: !same, text: textOf(others, range) })),
  }
  // Line ends are visible only if nothing else has changed, for example when a text gets a line end at its end.
  const showLineEnds = [...parts.before, ...parts.after].every(
    ({ text, changed }) => !changed || withoutLineEnd(text) === '',
  )
  return { before: toLines(parts.before, showLineEnds), after: toLines(parts.after, showLineEnds) }
}

interface Range {
  start: number
  count: number
}

function textOf(words: readonly string[], { start, count }: Range): string {
  return words.slice(start, start + count).join('')
}

/** The length of a range of words, without white space that is equal by coincidence. */
function lengthOf(words: readonly string[], range: Range): number {
  return textOf(words, range).replaceAll(/\s/g, '').length
}

/**
 * Splits a text into words, runs of white space, line ends and other single characters. Scripts without spaces are
 * split into characters.
 */
function splitWords(text: string): string[] {
  return (
    text.match(
      /\r\n|[\r\n]|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]\p{M}*|[\p{L}\p{M}\p{N}_]+|[^\S\r\n]+|[^]/gu,
    ) ?? []
  )
}

/** Splits parts that may span line ends into lines of parts. Changed line ends become a pilcrow if they are shown. */
function toLines(parts: readonly MarkedPart[], showLineEnds: boolean): MarkedPart[][] {
  const lines: MarkedPart[][] = []
  let line: MarkedPart[] = []
  for (const { text, changed } of parts) {
    for (const piece of splitLines(text)) {
      const bare = withoutLineEnd(piece)
      if (bare !== '') line.push({ text: bare, changed })
      if (bare === piece) continue
      if (changed && showLineEnds) line.push({ text: '¶', changed })
      lines.push(line)
      line = []
    }
  }
  return line.length > 0 ? [...lines, line] : lines
}

function wholeLine(line: string): MarkedPart[] {
  const text = withoutLineEnd(line)
  return text === '' ? [] : [{ text, changed: true }]
}

function withoutLineEnd(line: string): string {
  return line.replace(/[\r\n]+$/, '')
}
