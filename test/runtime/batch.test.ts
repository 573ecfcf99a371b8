import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { writeBehind, batch, batchByKey, batchLoad } from '../../src/runtime/batch.ts'

describe('batching calls', () => {
  test('calls with different keys are in different batches, which do not wait for each other', async () => {
    const rounds: string[][] = []
    const { promise: release, resolve: go } = Promise.withResolvers<void>()
    const run = batchByKey(
      (input: string) => input.slice(0, 1),
      async (inputs) => {
        rounds.push([...inputs])
        if (inputs[0] === 'a1') await release
        return inputs.map((input) => input.toUpperCase())
      },
    )
    const slow = [run('a1'), run('a2')]
    expect(await Promise.all([run('b1'), run('b2')])).toEqual(['B1', 'B2'])
    const later = run('a3')
    go()
    expect(await Promise.all([...slow, later])).toEqual(['A1', 'A2', 'A3'])
    expect(rounds).toEqual([['a1', 'a2'], ['b1', 'b2'], ['a3']])
  })

  test('calls of the same moment form one batch, each with its own result', async () => {
    const rounds: number[][] = []
    const double = batch(async (inputs: readonly number[]) => {
      rounds.push([...inputs])
      return inputs.map((input) => input * 2)
    })
    expect(await Promise.all([1, 2, 3].map(double))).toEqual([2, 4, 6])
    expect(rounds).toEqual([[1, 2, 3]])
  })

  test('a call never joins a batch that has started: its result is not older than the call', async () => {
    let state = 'before'
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const { promise: release, resolve: go } = Promise.withResolvers<void>()
    const read = batch(async (inputs: readonly string[]) => {
      const seen = state
      begin()
      await release
      return inputs.map(() => seen)
    })
    const early = read('early')
    await begun
    state = 'after'
    const late = read('late')
    go()
    expect(await early).toBe('before')
    expect(await late).toBe('after')
  })

  test('batches run one at a time; calls that wait form the next one', async () => {
    let underWay = 0
    const rounds: number[] = []
    const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const run = batch(async (inputs: readonly number[]) => {
      expect(++underWay).toBe(1)
      rounds.push(inputs.length)
      begun.resolve()
      await released.promise
      await delay(1)
      underWay -= 1
      return inputs
    })
    const first = run(0)
    await begun.promise
    const rest = Promise.all(Array.from({ length: 1000 }, (_, i) => run(i)))
    released.resolve()
    expect(await first).toBe(0)
    expect(await rest).toEqual(Array.from({ length: 1000 }, (_, i) => i))
    expect(rounds).toEqual([1, 256, 256, 256, 232])
  })

  test('a failing batch fails only its own calls', async () => {
    let fail = true
    const run = batch(async (inputs: readonly number[]) => {
      if (fail) throw new Error('no store')
      return inputs
    })
    const results = await Promise.allSettled([run(1), run(2)])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    fail = false
    expect(await run(3)).toBe(3)
  })

  test('lookups request each key once and get their own rows', async () => {
    const asked: string[][] = []
    const find = batchLoad(async (keys) => {
      asked.push([...keys])
      return keys.filter((key) => key !== 'missing').map((_id) => ({ _id }))
    })
    const [a, b, none] = await Promise.all([find(['x', 'y', 'x']), find(['y', 'missing']), find([])])
    expect(a).toEqual([{ _id: 'x' }, { _id: 'y' }])
    expect(b).toEqual([{ _id: 'y' }])
    expect(none).toEqual([])
    expect(asked).toEqual([['x', 'y', 'missing']])
  })
})

describe('writing behind', () => {
  test('passes inputs on together, a moment after the first one', async () => {
    const rounds: number[][] = []
    const handed = Promise.withResolvers<void>()
    const { add: give } = writeBehind(
      async (inputs: readonly number[]) => {
        rounds.push([...inputs])
        handed.resolve()
      },
      { delayMs: 5, onError: expect.fail },
    )
    for (const input of [1, 2, 3]) give(input)
    expect(rounds).toEqual([])
    await handed.promise
    expect(rounds).toEqual([[1, 2, 3]])
  })

  test('passes them on at once for a caller that flushes, one batch at a time', async () => {
    const [begun, ended]: [number[][], number[][]] = [[], []]
    const release = Promise.withResolvers<void>()
    const { add: give, flush: settled } = writeBehind(
      async (inputs: readonly number[]) => {
        begun.push([...inputs])
        await release.promise
        ended.push([...inputs])
      },
      { delayMs: 3_600_000, onError: expect.fail },
    )
    give(1)
    const first = settled()
    await delay(0)
    give(2)
    const second = settled()
    await delay(0)
    expect(begun).toEqual([[1]])
    release.resolve()
    await first
    expect(ended).toEqual([[1]])
    await second
    expect(ended).toEqual([[1], [2]])
    await settled()
    expect(begun).toHaveLength(2)
  })

  test('reports a failed batch, and the next one continues', async () => {
    const failures: unknown[] = []
    const kept: string[] = []
    const { add: give, flush: settled } = writeBehind(
      async (inputs: readonly string[]) => {
        if (inputs.includes('bad')) throw new Error('no store')
        kept.push(...inputs)
      },
      { delayMs: 0, onError: (error) => failures.push(error) },
    )
    give('bad')
    await settled()
    give('good')
    await settled()
    expect(failures).toEqual([new Error('no store')])
    expect(kept).toEqual(['good'])
  })
})
