import type { Check, Findings } from './check.ts'

export const derivedCounts: Check = {
  name: 'derived-counts',
  invariant: 'the sums that are kept of libraries and shelves are what their books add up to',
  async run({ services }) {
    const findings: Findings = []
    for await (const id of services.books.findCountMismatches())
      findings.push(`the sums of the library of ${id} are wrong`)
    for await (const id of services.placements.findCountMismatches())
      findings.push(`the counts of the shelves of ${id} are wrong`)
    return findings
  },
}
