import type { Db } from 'mongodb'
import { systemOwner } from '../../books/book.ts'
import type { Check, Findings } from './check.ts'
import { groupsOf } from './groups.ts'

interface AccountRow {
  _id: string
  slots: number
  pending: { itemId: string; change: string }[]
}

export const librarySlots: Check = {
  name: 'slots',
  invariant: 'the library slots in use equal the owned and added books, apart from pending changes',
  async run({ db, services }) {
    const { accounts } = services
    const findings: Findings = []
    const countBooks = async (ids: string[]) => {
      const [owned, added] = await Promise.all([
        services.books.countByOwner(ids),
        services.subscriptions.countByAccount(ids),
      ])
      return (id: string) => (owned.get(id) ?? 0) + (added.get(id) ?? 0)
    }
    for await (const group of groupsOf(db.collection<AccountRow>('accounts').find())) {
      const booksOf = await countBooks(group.map(({ _id }) => _id))
      for (const { _id: id, slots: used, pending } of group) {
        const books = booksOf(id)
        if (Math.abs(used - books) <= pending.length) continue
        const repair = () => accounts.recountSlots(id, async () => (await countBooks([id]))(id))
        findings.push({ problem: `account ${id}: ${used} slots in use, ${books} books`, repair })
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

/** A read counter stores its last 200 charges; with fewer, it has all of them. */
const maxStoredCharges = 200

export const reads: Check = {
  name: 'reads',
  invariant: 'the reads used this month equal the sum of the charges',
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
  ['deletedBooks', 'ownerId'],
  ['bookTallies', '_id'],
  ['keys', 'accountId'],
  ['webSessions', 'accountId'],
  ['tickets', 'accountId'],
  ['oauth', 'accountId'],
  ['jobs', 'accountId'],
  ['recognitions', 'accountId'],
  ['uploads', 'accountId'],
  ['reads', 'accountId'],
  ['shelves', '_id'],
  ['placements', 'accountId'],
  ['placementTallies', '_id'],
  ['manuscripts', 'accountId'],
  ['manuscriptslots', '_id'],
  ['lastReads', 'accountId'],
  ['readingPositions', 'accountId'],
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
  invariant: 'all data belongs to an existing account',
  async run({ db }) {
    const findings: Findings = []
    const known = new Set<string>([systemOwner])
    for (const [collection, field] of ownedCollections) {
      const ids: string[] = await db.collection(collection).distinct(field)
      const unknown = ids.filter((id) => !known.has(id))
      for (const id of await existing(db, unknown)) known.add(id)
      findings.push(...ids.filter((id) => !known.has(id)).map((id) => `${collection}: account ${id} does not exist`))
    }
    return findings
  },
}

async function existing(db: Db, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const accounts = db.collection<AccountRow>('accounts')
  const rows = await accounts.find({ _id: { $in: ids } }, { projection: { _id: 1 } }).toArray()
  return rows.map(({ _id }) => _id)
}
