import { partEnd, successor } from '../storage/key-parts.ts'
import type { IndexAccess } from './index-access.ts'
import { everything } from './intervals.ts'
import type { Interval, Intervals } from './intervals.ts'

/**
 * `match`, or the key at which the scan continues: the first key that can match (forwards), or an exclusive upper bound
 * (backwards).
 */
export type Verdict = 'match' | { seek: Uint8Array }

/** Tests the parts of stored keys against the intervals of their fields, and finds the next possible match. */
export function keyCheck(access: IndexAccess): (key: Buffer, prefix: number) => Verdict {
  const { checks, index, reverse, prefixFields } = access
  const last = checks.findLastIndex((intervals) => intervals !== everything)
  const find = reverse ? backwards : forwards
  return (key, prefix) => {
    let start = prefix
    for (let i = prefixFields; i <= last; i += 1) {
      const end = partEnd(key, start, index.fields[i]?.descending ?? false)
      const intervals = checks[i] ?? everything
      if (intervals !== everything) {
        const seek = find(intervals, { key, start, end })
        if (seek) return { seek }
      }
      start = end
    }
    return 'match'
  }
}

type Part = { key: Buffer; start: number; end: number }

function forwards(intervals: Intervals, part: Part): Uint8Array | undefined {
  const interval = intervals.find(({ hi }) => comparePart(part, hi) < 0)
  if (!interval) return part.start === 0 ? Uint8Array.of(0xff) : successor(part.key.subarray(0, part.start))
  return comparePart(part, interval.lo) >= 0 ? undefined : joined(part, interval.lo)
}

function backwards(intervals: Intervals, part: Part): Uint8Array | undefined {
  const interval: Interval | undefined = intervals.findLast(({ lo }) => comparePart(part, lo) >= 0)
  if (!interval) return part.key.subarray(0, part.start)
  return comparePart(part, interval.hi) < 0 ? undefined : joined(part, interval.hi)
}

function comparePart({ key, start, end }: Part, bytes: Uint8Array): number {
  return key.compare(bytes, 0, bytes.length, start, end)
}

function joined({ key, start }: Part, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([key.subarray(0, start), bytes])
}
