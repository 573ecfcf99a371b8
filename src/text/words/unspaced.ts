import { fold } from './fold.ts'
import { unspacedPattern } from './scripts.ts'
import type { Language } from './languages.ts'
import { visitWord, wordsPerStep, type Token, type Visit } from './token.ts'
import { analyseWord } from './word-cache.ts'

const stretchPattern = new RegExp(`(?:${unspacedPattern.source}\\p{M}*)+|(?:(?!${unspacedPattern.source}).)+`, 'gsu')
const characterPattern = /[^\p{M}\uff9e\uff9f][\p{M}\uff9e\uff9f]*/gu

type Start = Pick<Token, 'start' | 'position'>

interface Options {
  visit: Visit
  language: Language
}

/** Visits the words of a text with characters of a script without spaces, in steps. Returns the next position. */
export function* analyseUnspaced(raw: string, at: Start, { visit, language }: Options): Generator<void, number> {
  let { position } = at
  for (const { 0: stretch, index } of raw.matchAll(stretchPattern)) {
    const start = at.start + index
    if (!unspacedPattern.test(stretch)) {
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

function* visitCharacters(stretch: string, at: Start, visit: Visit): Generator<void, number> {
  let { position } = at
  let before: { folded: string; start: number } | null = null
  for (const { 0: character, index } of stretch.matchAll(characterPattern)) {
    if (position % wordsPerStep === 0) yield
    const start = at.start + index
    const end = start + character.length
    const folded = fold(character)
    if (before) {
      const term = before.folded + folded
      visit({ term, word: term, position: position - 1, start: before.start, end, kind: 'bigram' })
    }
    visit({ term: folded, word: folded, position, start, end, kind: 'unigram' })
    before = { folded, start }
    position++
  }
  return position
}
