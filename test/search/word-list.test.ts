import { describe, expect, test } from 'vitest'
import { editDistance } from '../../src/text/words/edit-distance.ts'
import { finishSteps } from '../../src/runtime/turns.ts'
import { shardOf } from '../../src/search/words/shards.ts'
import {
  beginningHash,
  buildWordRows,
  encodeWords,
  endHash,
  forEachWord,
  type ListedWord,
} from '../../src/search/words/word-list.ts'

function wordsOf(row: Uint8Array): ListedWord[] {
  const words: ListedWord[] = []
  forEachWord(row, (word, count, termOf) => words.push({ word, term: termOf(), count }))
  return words
}

const sortWords = (words: readonly ListedWord[]) =>
  words.toSorted((a, b) => (`${a.word} ${a.term}` < `${b.word} ${b.term}` ? -1 : 1))

describe('a row of words', () => {
  test('returns every word with its term and its count, in every script', () => {
    const words = sortWords([
      { word: 'whale', term: 'whale', count: 1 },
      { word: 'whales', term: 'whale', count: 300 },
      { word: 'flies', term: 'fli', count: 2 },
      { word: 'dying', term: 'die', count: 2 },
      { word: 'китов', term: 'кит', count: 70_000 },
      { word: 'φύσις'.normalize('NFD'), term: 'φυσ', count: 5 },
      { word: 'word', term: 'anothertermaltogether', count: 5 },
      { word: 'a'.repeat(40), term: 'a'.repeat(40), count: 3 },
      { word: '𐐨𐐩𐐪', term: '𐐨𐐩𐐪', count: 3 },
      // The same word occurs in books of two languages.
      { word: 'chats', term: 'chat', count: 3 },
      { word: 'chats', term: 'chats', count: 4 },
    ])
    expect(wordsOf(encodeWords(words))).toEqual(words)
  })
})

/** Makes words of at least two syllables. */
function madeWords(count: number): string[] {
  const syllables = [
    'ba',
    'ce',
    'dif',
    'go',
    'hun',
    'ka',
    'lem',
    'mi',
    'nor',
    'pu',
    'qua',
    'ri',
    'sto',
    'ta',
    'vel',
    'xy',
  ]
  return Array.from({ length: count }, (_, at) => {
    let word = ''
    for (let rest = at + 20; rest > 0; rest = Math.floor(rest / syllables.length))
      word += syllables[rest % syllables.length]
    return word
  })
}

test('two rows by beginning and two by end contain every word with one typo', () => {
  const words = madeWords(20_000)
  const listed = words.map((word) => ({ word, term: word, count: 1 }))
  const { bits, rows } = finishSteps(buildWordRows(sortWords(listed)))
  expect(bits).toBeGreaterThan(3)
  const byShard = new Map(rows.map(({ shard, bytes }) => [shard, new Set(wordsOf(bytes).map(({ word }) => word))]))
  const lookedUp = (typed: string) =>
    [2, 3].flatMap((length) => [
      byShard.get(shardOf(beginningHash(typed.slice(0, length)), bits)),
      byShard.get(shardOf(endHash(typed.slice(-length)), bits)),
    ])
  for (const [at, word] of words.entries()) {
    if (at % 37 !== 0 || word.length < 5) continue
    for (let letter = 0; letter < word.length; letter++) {
      const [before, after] = [word.slice(0, letter), word.slice(letter + 1)]
      const swapped = before + (after[0] ?? '') + word[letter] + after.slice(1)
      for (const typed of [before + after, `${before}z${after}`, `${before}z${word[letter]}${after}`, swapped]) {
        expect(
          lookedUp(typed).some((row) => row?.has(word)),
          `${word} typed as ${typed}`,
        ).toBe(true)
      }
    }
  }
})

/** The edit distance by its definition, without a limit. */
function plainDistance(one: string, other: string): number {
  const rows = Array.from({ length: one.length + 1 }, (_, at) => [at, ...Array<number>(other.length).fill(0)])
  const cell = (row: number, column: number) => rows[row]?.[column] as number
  for (let column = 0; column <= other.length; column++) (rows[0] as number[])[column] = column
  for (let row = 1; row <= one.length; row++) {
    for (let column = 1; column <= other.length; column++) {
      const changed = cell(row - 1, column - 1) + (one[row - 1] === other[column - 1] ? 0 : 1)
      let least = Math.min(changed, cell(row - 1, column) + 1, cell(row, column - 1) + 1)
      if (row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1])
        least = Math.min(least, cell(row - 2, column - 2) + 1)
      ;(rows[row] as number[])[column] = least
    }
  }
  return cell(one.length, other.length)
}

test('the edit distance of words is as defined, up to the limit', () => {
  const letters = ['a', 'b', 'c']
  const words = Array.from({ length: 3 ** 5 }, (_, at) =>
    Array.from({ length: 1 + (at % 6) }, (__, place) => letters[Math.floor(at / 3 ** place) % 3]).join(''),
  )
  for (const one of words) {
    for (const other of words) {
      const distance = plainDistance(one, other)
      for (const limit of [1, 2]) {
        const measured = editDistance(one, other, limit)
        if (distance <= limit) expect(measured, `${one} ${other}`).toBe(distance)
        else expect(measured, `${one} ${other}`).toBeGreaterThan(limit)
      }
    }
  }
})
