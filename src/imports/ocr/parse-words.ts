/** A word as Tesseract read it. */
export interface RecognisedWord {
  text: string
  /** How sure it is, 0 to 100. */
  confidence: number
}

/** Lines of words; a paragraph has one at least, and a line one word at least. */
export type RecognisedParagraph = RecognisedWord[][]

/** A row of the table is a word; the levels above it are page, block, paragraph and line. */
const wordLevel = '5'

/** The paragraphs of Tesseract's table of words (TSV), in its reading order. Skips rows that are no words. */
export function parseWords(table: string): RecognisedParagraph[] {
  const paragraphs: RecognisedParagraph[] = []
  let place = { paragraph: '', line: '' }
  for (const row of table.split('\n')) {
    const [level, page, block, paragraph, line, , , , , , confidence, ...text] = row.split('\t')
    const word = { text: text.join(' ').trim(), confidence: Number(confidence) }
    if (level !== wordLevel || word.text === '' || !(word.confidence >= 0 && word.confidence <= 100)) continue
    const next = { paragraph: [page, block, paragraph].join(' '), line: [page, block, paragraph, line].join(' ') }
    if (next.paragraph !== place.paragraph) paragraphs.push([[word]])
    else if (next.line !== place.line) paragraphs.at(-1)?.push([word])
    else paragraphs.at(-1)?.at(-1)?.push(word)
    place = next
  }
  return paragraphs
}

/** In which direction a page stands. */
export interface Orientation {
  /** By how much to turn it clockwise, degrees. */
  turn: 0 | 90 | 180 | 270
  /** How sure that is; 15 is very sure, less than 1 a guess. */
  confidence: number
  /** Such as `Latin`. */
  script: string
}

/** What Tesseract says of the direction of a page; null if that is not what it says. */
export function parseOrientation(text: string): Orientation | null {
  const turn = Number(/^Rotate: (0|90|180|270)$/m.exec(text)?.[1] ?? Number.NaN)
  const confidence = Number(/^Orientation confidence: ([\d.]{1,20})$/m.exec(text)?.[1] ?? Number.NaN)
  const script = /^Script: (\w{1,40})$/m.exec(text)?.[1]
  if (Number.isNaN(turn) || Number.isNaN(confidence) || script === undefined) return null
  return { turn: turn as Orientation['turn'], confidence, script }
}
