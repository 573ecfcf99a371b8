import { isSpacelessScript, lastLetter } from '../characters/text.ts'
import { HangulSpacing } from './hangul-spacing.ts'

/** What the lines of a book tell about its words. It decides how lines are joined. */
export interface Vocabulary {
  /** Words in lower case. They decide whether a hyphen at a line end belongs to the word. */
  words: Set<string>
  hangul: HangulSpacing
}

export function newVocabulary(): Vocabulary {
  return { words: new Set(), hangul: new HangulSpacing() }
}

/** The maximum number of words, ten times that of a typical book. */
const maxWords = 300_000

/** Prefixes that keep their hyphen, because English freely forms compounds with them. */
const prefixes = new Set(['self', 'non', 'well', 'quasi', 'half', 'cross', 'all'])
/** Conjunctions after a hyphen that stands for an omitted part ("Ein- und Ausgabe", "pre- and postfix"). */
const conjunctions = new Set(['und', 'oder', 'bzw', 'and', 'or', 'to', 'et', 'ou', 'y', 'o', 'e', 'en', 'of'])

const word = /\p{L}+(?:[-\u2010\u2011]\p{L}+)*/gu
const brokenWordEnd = /(\p{L}[\p{L}\p{M}'’-]*|\p{N}+)([-\u2010\u00ad])$/u
const wordStart = /^\p{L}[\p{L}\p{M}]*/u

/** Adds the words of a line except the last, which may be broken. */
export function learnWords(vocabulary: Vocabulary, line: string): void {
  vocabulary.hangul.learn(line)
  if (vocabulary.words.size > maxWords) return
  const words = line.toLowerCase().match(word) ?? []
  for (const wholeWord of words.slice(0, -1)) vocabulary.words.add(wholeWord)
}

/** Learns from the lines of a paragraph. */
export function learnLines(vocabulary: Vocabulary, lines: readonly string[]): void {
  for (const [index, line] of lines.entries()) {
    learnWords(vocabulary, line)
    if (index > 0) vocabulary.hangul.learnLineEnd(lines[index - 1] ?? '', line)
  }
}

/** How to join two lines. */
export interface LineJoin {
  /** The number of characters to remove from the end of the first line. */
  trimCharacters: number
  separator: '' | ' '
}

/** How to join two lines of a text. */
export function joinLineEnd(end: string, start: string, vocabulary: Vocabulary): LineJoin {
  const hyphenated = joinHyphenated(end, start, vocabulary)
  return hyphenated ?? { trimCharacters: 0, separator: lineSeparator(end, start, vocabulary) }
}

/** What separates two lines of a text of which the first does not end in a hyphen. */
export function lineSeparator(end: string, start: string, vocabulary: Vocabulary): LineJoin['separator'] {
  if (isSpacelessScript(lastLetter(end)) && isSpacelessScript(start.charAt(0))) return ''
  return vocabulary.hangul.isOneWord(end, start) ? '' : ' '
}

/** How to join a line that ends in a hyphen with the next one; null if it does not end in a hyphen. */
function joinHyphenated(end: string, start: string, vocabulary: Vocabulary): LineJoin | null {
  if (!/[-\u2010\u00ad]$/.test(end)) return null
  const broken = brokenWordEnd.exec(end.slice(-60))
  if (!broken) return null
  const [, before = '', hyphen] = broken
  const after = wordStart.exec(start)?.[0]
  if (after === undefined) return /^\p{N}/u.test(start) ? { trimCharacters: 0, separator: '' } : null
  if (hyphen === '\u00ad') return { trimCharacters: 1, separator: '' }
  if (conjunctions.has(after)) return { trimCharacters: 0, separator: ' ' }
  const first = before.toLowerCase().split('-').at(-1) ?? ''
  const capitals = before.length > 1 && (before + after).toUpperCase() === before + after
  const keepsHyphen = after[0] !== after[0]?.toLowerCase() && !capitals
  if (keepsHyphen || /\p{N}$/u.test(first) || before.length === 1) return { trimCharacters: 0, separator: '' }
  const second = after.toLowerCase()
  const joined = vocabulary.words.has(first + second)
  const isCompound = vocabulary.words.has(`${first}-${second}`) || (prefixes.has(first) && !joined)
  return { trimCharacters: isCompound && !joined ? 0 : 1, separator: '' }
}
