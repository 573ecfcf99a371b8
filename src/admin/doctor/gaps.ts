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

/** The sweep runs every few seconds; this allows for downtime of the server, ms. */
const sweepGraceMs = 2 * 60 * 60 * 1000

export const gaps: Check = {
  name: 'gaps',
  invariant: 'every reader request concerns an existing book and its owner, and fulfilled requests have been notified',
  async run({ db, services }) {
    const findings: Findings = []
    const owners = new Map<string, string>()
    for await (const { id, ownerId } of services.books.all()) owners.set(id, ownerId)
    const cutoff = new Date(services.now().getTime() - sweepGraceMs)
    for await (const row of db.collection<GapRow>('gaps').find()) {
      const problem = problemOf(row, { owners, cutoff })
      if (problem) findings.push(`request ${row._id}: ${problem}`)
    }
    return findings
  },
}

function problemOf(row: GapRow, { owners, cutoff }: { owners: ReadonlyMap<string, string>; cutoff: Date }) {
  const { itemId, ownerId, status, fulfilment, unsettledAt } = row
  if ((status === 'FULFILLED') !== (fulfilment !== null)) return `${status}, fulfilled by ${fulfilment}`
  if (unsettledAt) return unsettledAt < cutoff ? `not reconciled since ${unsettledAt.toISOString()}` : null
  if (itemId !== null && owners.get(itemId) !== ownerId) return `book ${itemId} does not belong to account ${ownerId}`
  return null
}
