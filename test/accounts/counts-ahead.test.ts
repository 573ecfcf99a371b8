import { expect, test } from 'vitest'
import { createCountsAhead } from '../../src/accounts/counts-ahead.ts'

/** A window whose count is in a store that several processes write to. */
function createWindow() {
  const window = { count: 0, changes: 0, writes: 0, endsAt: performance.now() + 60_000 }
  return {
    window,
    async add(calls: number) {
      await new Promise(setImmediate)
      window.count += calls
      window.changes++
      window.writes++
      return { count: window.count, remainingMs: window.endsAt - performance.now() }
    },
  }
}

type Window = ReturnType<typeof createWindow>

function createProcess({ window, add }: Window, limit: number, isNotified = true) {
  const ahead = createCountsAhead(() => (isNotified ? window.changes : null))
  return async () => {
    const now = performance.now()
    const { count } = ahead.take('key', now) ?? (await ahead.count({ key: 'key', limit, now }, add))
    return count
  }
}

test('the calls of one process get their numbers, with few writes', async () => {
  const store = createWindow()
  const call = createProcess(store, 300)
  const counts: number[] = []
  for (let nth = 0; nth < 300; nth++) counts.push(await call())
  expect(counts).toEqual(Array.from({ length: 300 }, (_, at) => at + 1))
  // The first 150 calls are counted in blocks of eight, the rest one by one.
  expect(store.window.writes).toBeLessThan(1 + 150 / 8 + 152)
})

test('concurrent calls are admitted up to the limit and no further', async () => {
  const store = createWindow()
  const call = createProcess(store, 300)
  const counts: number[] = []
  while (counts.length < 400) counts.push(...(await Promise.all(Array.from({ length: 20 }, call))))
  expect(counts.filter((count) => count <= 300)).toHaveLength(300)
  expect(new Set(counts).size).toBe(400)
})

test('several processes never admit more than the limit, and miss few calls', async () => {
  const store = createWindow()
  const calls = [createProcess(store, 300), createProcess(store, 300), createProcess(store, 300, false)]
  let admitted = 0
  for (let nth = 0; nth < 600; nth++) if (((await calls[nth % 3]?.()) as number) <= 300) admitted++
  expect(admitted).toBeLessThanOrEqual(300)
  expect(admitted).toBeGreaterThanOrEqual(300 - 2 * 8)
})

test('small limits are counted call by call', async () => {
  const store = createWindow()
  const call = createProcess(store, 60)
  for (let nth = 0; nth < 10; nth++) await call()
  expect(store.window.writes).toBe(10)
})

test('a process that is not notified of changes counts call by call', async () => {
  const store = createWindow()
  const call = createProcess(store, 300, false)
  for (let nth = 0; nth < 10; nth++) await call()
  expect(store.window.writes).toBe(10)
})

test('reserved calls end with their window', async () => {
  const store = createWindow()
  store.window.endsAt = performance.now() + 50
  const call = createProcess(store, 300)
  await call()
  await call()
  expect(store.window.count).toBe(9)
  await new Promise((resolve) => setTimeout(resolve, 60))
  store.window.count = 0
  store.window.endsAt = performance.now() + 60_000
  expect(await call()).toBe(1)
})

test('a failed write rejects only the call that made it', async () => {
  const store = createWindow()
  const ahead = createCountsAhead(() => store.window.changes)
  const call = (add: Window['add']) => ahead.count({ key: 'key', limit: 300, now: performance.now() }, add)
  await call(store.add)
  const failing = call(() => Promise.reject(new Error('no answer')))
  const waiting = call(store.add)
  await expect(failing).rejects.toThrow('no answer')
  expect((await waiting).count).toBe(2)
})
