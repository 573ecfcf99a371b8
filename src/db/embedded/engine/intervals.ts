import { inverted, successor } from '../storage/key-parts.ts'

/**
 * An interval of keys of one index field, from `lo` (inclusive) to `hi` (exclusive) in byte order; `point` if it
 * contains a single key.
 */
export type Interval = { readonly lo: Uint8Array; readonly hi: Uint8Array; readonly point?: true }

/** Disjoint intervals in byte order. */
export type Intervals = readonly Interval[]

/** All possible keys: their first bytes are between 02 and f0, or the inverse of these. */
export const everything: Intervals = [{ lo: Uint8Array.of(0x01), hi: Uint8Array.of(0xff) }]

/** The interval of a single key. */
export function point(key: Uint8Array): Interval {
  return { lo: key, hi: successor(key), point: true }
}

/** The union of interval lists. */
export function union(lists: readonly Intervals[]): Intervals {
  if (lists.includes(everything)) return everything
  const merged: Interval[] = []
  for (const next of lists.flat().sort((a, b) => Buffer.compare(a.lo, b.lo))) {
    const last = merged.at(-1)
    if (!last || Buffer.compare(next.lo, last.hi) >= 0) merged.push(next)
    else if (Buffer.compare(next.hi, last.hi) > 0) merged[merged.length - 1] = { lo: last.lo, hi: next.hi }
  }
  return merged
}

/** The intersection of two interval lists. */
export function intersect(a: Intervals, b: Intervals): Intervals {
  if (a === everything) return b
  if (b === everything) return a
  const common: Interval[] = []
  for (const x of a) {
    for (const y of b) {
      const lo = Buffer.compare(x.lo, y.lo) > 0 ? x.lo : y.lo
      const hi = Buffer.compare(x.hi, y.hi) < 0 ? x.hi : y.hi
      if (Buffer.compare(lo, hi) >= 0) continue
      // An interval that overlaps a point contains it completely.
      common.push(x.point || y.point ? { lo, hi, point: true } : { lo, hi })
    }
  }
  return common
}

/** The complement of an interval list. */
export function complement(list: Intervals): Intervals {
  const [all] = everything
  if (!all) return []
  const gaps: Interval[] = []
  let { lo } = all
  for (const interval of list) {
    if (Buffer.compare(lo, interval.lo) < 0) gaps.push({ lo, hi: interval.lo })
    lo = interval.hi
  }
  if (Buffer.compare(lo, all.hi) < 0) gaps.push({ lo, hi: all.hi })
  return gaps
}

/** True if `outer` contains all of `inner`. */
export function isWithin(inner: Intervals, outer: Intervals): boolean {
  return inner.every((a) => outer.some((b) => Buffer.compare(b.lo, a.lo) <= 0 && Buffer.compare(a.hi, b.hi) <= 0))
}

/** True if the list contains the key. */
export function contains(list: Intervals, key: Uint8Array): boolean {
  return list.some(({ lo, hi }) => Buffer.compare(lo, key) <= 0 && Buffer.compare(key, hi) < 0)
}

/** The intervals as stored for a descending field. */
export function invertIntervals(list: Intervals): Intervals {
  if (list === everything) return list
  return list
    .map(({ lo, hi, point: only }): Interval => {
      return only ? point(inverted(lo)) : { lo: successor(inverted(hi)), hi: successor(inverted(lo)) }
    })
    .reverse()
}
