import { expect, test } from 'vitest'
import { createHashNumbers, hasHash, numberOfHash, sortHashes } from '../../src/search/words/hash-numbers.ts'

test('hashes are numbered in the order in which they are added, even if their lower bits are equal', () => {
  const table = createHashNumbers()
  const hashes = Array.from({ length: 5000 }, (_, at) =>
    at % 2 === 0 ? (at << 20) >>> 0 : Math.imul(at, 2654435761) >>> 0,
  )
  const numbers = new Map<number, number>()
  for (const hash of [...hashes, 0, 0xffffffff, ...hashes]) {
    if (!numbers.has(hash)) numbers.set(hash, numbers.size)
    expect(numberOfHash(table, hash)).toBe(numbers.get(hash))
  }
  for (const hash of numbers.keys()) expect(hasHash(table, hash)).toBe(true)
  for (let hash = 1; hash < 5000; hash++) expect(hasHash(table, hash)).toBe(numbers.has(hash))
  const inOrder = [...numbers].sort(([a], [b]) => a - b)
  const sorted = sortHashes(table)
  expect([...sorted.hashes]).toEqual(inOrder.map(([hash]) => hash))
  expect([...sorted.numbers]).toEqual(inOrder.map(([, number]) => number))
})

test('an empty table has no hashes', () => {
  expect(sortHashes(createHashNumbers()).hashes).toHaveLength(0)
  expect(hasHash(createHashNumbers(), 0)).toBe(false)
})
