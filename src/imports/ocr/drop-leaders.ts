import type { RecognisedParagraph, RecognisedWord } from './parse-words.ts'

/**
 * A word with less height, relative to the words of its page, is a row of dots or a rule, whatever letters were
 * recognised.
 */
const flatness = 0.35
/** Next to a row of dots, less certain words are its continuation. */
const confidentWord = 60

/**
 * Removes what was recognised in leaders: the rows of dots between a heading and its page number in a table of
 * contents.
 */
export function dropLeaders(paragraphs: readonly RecognisedParagraph[]): RecognisedParagraph[] {
  const usual = typicalHeight(paragraphs.flat(2))
  const isLeader = ({ text, box }: RecognisedWord) => {
    const isRow = /[\p{L}\p{N}]/u.test(text) || /[.·•…]{4,}/u.test(text)
    return isRow && box.bottom - box.top < usual * flatness
  }
  return paragraphs
    .map((lines) => lines.map((line) => withoutLeaders(line, isLeader)).filter((line) => line.length > 0))
    .filter((lines) => lines.length > 0)
}

function withoutLeaders(line: readonly RecognisedWord[], isLeader: (word: RecognisedWord) => boolean) {
  const dropped = line.map(isLeader)
  const spread = (at: number, from: number) => {
    if (dropped[from] === true && (line[at]?.confidence ?? 100) < confidentWord) dropped[at] = true
  }
  for (let at = 1; at < line.length; at++) spread(at, at - 1)
  for (let at = line.length - 2; at >= 0; at--) spread(at, at + 1)
  return line.filter((_, at) => dropped[at] !== true)
}

/** The median height of words with letters. */
function typicalHeight(words: readonly RecognisedWord[]): number {
  const heights = words.filter(({ text }) => /\p{L}{2}/u.test(text)).map(({ box }) => box.bottom - box.top)
  return heights.toSorted((a, b) => a - b)[Math.floor(heights.length / 2)] ?? 0
}
