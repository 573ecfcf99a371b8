import type { Line } from './page-parts.ts'

/** A letter or a small Roman numeral at the start of an item: `a.`, `b)` or `(c)`. */
const label = /^(\(?)([a-z]|[ivx]{2,4})([.)])(?=\s)/
const numerals = ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x', 'xi', 'xii']
/** Maximum difference of the left edges of two items, in ems. */
const maxShift = 0.4

/** The lines that begin items of a list with letters or small Roman numerals: two of them follow each other in the list. */
export function letteredItems(lines: readonly Line[]): ReadonlySet<Line> {
  const items = new Set<Line>()
  let last: { line: Line; shown: RegExpExecArray } | undefined
  for (const line of lines) {
    const shown = label.exec(line.text)
    if (shown === null) continue
    const isNext = last !== undefined && follows(last.shown, shown)
    if (last && isNext && Math.abs(last.line.x0 - line.x0) < line.size * maxShift) items.add(last.line).add(line)
    last = { line, shown }
  }
  return items
}

function follows([, open = '', before = '', close = '']: RegExpExecArray, [, ...shown]: RegExpExecArray): boolean {
  if (shown[0] !== open || shown[2] !== close) return false
  const next = shown[1] ?? ''
  const isLetter = before.length === 1 && next === String.fromCharCode(before.charCodeAt(0) + 1)
  const numeral = numerals.indexOf(before)
  return isLetter || (numeral >= 0 && numerals[numeral + 1] === next)
}
