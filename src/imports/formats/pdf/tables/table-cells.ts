import { countCharacters } from '../characters/count-characters.ts'
import type { TextPiece } from '../page/page-parts.ts'

/** Minimum number of characters in a cell that wraps to another line. */
export const minWrapped = 12

/**
 * Whether the first cell of a row continues the text of the cell above: it begins in the middle of a sentence, and that
 * cell is long and contains several words. Names do not wrap.
 */
export function continuesFirstCell(pieces: readonly TextPiece[], above: readonly TextPiece[]): boolean {
  const hasWords =
    above.slice(1).some(({ hasSpaceBefore }) => hasSpaceBefore) || above.some(({ text }) => text.includes(' '))
  return startsMidSentence(pieces) && hasWords && countCharacters(above) >= minWrapped
}

/** Whether a cell begins with a lower-case word, as in the middle of a sentence. */
export function startsMidSentence([first]: readonly TextPiece[]): boolean {
  return first !== undefined && !first.mono && /^\p{Ll}{2}/u.test(first.text)
}

/** Whether a cell is an identifier in code. */
export function isName(pieces: readonly TextPiece[]): boolean {
  return pieces.length > 0 && pieces.every(({ mono, text }) => mono && !text.includes(' '))
}

/** Whether a cell of a row continues a word that is hyphenated at the end of the cell above. */
export function continuesWord(columns: readonly TextPiece[][], above: readonly TextPiece[][]): boolean {
  return columns.some((pieces, index) => {
    const end = above[index]?.at(-1)
    return end !== undefined && !end.mono && /\p{L}[-\u2010\u00ad]$/u.test(end.text) && startsMidSentence(pieces)
  })
}

/** Whether the only cell of a row continues a list, because the cell above ends with a comma. */
export function continuesList(columns: readonly TextPiece[][], above: readonly TextPiece[][]): boolean {
  const [column, ...others] = columns.flatMap((pieces, index) => (pieces.length > 0 ? [index] : []))
  return column !== undefined && others.length === 0 && (above[column]?.at(-1)?.text.endsWith(',') ?? false)
}

/** A cell that follows text on its line. */
export function spaced([first, ...rest]: readonly TextPiece[]): TextPiece[] {
  return first ? [{ ...first, hasSpaceBefore: true }, ...rest] : []
}

/** A cell that begins a new line. */
export function onNewLine([first, ...rest]: readonly TextPiece[]): TextPiece[] {
  return first ? [{ ...first, startsLine: true }, ...rest] : []
}
