import { isMonospaced } from '../page/build-lines.ts'
import type { PageText, TextRun } from '../page/pdf-file.ts'
import { median } from '../page/extent.ts'

/** The margin that contains the line numbers of a manuscript. They are not part of the text. */
export type MarginSide = 'left' | 'right'

const lineNumber = /^\d{1,5}$/
/** Minimum number of line numbers on a page. */
const minNumbers = 6
/** The minimum share of equal steps between adjacent numbers. */
const minEqualSteps = 0.8
/** The maximum share of other text that extends beyond the numbers. */
const maxBeyond = 0.03
/** Minimum number of words in a line of prose, and minimum share of such lines beside the numbers. */
const minWords = 3
const minProseRows = 0.3
const word = /\p{L}{3,}/gu

/**
 * The margins that contain line numbers on at least half of the sample pages with text. The numbers are beside prose,
 * or they are identical on several pages, like a ruler.
 */
export function findMarginSides(pages: readonly PageText[]): MarginSide[] {
  const withText = pages.filter(({ runs }) => runs.length >= minNumbers * 2)
  return (['left', 'right'] as const).filter((side) => {
    const numbers = withText.map((page) => numbersOutside(page, side))
    const places = numbers.map(({ column }) => placesOf(column))
    const count = numbers.filter(
      ({ isProse }, index) => isProse || (places[index] !== '' && places.indexOf(places[index] ?? '') !== index),
    ).length
    return count > 0 && count >= withText.length / 2
  })
}

function placesOf(column: readonly TextRun[]): string {
  return column.map(({ text, x, y }) => `${text} ${Math.round(x)} ${Math.round(y)}`).join()
}

/** The page without the line numbers in its margins. */
export function removeMarginNumbers(page: PageText, sides: readonly MarginSide[]): PageText {
  if (sides.length === 0) return page
  const dropped = new Set(sides.flatMap((side) => numbersOutside(page, side).column))
  return dropped.size === 0 ? page : { ...page, runs: page.runs.filter((run) => !dropped.has(run)) }
}

/**
 * The line numbers in a margin: one below the other, aligned at an edge, increasing by equal steps, beside text that
 * begins further inside. Numbers beside prose are preferred. Numbers of code listings are excluded.
 */
function numbersOutside({ runs }: PageText, side: MarginSide): { column: TextRun[]; isProse: boolean } {
  const upright = runs.filter(({ rotation }) => rotation === 0)
  const numbers = upright.filter(({ text }) => lineNumber.test(text))
  let outside: TextRun[] = []
  for (const position of [endOf, startOf]) {
    for (const column of columnsOf(numbers, position)) {
      if (column.length < minNumbers || !countsUp(column)) continue
      const others = upright.filter((run) => !column.includes(run))
      if (!isOutside(column, others, side) || isBesideCode(column, others)) continue
      if (others.length >= column.length && isBesideProse(column, others)) return { column, isProse: true }
      if (outside.length === 0) outside = column
    }
  }
  return { column: outside, isProse: false }
}

function startOf({ x }: TextRun): number {
  return x
}

function endOf({ x, width }: TextRun): number {
  return x + width
}

/** Groups numbers at the same position into columns, each from top to bottom, the longest column first. */
function columnsOf(numbers: readonly TextRun[], position: (run: TextRun) => number): TextRun[][] {
  const columns: TextRun[][] = []
  let last = -Infinity
  for (const run of numbers.toSorted((a, b) => position(a) - position(b))) {
    if (position(run) - last < 1) columns.at(-1)?.push(run)
    else columns.push([run])
    last = position(run)
  }
  return columns
    .toSorted((a, b) => b.length - a.length)
    .slice(0, 4)
    .map((column) => column.toSorted((a, b) => a.y - b.y))
}

function countsUp(column: readonly TextRun[]): boolean {
  const steps = column.slice(1).map((run, index) => Number(run.text) - Number(column[index]?.text))
  const usual = median(steps)
  const distances = column.slice(1).map((run, index) => run.y - (column[index]?.y ?? 0))
  const near = median(distances)
  const equal = steps.filter((step) => step === usual).length
  return (
    usual > 0 &&
    usual <= 10 &&
    near > 0 &&
    steps.every((step) => step > 0) &&
    equal >= steps.length * minEqualSteps &&
    distances.filter((distance) => Math.abs(distance - near) < near * 0.25).length >= distances.length * 0.6
  )
}

function isOutside(column: readonly TextRun[], others: readonly TextRun[], side: MarginSide): boolean {
  const inner =
    side === 'left' ? Math.max(...column.map((run) => run.x + run.width)) : Math.min(...column.map(({ x }) => x))
  const beyond = others.filter((run) => (side === 'left' ? run.x < inner : run.x + run.width > inner)).length
  return beyond <= others.length * maxBeyond + 2
}

/** Whether the rows beside the numbers are lines of prose and not cells of a table. */
function isBesideProse(column: readonly TextRun[], others: readonly TextRun[]): boolean {
  const rows = adjacentRows(column, others)
  const prose = rows.filter(
    (row) =>
      (row
        .map(({ text }) => text)
        .join(' ')
        .match(word)?.length ?? 0) >= minWords,
  )
  return prose.length >= Math.max(minNumbers / 2, rows.length * minProseRows)
}

/** Whether the numbers belong to a code listing. They stay part of it. */
function isBesideCode(column: readonly TextRun[], others: readonly TextRun[]): boolean {
  const rows = adjacentRows(column, others)
  const code = rows.filter((row) => row.filter(({ text, font }) => isMonospaced(text, font)).length > row.length / 2)
  return code.length > rows.length / 2
}

function adjacentRows(column: readonly TextRun[], others: readonly TextRun[]): TextRun[][] {
  return column
    .map(({ y, size }) => others.filter((run) => Math.abs(run.y - y) < size * 0.5))
    .filter((row) => row.length > 0)
}
