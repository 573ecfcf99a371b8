import type { Check, Findings } from './check.ts'

export const tallies: Check = {
  name: 'tallies',
  promise: 'the sums that are kept of libraries and shelves are what their books add up to',
  async run({ services }) {
    const findings: Findings = []
    for await (const id of services.books.wrongSums()) findings.push(`the sums of the library of ${id} are wrong`)
    for await (const id of services.placements.wrongCounts())
      findings.push(`the counts of the shelves of ${id} are wrong`)
    return findings
  },
}
