/** A reason with its count and the first few names. */
export interface TallyRow {
  reason: string
  count: number
  names: string[]
}

/** Counts names by reason, in memory that does not grow with their number. */
export interface Tally {
  add(reason: string, name: string): void
  /** The rows, most frequent reason first. */
  rows(): TallyRow[]
  /** The total over all reasons. */
  count(): number
}

const maxNames = 20
const maxReasons = 100
const otherReasons = 'other reasons'

export function createTally(): Tally {
  const byReason = new Map<string, TallyRow>()
  const rowOf = (reason: string): TallyRow => {
    const kept = byReason.has(reason) || byReason.size < maxReasons ? reason : otherReasons
    const row = byReason.get(kept) ?? { reason: kept, count: 0, names: [] }
    byReason.set(kept, row)
    return row
  }
  return {
    add(reason, name) {
      const row = rowOf(reason)
      row.count += 1
      if (row.names.length < maxNames) row.names.push(name)
    },
    rows: () => [...byReason.values()].sort((a, b) => b.count - a.count),
    count: () => [...byReason.values()].reduce((sum, { count }) => sum + count, 0),
  }
}
