import { joinLineEnd, learnLines, newVocabulary, type Vocabulary } from '../formats/pdf/page/hyphenation.ts'
import { escapeLineStart, escapeText } from '../formats/pdf/page/inline-text.ts'
import { cleanText, isSpacelessScript } from '../formats/pdf/characters/text.ts'
import type { RecognisedParagraph, RecognisedWord } from './parse-words.ts'

/** The recognised text of a page. */
export interface RecognisedText {
  /** Markdown paragraphs. Empty if nothing was recognised. */
  content: string
  /** Mean confidence over its letters, 0 to 100. */
  confidence: number
  words: number
  /** A combined measure of amount and confidence; distinguishes the right orientation and language from wrong ones. */
  evidence: number
}

/** Less certain words may be dust, a stain or part of a drawing. */
const minWordConfidence = 30
/**
 * An uncertain word with fewer letters is wrong three times out of four; a longer one is right as often. Nine out of
 * ten uncertain lines with more letters are right.
 */
const minUnsureLetters = { word: 6, line: 10 }

/** Joins words to the text of a page: one line per paragraph, without hyphenation at line ends. */
export function composePage(paragraphs: readonly RecognisedParagraph[]): RecognisedText {
  const kept = paragraphs.map((lines) => lines.map(keepText).filter(isText)).filter((lines) => lines.length > 0)
  const vocabulary = newVocabulary()
  const texts = kept.map((lines) => lines.map(textOfLine))
  for (const lines of texts) learnLines(vocabulary, lines)
  const content = texts.map((lines) => escapeLineStart(escapeText(joinLines(lines, vocabulary)), false)).join('\n\n')
  const words = kept.flat(2)
  const evidence = words.reduce(
    (sum, { text, confidence }) => sum + text.length * Math.max(0, confidence - minWordConfidence),
    0,
  )
  return { content, confidence: meanConfidence(words), words: words.length, evidence }
}

function keepText(line: readonly RecognisedWord[]): RecognisedWord[] {
  return line.filter(
    ({ text, confidence }) =>
      confidence >= minWordConfidence ||
      countLetters(text) >= minUnsureLetters.word ||
      isSpacelessScript(text[0] ?? ''),
  )
}

function isText(line: readonly RecognisedWord[]): boolean {
  const isSure = line.some(({ text, confidence }) => confidence >= minWordConfidence && countLetters(text) > 0)
  return isSure || line.reduce((sum, { text }) => sum + countLetters(text), 0) >= minUnsureLetters.line
}

function countLetters(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
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
  return lines.reduce((above, below) => {
    const { trimCharacters, separator } = joinLineEnd(above, below, vocabulary)
    return above.slice(0, above.length - trimCharacters) + separator + below
  })
}

function meanConfidence(words: readonly RecognisedWord[]): number {
  const letters = words.reduce((sum, { text }) => sum + text.length, 0)
  const weighted = words.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0)
  return letters === 0 ? 0 : Math.round(weighted / letters)
}
