import type { Line, TextPiece } from '../page/page-parts.ts'

/** Maximum font size of footnotes, relative to the body text. */
const maxSizeShare = 0.96
/**
 * A raised number after a word or closing punctuation is a note reference. After a single letter it may be an exponent.
 */
const mark = /(\p{L}{2}|[\p{P}\p{N}]|\p{Lo})\^(\d{1,3})(?!\d)/gu

/**
 * Links footnotes to their references. A footnote is a line in a small font that begins with a raised number to which a
 * raised number in the text refers. It gets that number as `note`, and the reference becomes `[^n]`. Other lines are
 * unchanged.
 */
export function linkFootnotes(regions: readonly (readonly Line[])[], bodySize: number): Line[][] {
  const candidates = regions.flat().filter((line) => isNoteStart(line, bodySize))
  if (candidates.length === 0) return regions.map((lines) => [...lines])
  const wanted = new Set(candidates.flatMap(({ raisedNumber }) => raisedNumber ?? []))
  const linked = new Set<string>()
  const marked = regions.map((lines) =>
    lines.map((line) => {
      if (isNoteStart(line, bodySize) || line.table || line.formula) return line
      const pieces = line.pieces.map((piece) => markPiece(piece, wanted, linked))
      return pieces.some((piece, index) => piece !== line.pieces[index]) ? { ...line, pieces } : line
    }),
  )
  const used = new Set<string>()
  return marked.map((lines) =>
    lines.map((line) => {
      const number = isNoteStart(line, bodySize) ? line.raisedNumber : undefined
      if (number === undefined || !linked.has(number) || used.has(number)) return line
      used.add(number)
      return { ...line, note: number }
    }),
  )
}

function isNoteStart({ raisedNumber, size, text }: Line, bodySize: number): boolean {
  return raisedNumber !== undefined && size < bodySize * maxSizeShare && text.length > raisedNumber.length + 1
}

/** Replaces the first reference to each wanted number with `[^n]`. */
function markPiece(piece: TextPiece, wanted: ReadonlySet<string>, linked: Set<string>): TextPiece {
  if (piece.mono || !piece.text.includes('^')) return piece
  const text = piece.text.replace(mark, (whole, before: string, number: string) => {
    if (!wanted.has(number) || linked.has(number)) return whole
    linked.add(number)
    return `${before}[^${number}]`
  })
  return text === piece.text ? piece : { ...piece, text }
}
