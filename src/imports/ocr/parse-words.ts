import type { Box } from '../formats/picture/ink-components.ts'

/** A word recognised by Tesseract. */
export interface RecognisedWord {
  text: string
  /** Its position in the picture. */
  box: Box
  /** Confidence, 0 to 100. */
  confidence: number
}

/** Lines of words; a paragraph has at least one line, and a line at least one word. */
export type RecognisedParagraph = RecognisedWord[][]

/** The level of word rows in the table; the levels above are page, block, paragraph and line. */
const wordLevel = '5'

/** Parses Tesseract's word table (TSV) into paragraphs, in its reading order. Skips rows that are not words. */
export function parseWords(table: string): RecognisedParagraph[] {
  const paragraphs: RecognisedParagraph[] = []
  let place = { paragraph: '', line: '' }
  for (const row of table.split('\n')) {
    const [level, page, block, paragraph, line, , left, top, width, height, confidence, ...text] = row.split('\t')
    const box = boxOf([left, top, width, height].map(Number))
    const word = { text: text.join(' ').trim(), confidence: Number(confidence), box }
    if (level !== wordLevel || word.text === '' || !(word.confidence >= 0 && word.confidence <= 100)) continue
    const next = { paragraph: [page, block, paragraph].join(' '), line: [page, block, paragraph, line].join(' ') }
    if (next.paragraph !== place.paragraph) paragraphs.push([[word]])
    else if (next.line !== place.line) paragraphs.at(-1)?.push([word])
    else paragraphs.at(-1)?.at(-1)?.push(word)
    place = next
  }
  return paragraphs
}

/** Converts four numbers from another process to a box; invalid numbers count as 0. */
function boxOf(numbers: readonly number[]): Box {
  const [left = 0, top = 0, width = 0, height = 0] = numbers.map((number) =>
    number >= 0 && number < 65_536 ? number : 0,
  )
  return { left, top, right: left + width, bottom: top + height }
}

/** Words with at least this many letters are wider than high in every script and font. */
const longWord = 4

/** True if most long words are vertical in the picture. */
export function isSideways(paragraphs: readonly RecognisedParagraph[]): boolean {
  const long = paragraphs.flat(2).filter(({ text }) => text.length >= longWord)
  const vertical = long.filter(({ box }) => box.bottom - box.top > box.right - box.left)
  return vertical.length * 2 > long.length
}

/** The orientation of a page. */
export interface Orientation {
  /** Clockwise rotation that makes it upright, degrees. */
  turn: 0 | 90 | 180 | 270
  /** Confidence; 15 is very certain, less than 1 is a guess. */
  confidence: number
  /** The script, such as `Latin`. */
  script: string
}

/** Parses Tesseract's orientation output; null if it is something else. */
export function parseOrientation(text: string): Orientation | null {
  const turn = Number(/^Rotate: (0|90|180|270)$/m.exec(text)?.[1] ?? Number.NaN)
  const confidence = Number(/^Orientation confidence: ([\d.]{1,20})$/m.exec(text)?.[1] ?? Number.NaN)
  const script = /^Script: (\w{1,40})$/m.exec(text)?.[1]
  if (Number.isNaN(turn) || Number.isNaN(confidence) || script === undefined) return null
  return { turn: turn as Orientation['turn'], confidence, script }
}
