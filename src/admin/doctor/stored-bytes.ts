import { sumStoredBytes } from '../../reading/stored-bytes.ts'
import type { Check, Findings } from './check.ts'

export const storedBytes: Check = {
  name: 'stored-bytes',
  invariant: 'the stored bytes of every book match its file, versions and tables of contents',
  async run({ services }) {
    const findings: Findings = []
    for await (const book of services.books.all()) {
      if (book.storedBytes === undefined || book.status === 'DRAFT') continue
      const sum = await sumStoredBytes(services, book)
      if (sum !== book.storedBytes)
        findings.push(`book ${book.id}: ${book.storedBytes} bytes are counted, ${sum} stored`)
    }
    return findings
  },
}
