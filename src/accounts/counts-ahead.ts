import type { WindowCount } from './window-counter.ts'

/** The state of a rate window as this process last saw it. */
interface KnownWindow {
  /** Calls made in the window, by this and other processes. */
  count: number
  /** Reserved calls: counted in the store, but not made yet. */
  left: number
  /** The latest end of the window, on the clock of this process. */
  endsAt: number
  /** The change counter of the window's row at that time. */
  changes: number
}

interface CountedCall {
  key: string
  limit: number
  /** Time on the clock of this process, ms. */
  now: number
}

/** Counts several calls with one write. */
type CountCalls = (calls: number) => Promise<WindowCount>

/** Reserves calls of rate windows in advance. */
export interface CountsAhead {
  /** Uses a reserved call; null if none is left. */
  take(key: string, now: number): WindowCount | null
  /** Counts a call and reserves further ones if that is safe. */
  count(call: CountedCall, counted: CountCalls): Promise<WindowCount>
}

/** The maximum number of calls that one write reserves, and the part of the limit that it may reserve: 1/32. */
const maxCalls = 8
const partsOfLimit = 32
/** The maximum number of windows in memory. */
const maxKeys = 10_000

/**
 * Reserves several calls of a key with one write while no other process counts calls of that key and less than half of the window is
 * used. The limit is never exceeded; a second process that starts to count may find up to 1/32 of it reserved. `changesOf` returns the
 * change counter of the row of a key, or null if changes are not reported: then each call is counted when it is made.
 */
export function createCountsAhead(changesOf: (key: string) => number | null): CountsAhead {
  const windows = new Map<string, KnownWindow>()
  /** The running write that reserves calls of a key. Other calls of the key wait for it. */
  const aheads = new Map<string, Promise<unknown>>()
  /** The number of other running writes of a key. */
  const others = new Map<string, number>()
  const knownOf = (key: string, now: number) => {
    const known = windows.get(key)
    return known && known.endsAt > now && changesOf(key) === known.changes ? known : null
  }
  const take = (key: string, now: number) => {
    const known = knownOf(key, now)
    if (!known || known.left === 0) return null
    known.left--
    known.count++
    return { count: known.count, remainingMs: known.endsAt - now }
  }
  const countNow = async ({ key, now }: CountedCall, calls: number, counted: CountCalls): Promise<WindowCount> => {
    const before = changesOf(key) ?? 0
    const { count, remainingMs } = await counted(calls)
    const [left, changes] = [calls - 1, (before + 1) | 0]
    // A different counter means that somebody else has written to the row: then nothing is known about the window.
    if (changesOf(key) === changes) {
      if (windows.size >= maxKeys) windows.clear()
      windows.set(key, { count: count - left, left, endsAt: now + remainingMs, changes })
    }
    return { count: count - left, remainingMs }
  }
  const count = async (call: CountedCall, counted: CountCalls): Promise<WindowCount> => {
    const { key, limit } = call
    if (changesOf(key) === null) return counted(1)
    const running = aheads.get(key)
    if (running) {
      await running.catch(() => undefined)
      const now = performance.now()
      return take(key, now) ?? count({ ...call, now }, counted)
    }
    const known = knownOf(key, call.now)
    const calls = Math.min(maxCalls, Math.floor(limit / partsOfLimit))
    if (calls > 1 && known !== null && known.count <= limit / 2 && !others.has(key)) {
      const ahead = countNow(call, calls, counted)
      aheads.set(key, ahead)
      return ahead.finally(() => aheads.delete(key))
    }
    others.set(key, (others.get(key) ?? 0) + 1)
    try {
      return await countNow(call, 1, counted)
    } finally {
      const rest = (others.get(key) ?? 1) - 1
      if (rest === 0) others.delete(key)
      else others.set(key, rest)
    }
  }
  return { take, count }
}
