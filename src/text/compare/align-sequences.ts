import { diffArrays } from 'diff'
import type { DiffBudget } from './diff-budget.ts'

/** A stretch of two sequences: common elements, or elements of one that replace those of the other. */
export interface Stretch {
  same: boolean
  /** Start index and number of elements in each sequence. */
  before: { start: number; count: number }
  after: { start: number; count: number }
}

/**
 * Maximum number of removed and added elements; beyond it, everything between the common prefix and suffix is one
 * stretch.
 */
const maxEdits = 2000

/**
 * The stretches of two sequences, in order, alternating between different and equal ones. If the difference is too
 * large for the budget, everything between the common prefix and suffix is one differing stretch.
 */
export function alignSequences(before: readonly string[], after: readonly string[], budget: DiffBudget): Stretch[] {
  const head = commonHead(before, after)
  const tail = commonTail(before, after, head)
  const middle = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)] as const
  const counts = [
    { same: true, before: head, after: head },
    ...alignMiddle(...middle, budget),
    { same: true, before: tail, after: tail },
  ]
  return locate(counts)
}

interface Counts {
  same: boolean
  before: number
  after: number
}

function alignMiddle(before: string[], after: string[], budget: DiffBudget): Counts[] {
  const apart = [{ same: false, before: before.length, after: after.length }]
  if (before.length === 0 || after.length === 0) return apart
  const options = { maxEditLength: maxEdits, timeout: budget.remainingMs() }
  const changes = diffArrays(before, after, options)
  if (!changes) return apart
  return changes.map(({ added, removed, count }) => ({
    same: !added && !removed,
    before: added ? 0 : count,
    after: removed ? 0 : count,
  }))
}

/** Joins adjacent stretches of the same kind and adds their start indexes. */
function locate(counts: readonly Counts[]): Stretch[] {
  const stretches: Stretch[] = []
  const at = { before: 0, after: 0 }
  for (const { same, before, after } of counts) {
    if (before + after === 0) continue
    const last = stretches.at(-1)
    if (last?.same === same) {
      last.before.count += before
      last.after.count += after
    } else {
      stretches.push({
        same,
        before: { start: at.before, count: before },
        after: { start: at.after, count: after },
      })
    }
    at.before += before
    at.after += after
  }
  return stretches
}

function commonHead(a: readonly string[], b: readonly string[]): number {
  const most = Math.min(a.length, b.length)
  let count = 0
  while (count < most && a[count] === b[count]) count++
  return count
}

function commonTail(a: readonly string[], b: readonly string[], head: number): number {
  const most = Math.min(a.length, b.length) - head
  let count = 0
  while (count < most && a[a.length - 1 - count] === b[b.length - 1 - count]) count++
  return count
}
