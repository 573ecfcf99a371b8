import { expect, test } from 'vitest'
import type { Posting } from '../../src/search/words/page-index.ts'
import { parseQuery, type Query } from '../../src/search/query/parse-query.ts'
import { maxProximity, preparePage, proximityScore } from '../../src/search/ranking/proximity.ts'
import { newSearchWork } from '../../src/search/ranking/search-work.ts'
import { randomFrom } from '../../bench/search-queries.ts'

const random = randomFrom(7)

function makePosting(): Posting | undefined {
  if (random() < 0.3) return undefined
  const positions = Array.from({ length: 1 + Math.floor(random() * 4) }, () => Math.floor(random() * 60))
  positions.sort((a, b) => a - b)
  return { ordinal: 0, count: positions.length, inHeading: false, weight: 1, at: 0, bytes: new Uint8Array(), positions }
}

function makePostingAt(position: number): Posting {
  return { ordinal: 0, count: 1, inHeading: false, weight: 1, at: 0, bytes: new Uint8Array(), positions: [position] }
}

test('the proximity score never exceeds its upper bound', () => {
  const { signal } = new AbortController()
  let reached = 0
  for (let nth = 0; nth < 2000; nth++) {
    const postings = Array.from({ length: 5 }, makePosting)
    const weights = postings.map(() => random() * 8)
    const concepts = postings.map((_, position) => ({ position, phraseOnly: random() < 0.1, pair: random() < 0.3 }))
    const query = { concepts } as unknown as Query
    const score = proximityScore(preparePage(postings, newSearchWork(signal)), query, { weights, norm: 1 })
    const most = maxProximity(postings, query, { weights, norm: 1 })
    expect(score).toBeLessThanOrEqual(most)
    if (score > 0 && score === most) reached++
  }
  expect(reached).toBeGreaterThan(0)
})

test.for([
  ['ファイル', 2],
  ['노트북', 1.5],
  ['言語', 1],
  ['言語 言語', 2],
  ['library', 1],
] as const)('the pairs of characters of %s count as much as those that do not overlap: %d', ([text, count]) => {
  const counts = parseQuery(text).concepts.map((concept) => concept.count)
  expect(counts.reduce((sum, each) => sum + each, 0)).toBeCloseTo(count)
})

test('pairs of characters that share a character are not close words', () => {
  const { signal } = new AbortController()
  const scoreOf = (text: string, positions: number[]) =>
    proximityScore(preparePage(positions.map(makePostingAt), newSearchWork(signal)), parseQuery(text), {
      weights: positions.map(() => 2),
      norm: 1,
    })
  expect(scoreOf('ファイル', [0, 1, 2])).toBe(0)
  expect(scoreOf('言語 学習', [0, 2])).toBe(1)
  expect(scoreOf('red fox', [0, 1])).toBe(1)
})

test('close words count less on a longer page, which has any two words close together somewhere', () => {
  const { signal } = new AbortController()
  const words = preparePage([0, 1].map(makePostingAt), newSearchWork(signal))
  const scoreOf = (norm: number) => proximityScore(words, parseQuery('red fox'), { weights: [1, 1], norm })
  expect([scoreOf(1), scoreOf(3)]).toEqual([0.5, 0.25])
})
