import type { TextRun } from './pdf-file.ts'

const rightToLeft = /[\u0590-\u065f\u066e-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/
const leftToRight = /[\p{L}\p{N}]/u

type Direction = 'rtl' | 'ltr' | 'neutral'

/**
 * The runs of a line in reading order: from left to right, or from right to left if `rtl`. A sequence of runs in the
 * opposite direction keeps its own order, including punctuation inside it (Unicode Standard Annex 9, rule L2).
 */
export function orderRuns(runs: readonly TextRun[], rtl: boolean): TextRun[] {
  const visual = runs.toSorted((a, b) => a.x - b.x)
  const directions = visual.map(directionOf)
  const base: Direction = rtl ? 'rtl' : 'ltr'
  if (directions.every((direction) => direction === 'neutral' || direction === base)) {
    return rtl ? runs.toSorted((a, b) => b.x + b.width - (a.x + a.width)) : visual
  }
  const groups: { base: boolean; runs: TextRun[] }[] = []
  for (const [index, run] of visual.entries()) {
    const isBase = embeddedDirection(directions, index, base) === base
    const group = groups.at(-1)
    if (group?.base === isBase) group.runs.push(run)
    else groups.push({ base: isBase, runs: [run] })
  }
  // Runs are reversed within each right-to-left group.
  const ordered = groups.map((group) => (group.base === rtl ? group.runs.toReversed() : group.runs))
  return (rtl ? ordered.toReversed() : ordered).flat()
}

/**
 * The direction of a run in its line. Punctuation takes the direction of both neighbours if they agree, otherwise that
 * of the line.
 */
function embeddedDirection(directions: readonly Direction[], index: number, base: Direction): Direction {
  const own = directions[index] ?? base
  if (own !== 'neutral') return own
  const before = directions.slice(Math.max(0, index - 8), index).findLast((direction) => direction !== 'neutral')
  const after = directions.slice(index + 1, index + 9).find((direction) => direction !== 'neutral')
  return before === after ? (before ?? base) : base
}

function directionOf({ text }: TextRun): Direction {
  if (rightToLeft.test(text)) return 'rtl'
  return leftToRight.test(text) ? 'ltr' : 'neutral'
}
