/** A paragraph of a plain text: its original lines without line ends. */
export interface Paragraph {
  lines: string[]
  /** Number of blank lines before it. */
  blankBefore: number
}

/** Splits a text into paragraphs: at blank lines, otherwise at indented lines, otherwise at every line. */
export function splitParagraphs(text: string): Paragraph[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|[\n\r\f\u0085\u2028\u2029]/)
  const paragraphs = splitAtBlankLines(lines)
  const written = lines.length - lines.filter((line) => line.trim() === '').length
  if (written < 40 || paragraphs.length > written / 60) return paragraphs
  const isNarrow = lineWidth(lines) <= 100
  const indented = lines.filter((line) => /^(?: {2,8}|\t|\u3000+)\S/.test(line)).length
  const startsParagraph = isNarrow && indented > written / 40 ? (line: string) => /^\s/.test(line) : () => !isNarrow
  return paragraphs.flatMap((paragraph) => splitWhere(paragraph, startsParagraph))
}

function splitAtBlankLines(lines: readonly string[]): Paragraph[] {
  const paragraphs: Paragraph[] = []
  let blankBefore = 1
  let current: Paragraph | null = null
  for (const line of lines) {
    if (line.trim() === '') {
      blankBefore = current === null ? blankBefore + 1 : 1
      current = null
      continue
    }
    if (current === null) paragraphs.push((current = { lines: [], blankBefore }))
    current.lines.push(line.trimEnd())
  }
  return paragraphs
}

function splitWhere({ lines, blankBefore }: Paragraph, startsParagraph: (line: string) => boolean): Paragraph[] {
  const paragraphs: Paragraph[] = []
  for (const line of lines) {
    if (paragraphs.length === 0 || startsParagraph(line)) {
      paragraphs.push({ lines: [line], blankBefore: paragraphs.length === 0 ? blankBefore : 0 })
    } else paragraphs.at(-1)?.lines.push(line)
  }
  return paragraphs
}

/** The length at which lines were wrapped: nine out of ten lines are no longer. */
export function lineWidth(lines: readonly string[]): number {
  const lengths = lines
    .filter((line) => line.trim() !== '')
    .slice(0, 20_000)
    .map(({ length }) => length)
    .sort((one, other) => one - other)
  return lengths[Math.floor(lengths.length * 0.9)] ?? 0
}
