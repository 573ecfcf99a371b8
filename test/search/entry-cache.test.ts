import { expect, test } from 'vitest'
import { createEntryCache } from '../../src/search/index/entry-cache.ts'

interface Entry {
  id: string
  ownerId: string
  version: number
}

test('reads the entries of a library once until its stamp changes', async () => {
  const cache = createEntryCache<Entry>(1000, () => 1)
  const loaded: string[][] = []
  let version = 1
  const read = (stamp: string, ids: string[], ownerId = 'owner') =>
    cache.read({ ownerId, stamp }, ids, (missing) => {
      loaded.push(missing)
      return Promise.resolve(missing.map((id) => ({ id, ownerId, version })))
    })
  await read('one', ['a', 'b'])
  version = 2
  expect((await read('one', ['a', 'b', 'c'])).map(({ id, version: of }) => [id, of])).toEqual([
    ['a', 1],
    ['b', 1],
    ['c', 2],
  ])
  expect((await read('two', ['a', 'b', 'c'])).map(({ version: of }) => of)).toEqual([2, 2, 2])
  await read('two', ['a'], 'another')
  expect(loaded).toEqual([['a', 'b'], ['c'], ['a', 'b', 'c'], ['a']])
})

test('reads a whole library ahead only if nothing of it was read before', async () => {
  const cache = createEntryCache<Entry>(1000, () => 1)
  const entry = (id: string, ownerId: string): Entry => ({ id, ownerId, version: 1 })
  const ahead: string[] = []
  const readAhead = (ownerId: string, stamp = 'one') =>
    cache.readAhead({ ownerId, stamp }, () => {
      ahead.push(ownerId)
      return Promise.resolve([entry('a', ownerId), entry('b', ownerId)])
    })
  const missing: string[][] = []
  const read = (stamp: string, ids: string[], ownerId = 'owner') =>
    cache.read({ ownerId, stamp }, ids, (absent) => {
      missing.push(absent)
      return Promise.resolve(absent.map((id) => entry(id, ownerId)))
    })
  await readAhead('owner')
  expect(await read('one', ['a', 'b'])).toEqual([entry('a', 'owner'), entry('b', 'owner')])
  expect(missing).toEqual([])
  await readAhead('owner', 'two')
  await read('two', ['a'])
  expect(missing).toEqual([['a']])
  await read('one', ['c'], 'another')
  await readAhead('another')
  expect(ahead).toEqual(['owner'])
})

test('evicts entries beyond its maximum size', async () => {
  const cache = createEntryCache<Entry>(10, ({ version }) => version)
  let loads = 0
  const read = (id: string, version: number) =>
    cache.read({ ownerId: 'owner', stamp: '' }, [id], () => {
      loads++
      return Promise.resolve([{ id, ownerId: 'owner', version }])
    })
  for (const id of ['a', 'b', 'a', 'b']) await read(id, 5)
  expect(loads).toBe(2)
  await read('c', 6)
  await read('a', 5)
  expect(loads).toBe(4)
})
