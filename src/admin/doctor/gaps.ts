import type { GapStatus } from '../../gaps/schema.ts'
import type { Check, Findings } from './check.ts'

interface GapRow {
  _id: string
  itemId: string | null
  ownerId: string
  status: GapStatus
  fulfilment: string | null
  unsettledAt?: Date
}

/** The sweep runs every few seconds; this is what a server may be down for. */
const sweepGraceMs = 2 * 60 * 60 * 1000

export const gaps: Check = {
  name: 'gaps',
  invariant:
    'what readers ask for is asked about books that exist, of their authors, and who asked is told when it is there',
  async run({ db, services }) {
    const findings: Findings = []
    const owners = new Map<string, string>()
    for await (const { id, ownerId } of services.books.all()) owners.set(id, ownerId)
    const cutoff = new Date(services.now().getTime() - sweepGraceMs)
    for await (const row of db.collection<GapRow>('gaps').find()) {
      const problem = problemOf(row, { owners, settled: cutoff })
      if (problem) findings.push(`request ${row._id}: ${problem}`)
    }
    return findings
  },
}

function problemOf(row: GapRow, { owners, settled: cutoff }: { owners: ReadonlyMap<string, string>; settled: Date }) {
  const { itemId, ownerId, status, fulfilment, unsettledAt } = row
  if ((status === 'FULFILLED') !== (fulfilment !== null)) return `${status}, fulfilled by ${fulfilment}`
  if (unsettledAt) return unsettledAt < cutoff ? `not settled since ${unsettledAt.toISOString()}` : null
  if (itemId !== null && owners.get(itemId) !== ownerId) return `the book ${itemId} is not one of ${ownerId}`
  return null
}
