/** The words of a book. They decide whether a hyphen at a line end belongs to the word. */
export interface Vocabulary {
  words: Set<string>
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
  if (vocabulary.words.size > maxWords) return
  const words = line.toLowerCase().match(word) ?? []
  for (const wholeWord of words.slice(0, -1)) vocabulary.words.add(wholeWord)
}

/** How to join two lines. */
export interface LineJoin {
  /** The number of characters to remove from the end of the first line. */
  trimCharacters: number
  separator: '' | ' '
}

/** How to join a line that ends in a hyphen with the next one; null if it does not end in a hyphen. */
export function joinHyphenated(end: string, start: string, vocabulary: Vocabulary): LineJoin | null {
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
