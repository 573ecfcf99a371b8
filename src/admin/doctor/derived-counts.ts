import type { Check, Findings } from './check.ts'

export const derivedCounts: Check = {
  name: 'derived-counts',
  invariant: 'the derived counts of libraries and shelves match their books',
  async run({ services }) {
    const findings: Findings = []
    const counted = [
      ['library', services.books],
      ['shelves', services.placements],
    ] as const
    for (const [what, store] of counted)
      for await (const id of store.findCountMismatches()) {
        const problem = `the derived counts of the ${what} of account ${id} are wrong`
        findings.push({ problem, repair: () => store.correctCounts(id) })
      }
    return findings
  },
}
