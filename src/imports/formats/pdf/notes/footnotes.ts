import type { Line, TextPiece } from '../page/page-parts.ts'

/** Maximum font size of footnotes, relative to the body text. */
const maxSizeShare = 0.96
/**
 * A raised number after a word or closing punctuation is a note reference. After a single letter it may be an exponent.
 */
const mark = /(\p{L}{2}|[\p{P}\p{N}]|\p{Lo})\^(\d{1,3})(?!\d)/gu

/** Lines of one region of a page, and whether the structure of the page says that they are a note. */
interface Region {
  lines: readonly Line[]
  part?: { kind: string }
}

/**
 * Links footnotes to their references. A footnote is what the structure of the page says, or a line in a small font that
 * begins with a raised number to which a raised number in the text refers; below the last line of the text, also with a
 * number that is not raised, as LibreOffice writes it. It gets that number as `note`, and the reference becomes `[^n]`. Other lines are unchanged.
 */
export function linkFootnotes(regions: readonly Region[], bodySize: number): Line[][] {
  const numbers = numbersOfNotes(regions, bodySize)
  if (numbers.size === 0) return regions.map(({ lines }) => [...lines])
  const wanted = new Set(numbers.values())
  const linked = new Set<string>()
  const marked = regions.map(({ lines }) =>
    lines.map((line) => {
      if (numbers.has(line) || line.table || line.formula) return line
      const pieces = line.pieces.map((piece) => markPiece(piece, wanted, linked))
      return pieces.some((piece, index) => piece !== line.pieces[index]) ? { ...line, pieces } : line
    }),
  )
  const used = new Set<string>()
  return marked.map((lines) =>
    lines.map((line) => {
      const number = numbers.get(line)
      if (number === undefined || !linked.has(number) || used.has(number)) return line
      used.add(number)
      return { ...line, note: number }
    }),
  )
}

/** The lines that look like the beginnings of footnotes, with their numbers. */
function numbersOfNotes(regions: readonly Region[], bodySize: number): ReadonlyMap<Line, string> {
  const numbers = new Map<Line, string>()
  for (const {
    part,
    lines: [first],
  } of regions) {
    const number = part?.kind === 'note' && first ? (first.raisedNumber ?? plainNumber(first)) : undefined
    if (first && number !== undefined) numbers.set(first, number)
  }
  const lines = regions.flatMap((region) => region.lines)
  const isSmall = ({ size }: Line): boolean => size < bodySize * maxSizeShare
  const lastOfText = lines.findLastIndex((line) => !isSmall(line))
  for (const [index, line] of lines.entries()) {
    if (!isSmall(line) || numbers.has(line)) continue
    const number = line.raisedNumber ?? (index > lastOfText ? plainNumber(line) : undefined)
    if (number !== undefined && line.text.length > number.length + 1) numbers.set(line, number)
  }
  return numbers
}

/** The number at the start of a line, before words. */
function plainNumber({ text, mono, table }: Line): string | undefined {
  return table || mono > 0.5 ? undefined : /^(\d{1,3})\s(?=["'“‘«(]?\p{L})/u.exec(text)?.[1]
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
