import { recountStoredBytes, sumStoredBytes } from '../../reading/stored-bytes.ts'
import { bookGroups } from './groups.ts'
import type { Check, Findings } from './check.ts'

export const storedBytes: Check = {
  name: 'stored-bytes',
  invariant: 'the stored bytes of every book match its file, versions and tables of contents',
  async run({ services }) {
    const findings: Findings = []
    for await (const group of bookGroups(services)) {
      const counted = group.filter((book) => book.storedBytes !== undefined && book.status !== 'DRAFT')
      const sums = await sumStoredBytes(services, counted)
      for (const [index, book] of counted.entries())
        if (sums[index] !== book.storedBytes)
          findings.push({
            problem: `book ${book.id}: ${book.storedBytes} bytes are counted, ${sums[index]} stored`,
            repair: () => recountStoredBytes(services, book),
          })
    }
    return findings
  },
}
