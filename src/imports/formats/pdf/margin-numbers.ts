import { isMonospaced } from './build-lines.ts'
import type { PageText, TextRun } from './pdf-file.ts'
import { median } from './extent.ts'

/** Where the numbers of the lines of a manuscript stand, which are no part of its text. */
export type MarginSide = 'left' | 'right'

const lineNumber = /^\d{1,5}$/
/** The number of line numbers from which a page has them. */
const minNumbers = 6
/** The share of steps between neighbouring numbers that must be equal. */
const minEqualSteps = 0.8
/** The share of the other text that may reach beyond the numbers. */
const maxBeyond = 0.03
/** The words that a line of prose has, and the share of such lines beside the numbers. */
const minWords = 3
const minProseRows = 0.3
const word = /\p{L}{3,}/gu

/**
 * The sides at which at least half of the sampled pages with text have line numbers in the margin: beside prose, or the same
 * ones at the same places on every page, as a ruler has.
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

/** A page without the line numbers in its margins. */
export function removeMarginNumbers(page: PageText, sides: readonly MarginSide[]): PageText {
  if (sides.length === 0) return page
  const dropped = new Set(sides.flatMap((side) => numbersOutside(page, side).column))
  return dropped.size === 0 ? page : { ...page, runs: page.runs.filter((run) => !dropped.has(run)) }
}

/**
 * The numbers in a margin: one below the other, aligned at an edge, counting by equal steps, beside text that begins
 * farther inside; those beside prose first. Numbers of listings are not among them.
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

/** Numbers with the same position, each column from top to bottom; the longest first. */
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

/** Whether lines of prose stand beside the numbers, not cells of a table. */
function isBesideProse(column: readonly TextRun[], others: readonly TextRun[]): boolean {
  const rows = rowsBeside(column, others)
  const prose = rows.filter(
    (row) =>
      (row
        .map(({ text }) => text)
        .join(' ')
        .match(word)?.length ?? 0) >= minWords,
  )
  return prose.length >= Math.max(minNumbers / 2, rows.length * minProseRows)
}

/** Whether the numbers are those of a listing, of which they stay a part. */
function isBesideCode(column: readonly TextRun[], others: readonly TextRun[]): boolean {
  const rows = rowsBeside(column, others)
  const code = rows.filter((row) => row.filter(({ text, font }) => isMonospaced(text, font)).length > row.length / 2)
  return code.length > rows.length / 2
}

function rowsBeside(column: readonly TextRun[], others: readonly TextRun[]): TextRun[][] {
  return column
    .map(({ y, size }) => others.filter((run) => Math.abs(run.y - y) < size * 0.5))
    .filter((row) => row.length > 0)
}
