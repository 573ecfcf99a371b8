import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { startClock } from '../../../src/db/clock.ts'
import { stores, type OpenStore } from '../../support/stores.ts'

const realNow = () => performance.timeOrigin + performance.now()

describe.for(stores)('the clock of the %s store', ([, open]) => {
  let store: OpenStore
  beforeAll(async () => {
    store = await open()
  })
  afterAll(() => store.close())
  afterEach(() => vi.useRealTimers())

  test('equals the clock of this machine, to the millisecond, if both agree', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: realNow() })
    const warnings: object[] = []
    const { now, stop } = await startClock(store.db, { warn: (fields) => void warnings.push(fields) })
    expect(now().getTime()).toBe(Date.now())
    expect(warnings).toEqual([])
    stop()
  })

  test.for([600_000, -600_000, 40 * 24 * 3_600_000])('is followed if this machine is wrong by %i ms', async (ms) => {
    vi.useFakeTimers({ toFake: ['Date'], now: realNow() + ms })
    const warnings: { offsetMs: number }[] = []
    const { now, stop } = await startClock(store.db, { warn: (fields) => void warnings.push(fields) })
    expect(Math.abs(now().getTime() - realNow())).toBeLessThan(2000)
    expect(warnings).toEqual([{ offsetMs: expect.any(Number) }])
    expect(Math.abs((warnings[0]?.offsetMs ?? 0) + ms)).toBeLessThan(2000)
    stop()
  })

  test.for([3_600_000, -3_600_000])('is followed if the clock of this machine jumps by %i ms', async (ms) => {
    const warnings: { offsetMs: number }[] = []
    const { now, stop } = await startClock(store.db, { warn: (fields) => void warnings.push(fields) })
    vi.useFakeTimers({ toFake: ['Date'], now: realNow() + ms })
    expect(Math.abs(now().getTime() - realNow())).toBeLessThan(2000)
    await vi.waitFor(() => expect(warnings).toEqual([{ offsetMs: expect.any(Number) }]))
    expect(Math.abs((warnings[0]?.offsetMs ?? 0) + ms)).toBeLessThan(2000)
    expect(Math.abs(now().getTime() - realNow())).toBeLessThan(2000)
    stop()
  })
})
