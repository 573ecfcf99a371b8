import { alignSequences, type Stretch } from './align-sequences.ts'
import type { DiffBudget } from './diff-budget.ts'
import { splitLines } from './split-lines.ts'

/** Two texts derived from a common base. */
export interface MergeInput {
  base: string
  mine: string
  theirs: string
}

/**
 * Merges two texts by lines, like diff3: changes at different positions are both applied, equal changes once. Null if
 * both changed the same or adjacent lines in different ways.
 */
export function mergeTexts({ base, mine, theirs }: MergeInput, budget: DiffBudget): string | null {
  const lines = [base, mine, theirs].map(splitLines) as [string[], string[], string[]]
  const edits = [...editsOf(lines[0], lines[1], budget), ...editsOf(lines[0], lines[2], budget)].toSorted(
    (a, b) => a.start - b.start || a.end - b.end,
  )
  const merged: string[] = []
  let at = 0
  let last: Edit | null = null
  for (const edit of edits) {
    if (last && edit.start <= last.end) {
      if (isEqual(edit, last)) continue
      return null
    }
    merged.push(lines[0].slice(at, edit.start).join(''), edit.lines.join(''))
    at = edit.end
    last = edit
  }
  return merged.join('') + lines[0].slice(at).join('')
}

/** Lines that replace those of the base from `start` to `end` (exclusive). */
interface Edit {
  start: number
  end: number
  lines: string[]
}

function editsOf(base: readonly string[], changed: readonly string[], budget: DiffBudget): Edit[] {
  return alignSequences(base, changed, budget)
    .filter(({ same }) => !same)
    .map(({ before, after }: Stretch) => ({
      start: before.start,
      end: before.start + before.count,
      lines: changed.slice(after.start, after.start + after.count),
    }))
}

function isEqual(a: Edit, b: Edit): boolean {
  return a.start === b.start && a.end === b.end && a.lines.join('') === b.lines.join('')
}
