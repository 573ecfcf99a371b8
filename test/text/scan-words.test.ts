import { expect, test } from 'vitest'
import { nextWord, releaseUnits, takeUnits } from '../../src/text/words/scan-words.ts'

/** The definition of a word: `C++` or `C#`; otherwise letters, digits and their marks, with an English contraction. */
const wordPattern =
  /(?<![\p{L}\p{N}])\p{L}(?:\+\+|#)(?![\p{L}\p{N}+#])|[\p{L}\p{N}\p{M}\p{Cf}]+(?:['’ʼ](?:s|t|d|m|re|ve|ll)(?![\p{L}\p{N}]))?/giu

const pieces = [..."aZ9é'’ʼ+#Cst.-_ \u0301\u00ad\u02bc𝒜😀ก漢\ud800\udc00ſK", 'll', "don't", 'C++', 'C#', 're', '\ud835']

/** Makes a text of some pieces. The same seed gives the same text. */
function madeText(seed: number): string {
  let rest = seed * 48_271 + 11
  return Array.from({ length: 1 + (seed % 14) }, () => {
    rest = (rest * 16_807) % 2_147_483_647
    return pieces[rest % pieces.length]
  }).join('')
}

test('the words of a text are those that the pattern finds, in any mixture of letters, marks and surrogates', () => {
  for (let seed = 0; seed < 20_000; seed++) {
    const text = madeText(seed)
    const scan = { start: 0, end: 0, hash: 0 }
    const found: [number, number][] = []
    const source = takeUnits(text)
    while (nextWord(source, scan)) found.push([scan.start, scan.end])
    const expected = [...text.matchAll(wordPattern)].map(({ 0: word, index }) => [index, index + word.length])
    expect(found, JSON.stringify(text)).toEqual(expected)
  }
})

test('equal words have equal hashes at any place', () => {
  const text = "whale don't, (whale) don't"
  const scan = { start: 0, end: 0, hash: 0 }
  const hashes: number[] = []
  const source = takeUnits(text)
  while (nextWord(source, scan)) hashes.push(scan.hash)
  expect(hashes.slice(0, 2)).toEqual(hashes.slice(2))
  expect(hashes[0]).not.toBe(hashes[1])
})

test('texts that are read at the same time have separate buffers, and released buffers are reused', () => {
  const texts = ['one whale', 'ein Wal und ein Schiff', 'кит 漢字 😀 a', '', 'x'.repeat(70_000)]
  const wordsOf = (source: ReturnType<typeof takeUnits>) => {
    const scan = { start: 0, end: 0, hash: 0 }
    const words: string[] = []
    while (nextWord(source, scan)) words.push(source.text.slice(scan.start, scan.end))
    return words
  }
  const expected = texts.map((text) => text.match(/[\p{L}\p{N}]+/gu) ?? [])
  for (let round = 0; round < 2; round++) {
    const sources = texts.map((text) => takeUnits(text))
    expect(sources.map(wordsOf)).toEqual(expected)
    for (const source of sources) releaseUnits(source)
  }
  const short = takeUnits('a b')
  expect(wordsOf(short)).toEqual(['a', 'b'])
})
