/** Words of a book, by which a hyphen at a line end is told from one that belongs to the word. */
export interface Vocabulary {
  words: Set<string>
}

/** Words kept; a book has a tenth of it. */
const maxWords = 300_000

/** Parts that keep their hyphen: English forms compounds with them freely. */
const prefixes = new Set(['self', 'non', 'well', 'quasi', 'half', 'cross', 'ex', 'all'])
/** Words after a hyphen that stands for a left-out part ("Ein- und Ausgabe", "pre- and postfix"). */
const conjunctions = new Set(['und', 'oder', 'bzw', 'and', 'or', 'to', 'et', 'ou', 'y', 'o', 'e', 'en', 'of'])

const word = /\p{L}+(?:[-\u2010\u2011]\p{L}+)*/gu
const brokenEnd = /(\p{L}[\p{L}\p{M}'’-]*|\p{N}+)([-\u2010\u00ad])$/u
const wordStart = /^\p{L}[\p{L}\p{M}]*/u

/** Adds the words of a line; the last may be broken and is left out. */
export function learnWords(vocabulary: Vocabulary, line: string): void {
  if (vocabulary.words.size > maxWords) return
  const words = line.toLowerCase().match(word) ?? []
  for (const found of words.slice(0, -1)) vocabulary.words.add(found)
}

/** What joins two lines: the end of the first to keep, and what goes between. */
export interface Joint {
  /** Characters to cut from the end of the first line. */
  cut: number
  between: '' | ' '
}

/** How a line that ends in a hyphen goes on in the next one; null when it does not end so. */
export function hyphenJoint(end: string, start: string, vocabulary: Vocabulary): Joint | null {
  if (!/[-\u2010\u00ad]$/.test(end)) return null
  const broken = brokenEnd.exec(end.slice(-60))
  if (!broken) return null
  const [, before = '', hyphen] = broken
  const after = wordStart.exec(start)?.[0]
  if (after === undefined) return /^\p{N}/u.test(start) ? { cut: 0, between: '' } : null
  if (hyphen === '\u00ad') return { cut: 1, between: '' }
  if (conjunctions.has(after)) return { cut: 0, between: ' ' }
  const first = before.toLowerCase().split('-').at(-1) ?? ''
  const capitals = before.length > 1 && (before + after).toUpperCase() === before + after
  const keeps = after[0] !== after[0]?.toLowerCase() && !capitals
  if (keeps || /\p{N}$/u.test(first) || before.length === 1) return { cut: 0, between: '' }
  const second = after.toLowerCase()
  const joined = vocabulary.words.has(first + second)
  const compound = vocabulary.words.has(`${first}-${second}`) || (prefixes.has(first) && !joined)
  return { cut: compound && !joined ? 0 : 1, between: '' }
}
