import { expect, onTestFinished, test, vi } from 'vitest'
import { runPeriodically } from '../../src/runtime/run-periodically.ts'

test('a run that takes longer than the interval does not make further runs wait in a line', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const ends: (() => void)[] = []
  const task = runPeriodically(() => new Promise((end) => ends.push(end)), 1000)
  await vi.advanceTimersByTimeAsync(10_500)
  expect(ends).toHaveLength(1)
  ends[0]?.()
  await vi.advanceTimersByTimeAsync(1000)
  expect(ends).toHaveLength(2)
  ends[1]?.()
  await vi.advanceTimersByTimeAsync(400)
  expect(ends).toHaveLength(2)
  await task.stop()
})

test('stop waits for the current run, and no other begins', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const ends: (() => void)[] = []
  const task = runPeriodically(() => new Promise((end) => ends.push(end)), 1000)
  let stopped = false
  const stopping = task.stop().then(() => (stopped = true))
  await vi.advanceTimersByTimeAsync(5000)
  expect(stopped).toBe(false)
  ends[0]?.()
  await stopping
  expect(ends).toHaveLength(1)
})
