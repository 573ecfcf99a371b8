import { countCharacters } from '../characters/count-characters.ts'
import type { TocEntry } from '../../format.ts'
import { textOf } from './build-lines.ts'
import { foldTitle, foldWithoutNumber, isFoldedNumber } from '../../fold-title.ts'
import type { Line, TextPiece } from './page-parts.ts'

/** The maximum number of titles to find on one page. */
const maxTitles = 300
/** The maximum number of pieces in a title. A piece ends where the font changes. */
const maxPieces = 8

/** Splits lines with a run-in heading: a bold title from the outline, followed by text on the same line. */
export function splitRunIns(lines: readonly Line[], titles: readonly TocEntry[]): Line[] {
  const keys = new Set(titles.slice(0, maxTitles).map(({ title }) => foldWithoutNumber(title)))
  keys.delete('')
  if (keys.size === 0) return [...lines]
  return lines.flatMap((line) => {
    const count = (line.pieces[0]?.bold ?? false) ? titlePieces(line.pieces, keys) : 0
    if (count === 0 || isPageNumber(line.pieces.slice(count))) return [line]
    const text = lineOf(line, line.pieces.slice(count))
    // The lines of the paragraph below are aligned with the heading.
    return [lineOf(line, line.pieces.slice(0, count)), { ...text, x0: Math.min(line.x0, text.x0) }]
  })
}

/** Whether only a page number follows a title, as in a table of contents. */
function isPageNumber(pieces: readonly TextPiece[]): boolean {
  return pieces[0]?.hasTabBefore === true && /^(?:\d{1,4}|[ivxlc]{1,8})$/.test(textOf(pieces).trim())
}

function titlePieces(pieces: readonly TextPiece[], keys: ReadonlySet<string>): number {
  for (let count = 1; count < Math.min(pieces.length, maxPieces + 1); count += 1) {
    const key = foldTitle(textOf(pieces.slice(0, count)))
    for (const title of keys) {
      if (key.endsWith(title) && isFoldedNumber(key.slice(0, key.length - title.length))) return count
    }
  }
  return 0
}

function lineOf(line: Line, pieces: readonly TextPiece[]): Line {
  const [first, ...rest] = pieces
  if (!first) return line
  const own = [{ ...first, hasSpaceBefore: false, hasTabBefore: false }, ...rest]
  const total = countCharacters(own)
  const share = (flag: 'mono' | 'bold'): number =>
    own.reduce((sum, piece) => sum + (piece[flag] ? piece.text.length : 0), 0) / total
  return {
    ...line,
    pieces: own,
    x0: Math.min(...own.map(({ x0 }) => x0)),
    x1: Math.max(...own.map(({ x1 }) => x1)),
    text: textOf(own),
    mono: share('mono'),
    bold: share('bold'),
  }
}
