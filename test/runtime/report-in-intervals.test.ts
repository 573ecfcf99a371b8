import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { reportInIntervals } from '../../src/runtime/report-in-intervals.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('the first event is reported at once, and those of each following interval together with the last of them', () => {
  const reports: [number, string][] = []
  const note = reportInIntervals<string>((count, last) => reports.push([count, last]), 1000)
  note('a')
  expect(reports).toEqual([[1, 'a']])
  note('b')
  note('c')
  vi.advanceTimersByTime(999)
  expect(reports).toHaveLength(1)
  vi.advanceTimersByTime(1)
  expect(reports).toEqual([
    [1, 'a'],
    [2, 'c'],
  ])
})

test('after an interval without events, the next one is reported at once', () => {
  const reports: number[] = []
  const note = reportInIntervals((count) => reports.push(count), 1000)
  note()
  vi.advanceTimersByTime(5000)
  expect(reports).toEqual([1])
  note()
  expect(reports).toEqual([1, 1])
})
