import { median } from './extent.ts'
import type { TextRun } from './pdf-file.ts'

const capital = /^["“„«‘‚¿¡]?\p{Lu}$/u
/** The size of a dropped capital, as a multiple of that of the text. */
const minFactor = 1.6
/** Between the capital and the first of its lines, and the others, in ems of the text. */
const maxGap = 0.6
const maxIndent = 1.5
/** A word of its own (A, I) stands this far from the next one, in ems of the text. */
const wordGap = 0.25

/**
 * The runs of a page with each dropped capital as the first letter of its word: a single large letter on the baseline of a
 * second or further line, with the text of the first line beside its upper end. The lines beside it begin at its edge.
 */
export function placeDroppedCapitals(runs: readonly TextRun[]): TextRun[] {
  const letters = runs.filter(
    ({ text, rotation, rtl }) => text.length <= 2 && rotation === 0 && !rtl && capital.test(text),
  )
  if (letters.length === 0) return [...runs]
  const usual = median(runs.map(({ size }) => size))
  const placed = letters.reduce<readonly TextRun[]>(
    (all, letter) => (letter.size < usual * minFactor ? all : placeCapital(all, letter)),
    runs,
  )
  return [...placed]
}

function placeCapital(runs: readonly TextRun[], letter: TextRun): readonly TextRun[] {
  const end = letter.x + letter.width
  const isBeside = (run: TextRun, reach: number): boolean =>
    run.rotation === 0 &&
    run.size * minFactor <= letter.size &&
    run.y > letter.y - letter.size &&
    run.y < letter.y + run.size * 0.25 &&
    Math.abs(run.x - end) <= run.size * reach
  const beside = runs.filter((run) => isBeside(run, maxIndent))
  const first = beside.reduce<TextRun | undefined>((a, b) => (a && a.y <= b.y ? a : b), undefined)
  const isLast = (run: TextRun): boolean => Math.abs(run.y - letter.y) < run.size * 0.25
  if (!first || !isBeside(first, maxGap) || isLast(first) || !beside.some(isLast) || !/^\p{L}/u.test(first.text))
    return runs
  const gap = first.x - end
  const isWord = gap > first.size * wordGap
  const width = isWord ? letter.width : first.x - letter.x
  const inLine: TextRun = { ...letter, y: first.y, size: first.size, font: first.font, width }
  return runs.flatMap((run) => {
    if (run === letter) return []
    if (run === first) return [inLine, { ...first, hasSpaceBefore: isWord }]
    if (!beside.includes(run) || Math.abs(run.y - first.y) < run.size * 0.25) return [run]
    return [{ ...run, x: letter.x, width: run.width + run.x - letter.x }]
  })
}
