import { countCharacters } from '../characters/count-characters.ts'
import { isMonospaced, maxSuperscript } from './build-lines.ts'
import type { PageText, TextRun } from './pdf-file.ts'
import type { Segment } from './page-parts.ts'

/** Maximum width of a gap between words, in ems. */
const maxWordGap = 1.5
/** Maximum distance from the nearest column of characters, in character widths, of a word in the line of a listing. */
const maxOffGrid = 0.02

/**
 * The segments of a page, grouped by writing direction, with slanted text in separate groups. The direction with the
 * most characters is first.
 */
export function segmentsByRotation(page: PageText): Segment[][] {
  const groups = new Map<string, TextRun[]>()
  for (const run of page.runs) {
    const direction = `${run.rotation}${run.slanted === true}`
    const group = groups.get(direction)
    if (group) group.push(run)
    else groups.set(direction, [run])
  }
  return [...groups.values()]
    .map((runs) => runs.map((run) => unrotate(run, page)))
    .sort((a, b) => countCharacters(b) - countCharacters(a))
    .map(joinRuns)
}

function unrotate(run: TextRun, { width, height }: PageText): TextRun {
  const { rotation } = run
  if (rotation === 0) return run
  if (rotation === 1) return { ...run, x: run.y, y: width - run.x }
  if (rotation === 2) return { ...run, x: width - run.x, y: height - run.y }
  return { ...run, x: height - run.y, y: run.x }
}

function joinRuns(runs: readonly TextRun[]): Segment[] {
  const segments: Segment[] = []
  let current: Segment | undefined
  let last: TextRun | undefined
  for (const run of runs) {
    if (last && isRepeated(last, run)) continue
    if (current && last && continuesSegment(current, last, run)) {
      current.runs.push(run)
      current.x0 = Math.min(current.x0, run.x)
      current.x1 = Math.max(current.x1, run.x + run.width)
      if (run.size > current.size * 1.05) {
        current.size = run.size
        current.y = run.y
      }
    } else {
      current = { x0: run.x, x1: run.x + run.width, y: run.y, size: run.size, runs: [run] }
      segments.push(current)
    }
    last = run
  }
  return segments
}

/** Whether the same text is drawn twice with a slight offset. Some files imitate bold this way. */
function isRepeated(last: TextRun, run: TextRun): boolean {
  const near = last.size * 0.2
  return last.text === run.text && Math.abs(last.x - run.x) < near && Math.abs(last.y - run.y) < near
}

function continuesSegment(current: Segment, last: TextRun, run: TextRun): boolean {
  const size = Math.max(current.size, run.size)
  const rise = Math.abs(run.y - current.y)
  // A letter may be lowered inside a word, as in the TeX logo.
  const isLetter = run.text.length < 3 || last.text.length < 3
  const small = Math.min(run.size, current.size) < size * (isLetter ? maxSuperscript : 0.85)
  if (rise > size * (small ? 0.6 : isLetter ? 0.4 : 0.3)) return false
  const gap = run.rtl || last.rtl ? current.x0 - (run.x + run.width) : run.x - (last.x + last.width)
  if (gap > -size * 0.5 && (gap < size * maxWordGap || isOnGrid(last, run, gap))) return true
  return run.rtl && Math.abs(run.x - current.x1) < size * maxWordGap
}

/**
 * Whether a run is a whole number of characters after the run that precedes it in the file, both monospaced: the gap is
 * the spaces in a line of a listing, and not the space between columns of a page.
 */
function isOnGrid(last: TextRun, run: TextRun, gap: number): boolean {
  if (!isMonospaced(last.text, last.font) || !isMonospaced(run.text, run.font)) return false
  if (Math.abs(last.size - run.size) > 0.1 || Math.abs(last.y - run.y) > 0.1) return false
  const longer = last.text.length > run.text.length ? last : run
  if (longer.text.length < 2) return false // cells of a chart or a matrix
  const columns = (gap * longer.text.length) / longer.width
  return Math.abs(columns - Math.round(columns)) < maxOffGrid
}

/** Whether a line begins in the middle of a sentence, with a lower-case letter. */
export function startsMidSentence({ runs }: Segment): boolean {
  return /^\p{Ll}/u.test(runs[0]?.text ?? '')
}

/** The text of a segment, with a space between its runs. */
export function textOf({ runs }: Pick<Segment, 'runs'>): string {
  return runs.map(({ text }) => text).join(' ')
}
