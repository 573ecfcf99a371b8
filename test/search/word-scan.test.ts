import { expect, test } from 'vitest'
import { editDistance } from '../../src/text/words/edit-distance.ts'
import { encodeWords, forEachWord, type ListedWord } from '../../src/search/words/word-list.ts'
import { finishSteps } from '../../src/runtime/turns.ts'
import { forEachLikeWord, isCompoundOf, scanWords, type ScanFor } from '../../src/search/words/word-scan.ts'

/** Makes words of one to nine letters, with terms that a stemmer may produce. */
function makeWords(letters: string, count: number): ListedWord[] {
  const words = new Set<string>()
  for (let at = 1; at <= count; at++) {
    let word = ''
    for (let rest = at * 7919; rest > 0 && word.length < 9; rest = Math.floor(rest / letters.length))
      word += letters[rest % letters.length]
    words.add(word)
  }
  return [...words].sort().map((word, at) => {
    const term = at % 3 === 0 ? word : `${word.slice(0, -1)}${at % 2 === 0 ? 'y' : ''}`
    return { word, term, count: 1 + (at % 200) }
  })
}

function visitLikeWords(row: Uint8Array, scanFor: ScanFor, visit: Parameters<typeof forEachLikeWord>[2]): void {
  finishSteps(forEachLikeWord(finishSteps(scanWords(row)), scanFor, visit))
}

function isAsked(listed: string, { word, edits, completes, isPart }: ScanFor): boolean {
  if (isPart && isCompoundOf(listed, word)) return true
  if (completes && listed.length > word.length && listed.startsWith(word)) return true
  return edits > 0 && editDistance(listed, word, edits) <= edits
}

test.for([
  ['Latin', 'abcdefghimnorstu', 'bandage'],
  ['Cyrillic', 'абвгдежзикл', 'вагабид'],
  ['few letters', 'ab', 'abbab'],
] as const)(
  'a scan finds the same similar words and completions as a full read of the row: %s',
  ([, letters, base]) => {
    const row = encodeWords(makeWords(letters, 3000))
    const swapped = `${base[1]}${base[0]}${base.slice(2)}`
    const asked = [base, base.slice(1), swapped, base.slice(0, 3), `${base}${letters.slice(0, 2)}`, '']
    for (const word of asked) {
      for (const edits of [0, 1, 2]) {
        for (const [completes, isPart] of [
          [false, false],
          [true, false],
          [false, true],
          [true, true],
        ] as const) {
          const query = { word, edits, completes, isPart }
          const [all, found]: ListedWord[][] = [[], []]
          forEachWord(row, (listed, count, term) => {
            if (isAsked(listed, query)) all?.push({ word: listed, count, term: term() })
          })
          visitLikeWords(row, query, (listed, count, term) => {
            if (isAsked(listed, query)) found?.push({ word: listed, count, term: term() })
          })
          expect(found, JSON.stringify(query)).toEqual(all)
        }
      }
    }
  },
)

test('a scan visits few other words', () => {
  const row = encodeWords(makeWords('abcdefghimnorstu', 3000))
  let seen = 0
  visitLikeWords(row, { word: 'bandages', edits: 2, completes: false, isPart: true }, () => seen++)
  expect(seen).toBeLessThan(300)
})
