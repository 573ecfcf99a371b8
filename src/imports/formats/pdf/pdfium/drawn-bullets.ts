import type { TextRun } from '../page/pdf-file.ts'

/** A small shape that is about as wide as high, in points from the top left of the page. `y` is the middle. */
export interface Dot {
  x0: number
  x1: number
  y: number
}

/** Limits on the dots of a page. A page with more is a drawing; a single dot is not a list. */
const [minDots, maxDots] = [2, 200]
/**
 * Limits on the side of a bullet, the height of its middle above the baseline, and its gap to the text, in ems of the
 * text.
 */
const side = { least: 0.15, most: 0.6 }
const height = { least: 0.1, most: 0.6 }
const gap = { least: 0.15, most: 2 }
/** The gap in ems from which text to the left of a dot belongs to another column. */
const minColumnGap = 1.5

/** Adds a `•` before each line that has a drawn bullet. Browsers print the bullets of lists as shapes, not as text. */
export function addDrawnBullets(runs: readonly TextRun[], dots: readonly Dot[]): TextRun[] {
  if (dots.length < minDots || dots.length > maxDots) return [...runs]
  const bullets = new Map<TextRun, Dot>()
  for (const dot of dots) {
    const line = nextLine(runs, dot)
    if (line) bullets.set(line, dot)
  }
  if (bullets.size < minDots) return [...runs]
  return runs.flatMap((run) => {
    const dot = bullets.get(run)
    if (!dot) return [run]
    const { y, size, font, rotation } = run
    const bullet = { text: '•', x: dot.x0, y, width: dot.x1 - dot.x0, size, font, rotation, rtl: false }
    return [
      { ...bullet, hasSpaceBefore: run.hasSpaceBefore },
      { ...run, hasSpaceBefore: true },
    ]
  })
}

/** The first run to the right of a dot, if the dot is the bullet at the start of its line. */
function nextLine(runs: readonly TextRun[], { x0, x1, y }: Dot): TextRun | undefined {
  let nearest: TextRun | undefined
  for (const run of runs) {
    const { size } = run
    if (run.rotation !== 0 || run.rtl || run.text.trim() === '' || !isWithin(run.y - y, height, size)) continue
    if (run.x < x0 && run.x + run.width > x0 - size * minColumnGap) return undefined
    if (!isWithin(x1 - x0, side, size) || !isWithin(run.x - x1, gap, size)) continue
    if (!nearest || run.x < nearest.x) nearest = run
  }
  return nearest
}

function isWithin(distance: number, { least, most }: { least: number; most: number }, em: number): boolean {
  return distance >= least * em && distance <= most * em
}
