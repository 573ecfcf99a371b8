import { expect, test } from 'vitest'
import { entryOf, hasCachedUnit, cachedTerm, numberUnits, cacheEntry } from '../../src/search/ranking/posting-cache.ts'

let hashes = 1_000_000

function numberOf(id: string): number {
  return numberUnits(undefined, () => [id]).numbers[0] as number
}

function bytesOf(term: ReturnType<typeof cachedTerm>, unit: number): number[] | null {
  const entry = entryOf(term, unit)
  return entry && [...term.bytes.subarray(entry.start, entry.end)]
}

test('an entry is cached for its unit only', () => {
  const term = cachedTerm(hashes++)
  const units = Array.from({ length: 500 }, (_, at) => numberOf(`book:unit${at}`))
  for (const [at, unit] of units.entries()) {
    expect(hasCachedUnit(term, unit)).toBe(false)
    if (at % 3 < 2) cacheEntry(term, unit, at % 3 === 0 ? Uint8Array.of(at % 256, 1, 2) : null)
  }
  for (const [at, unit] of units.entries()) {
    expect([at, hasCachedUnit(term, unit)]).toEqual([at, at % 3 < 2])
    expect(bytesOf(term, unit)).toEqual(at % 3 === 0 ? [at % 256, 1, 2] : null)
  }
})

test('clearing the cache gives a unit a new number that was never used', () => {
  const hash = hashes++
  const [kept, unit] = [cachedTerm(hash), numberOf('kept:unit')]
  cacheEntry(kept, unit, Uint8Array.of(7))
  expect(numberOf('kept:unit')).toBe(unit)
  const numbers = new Set([unit])
  for (let at = 0; at < 70_000; at++) numbers.add(numberOf(`other${at}:unit`))
  expect(numbers.size).toBe(70_001)
  // A search that began before uses the entries that it has.
  expect(bytesOf(kept, unit)).toEqual([7])
  const later = numberOf('kept:unit')
  expect(later).not.toBe(unit)
  expect(hasCachedUnit(kept, later)).toBe(false)
  // A search that begins later does not confuse the old number with the new one.
  const term = cachedTerm(hash)
  expect(hasCachedUnit(term, unit)).toBe(false)
  cacheEntry(term, unit, null)
  expect([hasCachedUnit(term, unit), bytesOf(term, unit)]).toEqual([true, null])
  cacheEntry(term, later, Uint8Array.of(8, 9))
  expect(bytesOf(term, later)).toEqual([8, 9])
})

test('evicts unused terms when the cache is full', () => {
  const first = hashes++
  const unit = numberOf('large:unit')
  cacheEntry(cachedTerm(first), unit, Uint8Array.of(1))
  const entry = new Uint8Array(1 << 20)
  for (let nth = 0; nth < 40; nth++) cacheEntry(cachedTerm(hashes++), unit, entry)
  expect(hasCachedUnit(cachedTerm(first), unit)).toBe(false)
})
