import { fold } from './fold.ts'
import { unspacedPattern } from './scripts.ts'
import type { Language } from './languages.ts'
import { visitWord, wordsPerStep, type Token, type Visit } from './token.ts'
import { analyseWord } from './word-cache.ts'

/** Properties of a character, as bits. */
const [unspaced, extender, other] = [1, 2, 4]
/** The properties of each UTF-16 unit, determined when it first occurs; 0: not determined yet. */
const properties = new Uint8Array(0x10000)
/** Characters that belong to the character before them. */
const extenderPattern = /[\p{M}\uff9e\uff9f]/u

function propertiesOf(character: string): number {
  return (unspacedPattern.test(character) ? unspaced : 0) | (extenderPattern.test(character) ? extender : 0) || other
}

/** Returns the properties of the character at an offset. */
function propertiesAt(text: string, at: number): number {
  if (widthAt(text, at) === 2) return propertiesOf(text.slice(at, at + 2))
  const unit = text.charCodeAt(at)
  return (properties[unit] ||= propertiesOf(String.fromCharCode(unit)))
}

/** Returns the number of UTF-16 units of the character at an offset. */
function widthAt(text: string, at: number): number {
  return isSurrogate(text.charCodeAt(at), 0xd800) && isSurrogate(text.charCodeAt(at + 1), 0xdc00) ? 2 : 1
}

/** Whether a UTF-16 unit is one of the 1,024 surrogates from `first`. */
function isSurrogate(unit: number, first: number): boolean {
  return unit >= first && unit < first + 0x400
}

/**
 * Returns the end of a stretch: characters of scripts without spaces, with the marks after them, or other characters, with theirs.
 */
function endOfStretch(text: string, from: number): number {
  const isUnspaced = (propertiesAt(text, from) & unspaced) !== 0
  let at = from
  for (; at < text.length; at += widthAt(text, at)) {
    const found = propertiesAt(text, at)
    if (isUnspaced ? found === other : (found & unspaced) !== 0) break
  }
  return at
}

type Start = Pick<Token, 'start' | 'position'>

interface Options {
  visit: Visit
  language: Language
}

/** Visits the words of a text with characters of a script without spaces, in steps. Returns the next position. */
export function* analyseUnspaced(raw: string, at: Start, { visit, language }: Options): Generator<void, number> {
  let { position } = at
  for (let from = 0; from < raw.length;) {
    const end = endOfStretch(raw, from)
    const stretch = raw.slice(from, end)
    const start = at.start + from
    const isUnspaced = (propertiesAt(raw, from) & unspaced) !== 0
    from = end
    if (!isUnspaced) {
      const analysed = analyseWord(stretch, language)
      if (analysed.word === '') continue
      visitWord(analysed, { position, start, end: start + stretch.length }, visit)
      position += Math.max(1, analysed.parts.length)
      continue
    }
    const visitStretch = dictionaryPattern.test(stretch) ? visitSegments : visitCharacters
    position = yield* visitStretch(stretch, { start, position }, visit)
  }
  return position
}

/** Scripts whose words are found with a dictionary, because single characters or pairs of them mean little. */
const dictionaryPattern = /^[\p{sc=Thai}\p{sc=Lao}\p{sc=Myanmar}\p{sc=Khmer}]/u
const segmenter = new Intl.Segmenter('th', { granularity: 'word' })

function* visitSegments(stretch: string, at: Start, visit: Visit): Generator<void, number> {
  let { position } = at
  for (const { segment, index, isWordLike } of segmenter.segment(stretch)) {
    if (position % wordsPerStep === 0) yield
    const term = isWordLike ? fold(segment) : ''
    if (term === '') continue
    const start = at.start + index
    visit({ term, word: term, position, start, end: start + segment.length, kind: 'word' })
    position++
  }
  return position
}

/** The folded form of each character of one UTF-16 unit that occurred. */
const foldedUnits: (string | undefined)[] = Array.from({ length: 0x10000 })

function* visitCharacters(stretch: string, at: Start, visit: Visit): Generator<void, number> {
  let { position } = at
  let before: { folded: string; start: number } | null = null
  let from = 0
  while (from < stretch.length && propertiesAt(stretch, from) & extender) from += widthAt(stretch, from)
  while (from < stretch.length) {
    if (position % wordsPerStep === 0) yield
    let to = from + widthAt(stretch, from)
    while (to < stretch.length && propertiesAt(stretch, to) & extender) to += widthAt(stretch, to)
    const folded =
      to - from === 1
        ? (foldedUnits[stretch.charCodeAt(from)] ??= fold(stretch[from] as string))
        : fold(stretch.slice(from, to))
    const [start, end] = [at.start + from, at.start + to]
    if (before) {
      const term = before.folded + folded
      visit({ term, word: term, position: position - 1, start: before.start, end, kind: 'bigram' })
    }
    visit({ term: folded, word: folded, position, start, end, kind: 'unigram' })
    before = { folded, start }
    position++
    from = to
  }
  return position
}
