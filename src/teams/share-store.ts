import type { Collection, Db, Filter } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'
import { cachedRead } from '../db/cached-reads.ts'
import { planRemoval } from '../db/plan-removal.ts'
import type { Member, MemberRow } from './member-store.ts'

/** A book that its owner shares with a team, or with some of its departments. */
export interface Share {
  teamId: string
  itemId: string
  /** The owner of the book. */
  ownerId: string
  accessLevel: 'READ' | 'WRITE'
  /** Department ids; empty for the whole team. */
  departments: string[]
  sharedBy: string
  sharedAt: Date
  /** The version of the book at that time; absent in rows from before this was recorded. */
  sinceVersion?: number
}

export interface ShareStore {
  /** The shares that an account can see through its current teams: all (null) or those of `itemIds`. */
  visibleTo(accountId: string, itemIds: readonly string[] | null): Promise<Share[]>
  /** How many shares of their teams these members see in the list of a team, by team id. */
  countVisible(members: readonly Member[]): Promise<Map<string, number>>
  /** Shares a book with a team; false if it is shared already. */
  add(share: Share): Promise<boolean>
  find(teamId: string, itemId: string): Promise<Share | null>
  /** The shares of a team, newest first. */
  list(teamId: string): Promise<Share[]>
  /** The shares of a book, one per team. */
  listByBook(itemId: string): Promise<Share[]>
  /** The shares of these books, in no order. */
  listByBooks(itemIds: readonly string[]): Promise<Share[]>
  /** Changes level or departments and returns the share as it was before; null if there is none. */
  change(
    teamId: string,
    itemId: string,
    fields: Partial<Pick<Share, 'accessLevel' | 'departments'>>,
  ): Promise<Share | null>
  /** Ends a share; false if there is none. */
  remove(teamId: string, itemId: string): Promise<boolean>
  /** Ends the shares of an account's books with a team. */
  removeOwned(teamId: string, ownerId: string): Promise<void>
  /** Removes a department from all shares, ends the shares that were with it alone, and returns the number of these. */
  removeDepartment(teamId: string, departmentId: string): Promise<number>
  removeTeam(teamId: string): Promise<void>
  /** Finds the shares of a deleted book; the returned function ends exactly these. */
  planRemoval(itemId: string): Promise<() => Promise<void>>
  /** Every share, for consistency checks. */
  all(): AsyncIterable<Share>
}

export interface ShareStores {
  shares: ShareStore
}

type Row = Share & { _id: string }

/** Shares on MongoDB: collection `shares`, one row per team and book. */
export function createShareStore(db: Db): ShareStore {
  const shares = db.collection<Row>('shares')
  const members = db.collection<MemberRow>('members')
  return { ...readMethods(shares), visibleTo: visibleShares(db, { shares, members }), ...writeMethods(shares) }
}

/** The filters for shares that reach a plain member. */
function accessFilter({ departments }: Member): Filter<Row>[] {
  return [{ departments: { $size: 0 } }, { departments: { $in: departments } }]
}

/** The shares of a member's team: all for OWNER and ADMIN, otherwise those that match one of `filters`. */
function teamFilter({ teamId, role }: Member, filters: Filter<Row>[]): Filter<Row> {
  return role === 'MEMBER' ? { teamId, $or: filters } : { teamId }
}

/** Reads the shares that an account can see; most accounts are in no team. */
function visibleShares(
  db: Db,
  { shares, members }: { shares: Collection<Row>; members: Collection<MemberRow> },
): ShareStore['visibleTo'] {
  const memberships = cachedRead(db, ['members'], (accountId) => members.find({ accountId, leavingAt: null }).toArray())
  const find = async (accountId: string, itemFilter: Filter<Row>) => {
    const teams = await memberships(accountId)
    if (teams.length === 0) return []
    const reachFilters = teams.map((member) => teamFilter(member, accessFilter(member)))
    return (await shares.find({ ...itemFilter, $or: reachFilters }).toArray()).map(toShare)
  }
  const findAll = cachedRead(db, ['members', 'shares'], (accountId) => find(accountId, {}))
  return (accountId, itemIds) =>
    itemIds === null ? findAll(accountId) : find(accountId, { itemId: { $in: [...itemIds] } })
}

function readMethods(shares: Collection<Row>) {
  const list = async (filter: Filter<Row>) =>
    (await shares.find(filter).sort({ sharedAt: -1, _id: 1 }).toArray()).map(toShare)
  async function* all() {
    for await (const row of shares.find()) yield toShare(row)
  }
  return {
    all,
    async countVisible(memberships: readonly Member[]) {
      if (memberships.length === 0) return new Map<string, number>()
      const seen = memberships.map((member) =>
        teamFilter(member, [...accessFilter(member), { ownerId: member.accountId }]),
      )
      const groups = shares.aggregate<{ _id: string; count: number }>([
        { $match: { $or: seen } },
        { $group: { _id: '$teamId', count: { $sum: 1 } } },
      ])
      return new Map((await groups.toArray()).map(({ _id, count }) => [_id, count]))
    },
    async find(teamId: string, itemId: string) {
      const row = await shares.findOne({ teamId, itemId })
      return row && toShare(row)
    },
    list: (teamId: string) => list({ teamId }),
    listByBook: (itemId: string) => list({ itemId }),
    async listByBooks(itemIds: readonly string[]) {
      return (await shares.find({ itemId: { $in: [...itemIds] } }).toArray()).map(toShare)
    },
  }
}

function writeMethods(shares: Collection<Row>) {
  return {
    async add(share: Share) {
      try {
        await shares.insertOne({ _id: `${share.teamId}:${share.itemId}`, ...share })
        return true
      } catch (error) {
        if (isDuplicateKey(error)) return false
        throw error
      }
    },
    async change(teamId: string, itemId: string, fields: Partial<Pick<Share, 'accessLevel' | 'departments'>>) {
      const row = await shares.findOneAndUpdate({ teamId, itemId }, { $set: fields }, { returnDocument: 'before' })
      return row && toShare(row)
    },
    remove: async (teamId: string, itemId: string) => (await shares.deleteOne({ teamId, itemId })).deletedCount === 1,
    async removeOwned(teamId: string, ownerId: string) {
      await shares.deleteMany({ teamId, ownerId })
    },
    async removeDepartment(teamId: string, departmentId: string) {
      let ended = 0
      do {
        ended += (await shares.deleteMany({ teamId, departments: [departmentId] })).deletedCount
        // Never removes the last department: a share without departments is with the whole team.
        const withOthers = { teamId, departments: departmentId, 'departments.1': { $exists: true } }
        await shares.updateMany(withOthers, { $pull: { departments: departmentId } })
      } while ((await shares.findOne({ teamId, departments: departmentId })) !== null)
      return ended
    },
    async removeTeam(teamId: string) {
      await shares.deleteMany({ teamId })
    },
    planRemoval: (itemId: string) => planRemoval(shares, { itemId }, 'sharedAt'),
  }
}

function toShare({ _id, ...fields }: Row): Share {
  return fields
}
