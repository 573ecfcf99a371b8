import type { Check, Findings } from './check.ts'

export const derivedCounts: Check = {
  name: 'derived-counts',
  invariant: 'the derived counts of libraries and shelves match their books',
  async run({ services }) {
    const findings: Findings = []
    for await (const id of services.books.findCountMismatches())
      findings.push(`the derived counts of the library of account ${id} are wrong`)
    for await (const id of services.placements.findCountMismatches())
      findings.push(`the derived counts of the shelves of account ${id} are wrong`)
    return findings
  },
}
