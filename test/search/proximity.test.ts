import { expect, test } from 'vitest'
import type { Posting } from '../../src/search/words/page-index.ts'
import type { Query } from '../../src/search/query/parse-query.ts'
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

test('the proximity score never exceeds its upper bound', () => {
  const { signal } = new AbortController()
  let reached = 0
  for (let nth = 0; nth < 2000; nth++) {
    const postings = Array.from({ length: 5 }, makePosting)
    const weights = postings.map(() => random() * 8)
    const concepts = postings.map((_, position) => ({ position, phraseOnly: random() < 0.1 }))
    const query = { concepts } as unknown as Query
    const score = proximityScore(preparePage(postings, newSearchWork(signal)), query, weights)
    const most = maxProximity(postings, query, weights)
    expect(score).toBeLessThanOrEqual(most)
    if (score > 0 && score === most) reached++
  }
  expect(reached).toBeGreaterThan(0)
})
