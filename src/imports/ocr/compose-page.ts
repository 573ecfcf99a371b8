import { joinHyphenated, learnWords, type Vocabulary } from '../formats/pdf/hyphenation.ts'
import { escapeLineStart, escapeText } from '../formats/pdf/inline-text.ts'
import { cleanText, isSpacelessScript } from '../formats/pdf/text.ts'
import type { RecognisedParagraph, RecognisedWord } from './parse-words.ts'

/** The text of a page as it was recognised. */
export interface RecognisedText {
  /** Markdown: paragraphs. Empty when nothing was read. */
  content: string
  /** How sure it is, 0 to 100: the mean over its letters. */
  confidence: number
  words: number
  /** How much was read how surely: tells a page that stands upright, or is in the right language, from one that does not. */
  evidence: number
}

/** A line without a word that is surer is dust, a stain or part of a drawing. */
const minWordConfidence = 30

/** Puts words together to the text of a page: one line a paragraph, words that are broken at line ends whole again. */
export function composePage(paragraphs: readonly RecognisedParagraph[]): RecognisedText {
  const kept = paragraphs.map((lines) => lines.filter(isText)).filter((lines) => lines.length > 0)
  const vocabulary: Vocabulary = { words: new Set() }
  const texts = kept.map((lines) => lines.map(textOfLine))
  for (const line of texts.flat()) learnWords(vocabulary, line)
  const content = texts.map((lines) => escapeLineStart(escapeText(joinLines(lines, vocabulary)), false)).join('\n\n')
  const words = kept.flat(2)
  const evidence = words.reduce(
    (sum, { text, confidence }) => sum + text.length * Math.max(0, confidence - minWordConfidence),
    0,
  )
  return { content, confidence: meanConfidence(words), words: words.length, evidence }
}

function isText(line: readonly RecognisedWord[]): boolean {
  return line.some(({ text, confidence }) => confidence >= minWordConfidence && /[\p{L}\p{N}]/u.test(text))
}

function textOfLine(words: readonly RecognisedWord[]): string {
  let line = ''
  for (const { text } of words) {
    const spaced = line !== '' && !(isSpacelessScript(line.at(-1) ?? '') && isSpacelessScript(text[0] ?? ''))
    line += `${spaced ? ' ' : ''}${cleanText(text)}`
  }
  return line.normalize('NFC')
}

function joinLines(lines: readonly string[], vocabulary: Vocabulary): string {
  let text = ''
  for (const line of lines) {
    const join = text === '' ? null : joinHyphenated(text, line, vocabulary)
    if (text === '') text = line
    else if (join) text = text.slice(0, text.length - join.trimCharacters) + join.separator + line
    else if (isSpacelessScript(text.at(-1) ?? '') && isSpacelessScript(line[0] ?? '')) text += line
    else text += ` ${line}`
  }
  return text
}

function meanConfidence(words: readonly RecognisedWord[]): number {
  const letters = words.reduce((sum, { text }) => sum + text.length, 0)
  const weighted = words.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0)
  return letters === 0 ? 0 : Math.round(weighted / letters)
}
