import { systemOwner } from '../../books/book.ts'
import type { Check, Findings } from './check.ts'

interface AccountRow {
  _id: string
  slots: number
  pending: { itemId: string; change: string }[]
}

export const librarySlots: Check = {
  name: 'slots',
  invariant: 'the library slots in use are the own and the added books, apart from those that are just coming or going',
  async run({ db, services }) {
    const findings: Findings = []
    for await (const { _id, slots: used, pending } of db.collection<AccountRow>('accounts').find()) {
      const [own, added] = await Promise.all([services.books.countOwned(_id), services.subscriptions.count(_id)])
      if (Math.abs(used - own - added) > pending.length) {
        findings.push(`account ${_id}: ${used} slots in use, ${own + added} books`)
      }
    }
    return findings
  },
}

interface ReadRow {
  _id: string
  used: number
  recent: { count: number }[]
}

/** A counter row remembers its last 200 charges; fewer means that it remembers all of them. */
const maxStoredCharges = 200

export const reads: Check = {
  name: 'reads',
  invariant: 'the reads used this month are the sum of the charges',
  async run({ db }) {
    const findings: Findings = []
    for await (const { _id, used, recent } of db.collection<ReadRow>('reads').find()) {
      const sum = recent.reduce((total, { count }) => total + count, 0)
      const wrong = recent.length < maxStoredCharges ? used !== sum : used < sum
      if (wrong) findings.push(`counter ${_id}: ${used} reads used, ${sum} charged`)
    }
    return findings
  },
}

const ownedCollections = [
  ['books', 'ownerId'],
  ['bookTallies', '_id'],
  ['keys', 'accountId'],
  ['webSessions', 'accountId'],
  ['tickets', 'accountId'],
  ['oauth', 'accountId'],
  ['jobs', 'accountId'],
  ['uploads', 'accountId'],
  ['reads', 'accountId'],
  ['shelves', '_id'],
  ['placements', 'accountId'],
  ['placementTallies', '_id'],
  ['manuscripts', 'accountId'],
  ['manuscriptslots', '_id'],
  ['lastReads', 'accountId'],
  ['sessions', 'accountId'],
  ['sessionPlaces', '_id'],
  ['readDays', 'accountId'],
  ['readBooks', 'accountId'],
  ['gaps', 'ownerId'],
  ['gaps', 'readerId'],
  ['suggestions', 'accountId'],
  ['listings', 'ownerId'],
  ['subscriptions', 'accountId'],
] as const

export const owners: Check = {
  name: 'owners',
  invariant: 'everything belongs to an account that exists',
  async run({ db }) {
    const findings: Findings = []
    for (const [collection, field] of ownedCollections) {
      const ids: string[] = await db.collection(collection).distinct(field)
      const rows = await db
        .collection<AccountRow>('accounts')
        .find({ _id: { $in: ids } }, { projection: { _id: 1 } })
        .toArray()
      const known = new Set([systemOwner, ...rows.map(({ _id }) => _id)])
      findings.push(...ids.filter((id) => !known.has(id)).map((id) => `${collection}: account ${id} does not exist`))
    }
    return findings
  },
}
