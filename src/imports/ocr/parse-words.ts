import type { Box } from '../formats/picture/ink-components.ts'

/** A word as Tesseract read it. */
export interface RecognisedWord {
  text: string
  /** Where it stands in the picture. */
  box: Box
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

/** Of four numbers that another process wrote; what is none counts as 0. */
function boxOf(numbers: readonly number[]): Box {
  const [left = 0, top = 0, width = 0, height = 0] = numbers.map((number) =>
    number >= 0 && number < 65_536 ? number : 0,
  )
  return { left, top, right: left + width, bottom: top + height }
}

/** Letters of words that are wider than high in every script and print. */
const longWord = 4

/** Whether most long words run up or down the picture. */
export function isSideways(paragraphs: readonly RecognisedParagraph[]): boolean {
  const long = paragraphs.flat(2).filter(({ text }) => text.length >= longWord)
  const upended = long.filter(({ box }) => box.bottom - box.top > box.right - box.left)
  return upended.length * 2 > long.length
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
