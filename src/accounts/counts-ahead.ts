import type { WindowCount } from './window-counter.ts'

/** What a process knows of a window that it has counted in. */
interface KnownWindow {
  /** Calls that it has made, and those of others. */
  count: number
  /** Calls that are counted and not made yet. */
  left: number
  /** At most when the window ends, on the clock of the process. */
  endsAt: number
  /** How often the row of the window had changed then. */
  changes: number
}

interface CountedCall {
  key: string
  limit: number
  /** On the clock of the process, ms. */
  now: number
}

/** Counts some calls at once. */
type CountCalls = (calls: number) => Promise<WindowCount>

/** Counts of calls that were not made yet. */
export interface CountsAhead {
  /** The count of a call that was counted ahead; null: it has to be counted. */
  take(key: string, now: number): WindowCount | null
  /** Counts a call, and some ahead where that is safe. */
  count(call: CountedCall, counted: CountCalls): Promise<WindowCount>
}

/** So many calls are counted at once at most, and so small a share of the limit. */
const [maxCalls, shareOfLimit] = [8, 32]
const maxKeys = 10_000

/**
 * Counts some calls of a key with one write, as long as no other process counts calls of it and the window is not half full: never are more
 * calls admitted than the limit, and another process that begins to count misses a thirty-second of it at most. `changesOf` tells how
 * often the row of a key has changed, null where nobody tells: then each call is counted when it is made.
 */
export function createCountsAhead(changesOf: (key: string) => number | null): CountsAhead {
  const windows = new Map<string, KnownWindow>()
  /** Running writes that count ahead, for whose end other calls wait, and how many others run. */
  const [aheads, others] = [new Map<string, Promise<unknown>>(), new Map<string, number>()]
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
    // Otherwise somebody else has written to the row.
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
    const calls = Math.min(maxCalls, Math.floor(limit / shareOfLimit))
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
