import { median } from './extent.ts'
import type { TextRun } from './pdf-file.ts'

const capital = /^["“„«‘‚¿¡]?\p{Lu}$/u
/** Minimum size of a drop cap, as a multiple of the size of its text. */
const minFactor = 1.6
/**
 * Maximum gap between a drop cap and the first line beside it, and between it and the other lines, in ems of the text.
 */
const maxGap = 0.6
const maxIndent = 1.5
/** Maximum distance of the baseline of a drop cap from that of a line beside it, in ems. Browsers do not align them. */
const maxOffLine = 0.5
/** The minimum gap after a drop cap that is a word of its own (A, I), in ems of the text. Browsers leave out the space. */
const wordGap = 0.25
/** Letters that often are words at the start of a text, and letters that are words in some language. */
const wordLetter = /[AIÀÈАИЯ]$/u
const rareWordLetter = /[EKOSUVWYZÉÓÚВКОСУ]$/u
const wholeWord = /\p{L}[\p{L}\p{M}]*/gu

/**
 * Moves each drop cap of a page in front of the rest of its word. A drop cap is a single large letter near the baseline
 * of the second or a later line, with the first line next to its upper end. The other lines beside it are extended to
 * its left edge.
 */
export function placeDropCaps(runs: readonly TextRun[]): TextRun[] {
  const letters = runs.filter(
    ({ text, rotation, rtl }) => text.length <= 2 && rotation === 0 && !rtl && capital.test(text),
  )
  if (letters.length === 0) return [...runs]
  const usual = median(runs.map(({ size }) => size))
  const placed = letters.reduce<readonly TextRun[]>(
    (all, letter) => (letter.size < usual * minFactor ? all : placeDropCap(all, letter)),
    runs,
  )
  return [...placed]
}

function placeDropCap(runs: readonly TextRun[], letter: TextRun): readonly TextRun[] {
  const end = letter.x + letter.width
  const isBeside = (run: TextRun, reach: number): boolean =>
    run.rotation === 0 &&
    run.size * minFactor <= letter.size &&
    run.y > letter.y - letter.size &&
    run.y < letter.y + run.size * 0.25 &&
    Math.abs(run.x - end) <= run.size * reach
  const beside = runs.filter((run) => isBeside(run, maxIndent))
  const first = beside.reduce<TextRun | undefined>((a, b) => (a && a.y <= b.y ? a : b), undefined)
  const isLast = (run: TextRun): boolean => Math.abs(run.y - letter.y) < run.size * maxOffLine
  if (!first || !isBeside(first, maxGap) || isLast(first) || !beside.some(isLast) || !/^\p{L}/u.test(first.text))
    return runs
  const isWord = isWholeWord(letter.text, first, { runs, isWide: first.x - end > first.size * wordGap })
  const width = isWord ? Math.min(letter.width, first.x - letter.x - first.size * wordGap) : first.x - letter.x
  const inLine: TextRun = { ...letter, y: first.y, size: first.size, font: first.font, width }
  return runs.flatMap((run) => {
    if (run === letter) return []
    if (run === first) return [inLine, { ...first, hasSpaceBefore: isWord }]
    if (!beside.includes(run) || Math.abs(run.y - first.y) < run.size * 0.25) return [run]
    return [{ ...run, x: letter.x, width: run.width + run.x - letter.x }]
  })
}

/**
 * Whether a drop cap is a word of its own. The other words of the page decide; if they do not, the gap after a letter
 * that often is a word does.
 */
function isWholeWord(
  letter: string,
  first: TextRun,
  { runs, isWide }: { runs: readonly TextRun[]; isWide: boolean },
): boolean {
  const isOften = wordLetter.test(letter)
  if (!isOften && !(isWide && rareWordLetter.test(letter))) return false
  const [rest = ''] = first.text.match(wholeWord) ?? []
  const texts = runs.map((run) => (run === first ? run.text.slice(rest.length) : run.text))
  const words = new Set(texts.join(' ').toLowerCase().match(wholeWord))
  const [isKnownAlone, isKnownJoined] = [rest, letter.slice(-1) + rest].map((word) => words.has(word.toLowerCase()))
  return isKnownAlone === isKnownJoined ? isWide && isOften : isKnownAlone === true
}
