import { expect, test } from 'vitest'
import { createRowCache } from '../../src/search/index/row-cache.ts'

/** Creates stored rows, and records which ids are read. */
function createStored(rows: Record<string, number[]>) {
  const read: string[][] = []
  async function* load(ids: string[]) {
    read.push(ids)
    for (const id of ids) if (rows[id]) yield { _id: id, d: Uint8Array.from(rows[id]) }
  }
  return { rows, read, load }
}

test('a row is read from the store once, and only missing rows are loaded', async () => {
  const stored = createStored({ a: [1], b: [2], c: [3] })
  const cache = createRowCache(10_000)
  expect(await cache.read(['a', 'b', 'a'], stored.load)).toEqual(new Map(Object.entries({ a: [1], b: [2] }).map(toRow)))
  expect([...(await cache.read(['c', 'b'], stored.load)).keys()].sort()).toEqual(['b', 'c'])
  await cache.read(['a', 'b', 'c'], stored.load)
  expect(stored.read).toEqual([['a', 'b'], ['c']])
})

test('a row that does not exist yet is loaded again', async () => {
  const stored = createStored({})
  const cache = createRowCache(10_000)
  expect((await cache.read(['a'], stored.load)).size).toBe(0)
  stored.rows['a'] = [7]
  expect(await cache.read(['a'], stored.load)).toEqual(new Map([toRow(['a', [7]])]))
})

test('passed rows are not cached, but come from the cache if they are in it', async () => {
  const stored = createStored({ a: [1], b: [2] })
  const cache = createRowCache(10_000)
  await cache.read(['a'], stored.load)
  expect([...(await cache.pass(['a', 'b'], stored.load)).keys()].sort()).toEqual(['a', 'b'])
  await cache.read(['b'], stored.load)
  expect(stored.read).toEqual([['a'], ['b'], ['b']])
})

test('evicts rows beyond its maximum size', async () => {
  const stored = createStored({ a: Array.from({ length: 400 }, () => 1), b: Array.from({ length: 400 }, () => 2) })
  const cache = createRowCache(1000)
  await cache.read(['a'], stored.load)
  await cache.read(['b'], stored.load)
  await cache.read(['a'], stored.load)
  expect(stored.read).toEqual([['a'], ['b'], ['a']])
})

function toRow([id, bytes]: [string, number[]]): [string, Uint8Array] {
  return [id, Uint8Array.from(bytes)]
}
