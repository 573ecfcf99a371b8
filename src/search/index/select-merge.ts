import type { Segment } from './library-index-store.ts'

/** Segments of similar size are merged as soon as there are sixteen, so that each book is copied only a few times. */
const mergeFactor = 16
const tierLimits = [32_000, 512_000, 8_000_000, 128_000_000]

/** Returns the segments of a library to merge next, the smallest first; null if there are none. */
export function selectMerge(segments: readonly Segment[]): Segment[] | null {
  let below = 0
  for (const limit of tierLimits) {
    const tier = segments.filter(({ bytes }) => bytes > below && bytes <= limit)
    if (tier.length >= mergeFactor) return tier
    below = limit
  }
  // A segment that has lost more than half of its books is rewritten without them.
  const sparse = segments.find(({ count, dead }) => dead.length * 2 > count)
  return sparse ? [sparse] : null
}
