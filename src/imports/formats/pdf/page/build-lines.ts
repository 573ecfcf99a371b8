import { countCharacters } from '../characters/count-characters.ts'
import { extentOf } from './extent.ts'
import type { FontFace, TextRun } from './pdf-file.ts'
import { orderRuns } from './run-order.ts'
import { hasEastAsian, isSpacelessScript, lastLetter } from '../characters/text.ts'
import type { Line, Segment, TextPiece } from './page-parts.ts'

/**
 * Minimum width of a gap between table cells or tab stops, in ems. Spaces between words of justified text are narrower.
 */
const minTabGap = 1.5
/** How far a run may extend over the ruled line at the edge of its cell, in ems. */
const maxCellReach = 0.2
/** Maximum size of a superscript number, relative to its line. Browsers use five sixths, and WeasyPrint eight ninths. */
export const maxSuperscript = 0.9

/** A number that can be a note reference. */
export const noteNumber = /^\d{1,3}$/

/** Minimum width of a space, in ems. */
const minSpace = 0.2
/**
 * Minimum width of a space between letters of one font and between words in two fonts, in ems. Scores place each
 * syllable below its note, and full lines have narrow spaces.
 */
const minLetterSpace = 0.15
/** Minimum width of a space between right-to-left runs, in ems. Joined letters have no gap between them. */
const minRtlSpace = 0.15
/** Minimum width of a space between runs in opposite directions, in ems. Their letters are never joined. */
const minScriptSpace = 0.1

/**
 * Maximum vertical distance, in ems of the smaller one, at which overlapping texts are on one line. It includes accents
 * but not the next line.
 */
const maxSameRise = 0.7

/**
 * Joins segments on the same baseline into lines, from top to bottom. Superscripts and subscripts belong to their line.
 */
export function buildLines(segments: readonly Segment[]): Line[] {
  const groups: Segment[][] = []
  let top: Segment | undefined
  for (const segment of segments.toSorted((a, b) => a.y - b.y)) {
    const group = groups.at(-1)
    if (segment.table || segment.formula !== undefined) {
      groups.push([segment])
      top = undefined
    } else if (group && top && sharesLine(top, group, segment)) {
      group.push(segment)
      if (segment.size > top.size) top = segment
    } else {
      groups.push([segment])
      top = segment
    }
  }
  return groups.map(buildLine)
}

function sharesLine(main: Segment, group: readonly Segment[], segment: Segment): boolean {
  const larger = Math.max(main.size, segment.size)
  const smaller = Math.min(main.size, segment.size)
  const rise = Math.abs(segment.y - main.y)
  if (rise > larger * (smaller < larger * 0.85 || (isNumber(segment) && smaller < larger * maxSuperscript) ? 0.6 : 0.3))
    return false
  return !group.some((other) => {
    const isOverlapping = overlapWidth(other, segment) > smaller * 0.5
    return isOverlapping && (rise >= larger * 0.15 || Math.abs(other.y - segment.y) > smaller * maxSameRise)
  })
}

function overlapWidth(a: Segment, b: Segment): number {
  return Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0)
}

function buildLine(group: readonly Segment[]): Line {
  const [first] = group
  if (first?.table) {
    const { x0, x1, y, size, table } = first
    return { x0, x1, y, size, table, pieces: [], text: '', mono: 0, bold: 0, rtl: false }
  }
  if (first?.formula !== undefined) return formulaLine(first, first.formula)
  const main = group.reduce((a, b) =>
    b.size > a.size * 1.02 || (b.size > a.size * 0.98 && segmentWidth(b) > segmentWidth(a)) ? b : a,
  )
  const rtl = isRightToLeft(group)
  const runs = group.length === 1 ? main.runs : group.toSorted((a, b) => a.x0 - b.x0).flatMap((segment) => segment.runs)
  const ordered = orderRuns(runs, rtl)
  const pieces = buildPieces(ordered, main)
  const total = countCharacters(pieces)
  const share = (flag: 'mono' | 'bold'): number =>
    pieces.reduce((sum, piece) => sum + (piece[flag] ? piece.text.length : 0), 0) / total
  const readingSize = ordered.find((run) => run.readingSize !== undefined)?.readingSize
  return {
    ...extentOf(group),
    ...(readingSize !== undefined && { readingSize }),
    y: main.y,
    size: main.size,
    pieces,
    text: textOf(pieces),
    mono: share('mono'),
    bold: share('bold'),
    rtl,
    raisedNumber:
      ordered[0] && ordered.length > 1 && isSuperscript(ordered[0], main.size, main.y) ? ordered[0].text : undefined,
  }
}

/** Whether more characters of a line are in right-to-left text than in other text. */
function isRightToLeft(group: readonly Segment[]): boolean {
  let sum = 0
  for (const { runs } of group) for (const run of runs) sum += run.rtl ? run.text.length : -run.text.length
  return sum > 0
}

function formulaLine({ x0, x1, y, size }: Segment, text: string): Line {
  const piece = { text, mono: false, bold: false, x0, x1, hasSpaceBefore: false, hasTabBefore: false }
  return { x0, x1, y, size, pieces: [piece], text, mono: 0, bold: 0, rtl: false, formula: true }
}

function segmentWidth(segment: Segment): number {
  return segment.x1 - segment.x0
}

function buildPieces(runs: readonly TextRun[], { size, y }: Segment): TextPiece[] {
  const pieces: TextPiece[] = []
  let last: TextRun | undefined
  for (const [index, run] of runs.entries()) {
    const gap = last ? gapBetween(last, run) : 0
    const followsMark = index === 1 && last !== undefined && isSuperscript(last, size, y)
    const hasSpaceBefore =
      last !== undefined && (followsMark || hasSpace(last, run, gap / Math.max(run.size, last.size)))
    const hasTabBefore = gap > size * minTabGap || (last !== undefined && isInNextCell(last, run))
    const { bold } = run.font
    const mono = isMonospaced(run.text, run.font) && !isPartOfWord(run, last, runs[index + 1])
    const text = last && !hasSpaceBefore && !mono && isSuperscript(run, size, y) ? `^${run.text}` : run.text
    const current = pieces.at(-1)
    if (
      current &&
      !hasTabBefore &&
      current.link === run.link &&
      current.mono === mono &&
      current.bold === bold &&
      !(mono && gap > size * 0.7)
    ) {
      current.text += (hasSpaceBefore ? ' ' : '') + text
      current.x1 = Math.max(current.x1, run.x + run.width)
    } else {
      const link = run.link === undefined ? {} : { link: run.link }
      const { lineBefore, lineAbove } = run
      const line = {
        ...(lineBefore !== undefined && { lineBefore }),
        ...(lineAbove !== undefined && { lineAbove }),
      }
      pieces.push({
        text,
        mono,
        bold,
        x0: run.x,
        x1: run.x + run.width,
        hasSpaceBefore,
        hasTabBefore,
        ...link,
        ...line,
      })
    }
    last = run
  }
  return pieces
}

/** Whether two runs are in different table cells, because of a vertical line between them or the rows around them. */
function isInNextCell(last: TextRun, run: TextRun): boolean {
  if (run.startsCell) return true
  return run.lineBefore !== undefined && !run.rtl && run.lineBefore > last.x + last.width - run.size * maxCellReach
}

/**
 * Whether a run of a few letters is part of a word in another font, which it touches: a ligature, or the A in the LaTeX
 * logo. A font subset of one or two letters looks monospaced, whatever the font is.
 */
function isPartOfWord(run: TextRun, last: TextRun | undefined, next: TextRun | undefined): boolean {
  if (!/^\p{L}{1,3}$/u.test(run.text)) return false
  const follows = last !== undefined && !last.font.mono && !run.hasSpaceBefore && /\p{L}$/u.test(last.text)
  const precedes = next !== undefined && !next.font.mono && !next.hasSpaceBefore && /^\p{L}/u.test(next.text)
  return (follows && gapBetween(last, run) < run.size * 0.1) || (precedes && gapBetween(run, next) < run.size * 0.1)
}

/**
 * Whether text is set in a monospaced font, as code is. East Asian fonts are always monospaced, which does not indicate
 * code.
 */
export function isMonospaced(text: string, { mono }: FontFace): boolean {
  return mono && /[!-~]/.test(text) && !hasEastAsian(text)
}

/** Whether a segment is a number that may be an exponent or a note reference. */
function isNumber({ runs: [first, second] }: Segment): boolean {
  return first !== undefined && second === undefined && noteNumber.test(first.text)
}

/** Whether a run is a number that is small and raised enough to be an exponent or a note reference. */
function isSuperscript(run: TextRun, size: number, y: number): boolean {
  if (run.isMark) return true
  return run.size < size * maxSuperscript && y - run.y > size * 0.2 && noteNumber.test(run.text)
}

function gapBetween(last: TextRun, run: TextRun): number {
  return run.x >= last.x ? run.x - (last.x + last.width) : last.x - (run.x + run.width)
}

function hasSpace(last: TextRun, run: TextRun, gap: number): boolean {
  if (isSpacelessScript(lastLetter(last.text)) && isSpacelessScript(run.text[0] ?? '')) return gap > 0.8
  if (run.hasSpaceBefore && gap > 0.02) return true
  if (run.rtl || last.rtl) return gap > (run.rtl && last.rtl ? minRtlSpace : minScriptSpace)
  return gap > minSpace || (gap > minLetterSpace && areBesideLetters(last, run))
}

/** Whether the gap between two runs in one size is between letters of one font, or between words in two. */
function areBesideLetters(last: TextRun, run: TextRun): boolean {
  if (last.size !== run.size) return false
  if (last.font === run.font) return /\p{L}$/u.test(last.text) && /^\p{L}/u.test(run.text)
  return /\p{L}{2}$/u.test(last.text) && /^\p{L}{2}/u.test(run.text)
}

/** The text of the pieces of one line, with single spaces between words. */
export function textOf(pieces: readonly TextPiece[]): string {
  return pieces.map((piece, index) => (piece.hasSpaceBefore && index > 0 ? ' ' : '') + piece.text).join('')
}
