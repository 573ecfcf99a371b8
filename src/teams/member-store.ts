import type { Collection, Db } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'

export type Role = 'OWNER' | 'ADMIN' | 'MEMBER'

/** A person's place in a team. */
export interface Member {
  teamId: string
  accountId: string
  role: Role
  /** Ids of the departments that the person is in. */
  departments: string[]
  joinedAt: Date
  /** Since when the person is leaving, and has no part in the team any more; null while in it. */
  leavingAt: Date | null
}

/** Members on MongoDB: collection `members`, one row for each team and person. */
export type MemberRow = Member & { _id: string }

export interface MemberStore {
  /** Adds a person to a team; false when there is a place for them already, perhaps one that is being left. */
  add(member: Member): Promise<boolean>
  /** The place of a person who is in the team. */
  find(teamId: string, accountId: string): Promise<Member | null>
  /** The people in a team, those first who came first. */
  list(teamId: string): Promise<Member[]>
  /** A person's places in the teams that they are in. */
  listByAccount(accountId: string): Promise<Member[]>
  /** How many people are in each of these teams. */
  countByTeam(teamIds: readonly string[]): Promise<Map<string, number>>
  /** Gives a person another role; false when they are not in the team. */
  setRole(teamId: string, accountId: string, role: Role): Promise<boolean>
  /** Puts a person into a department; `missing`: they are not in the team. */
  addToDepartment(teamId: string, accountId: string, departmentId: string): Promise<'added' | 'already-in' | 'missing'>
  /** Takes a person out of a department; false when they were not in it. */
  removeFromDepartment(teamId: string, accountId: string, departmentId: string): Promise<boolean>
  /** Takes everybody out of a department. */
  clearDepartment(teamId: string, departmentId: string): Promise<void>
  /** From here on a person, or with null everybody, has no part in the team; false when nobody had. */
  markLeaving(teamId: string, accountId: string | null, at: Date): Promise<boolean>
  /** Removes the place of somebody who is leaving. */
  remove(teamId: string, accountId: string): Promise<void>
  /** Everybody who is leaving a team. */
  listLeaving(teamId: string): Promise<Member[]>
  /** People who have been leaving since before `before`. */
  listStaleLeaving(before: Date): Promise<Member[]>
  /** Every place, for checks. */
  all(): AsyncIterable<Member>
}

export interface MemberStores {
  members: MemberStore
}

const notLeaving = { leavingAt: null }

/** Members on MongoDB: see `MemberRow`. */
export function createMemberStore(db: Db): MemberStore {
  const rows = db.collection<MemberRow>('members')
  return { ...readMethods(rows), ...writeMethods(rows), ...leavingMethods(rows) }
}

function idOf(teamId: string, accountId: string): string {
  return `${teamId}:${accountId}`
}

function memberFilter(teamId: string, accountId: string) {
  return { _id: idOf(teamId, accountId), teamId, accountId, ...notLeaving }
}

function readMethods(rows: Collection<MemberRow>) {
  async function* all() {
    for await (const row of rows.find()) yield toMember(row)
  }
  return {
    all,
    async find(teamId: string, accountId: string) {
      const row = await rows.findOne(memberFilter(teamId, accountId))
      return row && toMember(row)
    },
    list: async (teamId: string) =>
      (
        await rows
          .find({ teamId, ...notLeaving })
          .sort({ joinedAt: 1 })
          .toArray()
      ).map(toMember),
    listByAccount: async (accountId: string) => (await rows.find({ accountId, ...notLeaving }).toArray()).map(toMember),
    async countByTeam(teamIds: readonly string[]) {
      const groups = rows.aggregate<{ _id: string; count: number }>([
        { $match: { teamId: { $in: [...teamIds] }, ...notLeaving } },
        { $group: { _id: '$teamId', count: { $sum: 1 } } },
      ])
      return new Map((await groups.toArray()).map(({ _id, count }) => [_id, count]))
    },
  }
}

function writeMethods(rows: Collection<MemberRow>) {
  return {
    async add(member: Member) {
      try {
        await rows.insertOne({ _id: idOf(member.teamId, member.accountId), ...member })
        return true
      } catch (error) {
        if (isDuplicateKey(error)) return false
        throw error
      }
    },
    setRole: async (teamId: string, accountId: string, role: Role) =>
      (await rows.updateOne(memberFilter(teamId, accountId), { $set: { role } })).matchedCount === 1,
    async addToDepartment(teamId: string, accountId: string, departmentId: string) {
      const update = { $addToSet: { departments: departmentId } }
      const { matchedCount, modifiedCount } = await rows.updateOne(memberFilter(teamId, accountId), update)
      if (matchedCount === 0) return 'missing'
      return modifiedCount === 1 ? 'added' : 'already-in'
    },
    async removeFromDepartment(teamId: string, accountId: string, departmentId: string) {
      const filter = { ...memberFilter(teamId, accountId), departments: departmentId }
      return (await rows.updateOne(filter, { $pull: { departments: departmentId } })).modifiedCount === 1
    },
    async clearDepartment(teamId: string, departmentId: string) {
      await rows.updateMany({ teamId, departments: departmentId }, { $pull: { departments: departmentId } })
    },
  } satisfies Partial<MemberStore>
}

function leavingMethods(rows: Collection<MemberRow>) {
  return {
    async markLeaving(teamId: string, accountId: string | null, at: Date) {
      const filter = accountId === null ? { teamId, ...notLeaving } : memberFilter(teamId, accountId)
      return (await rows.updateMany(filter, { $set: { leavingAt: at } })).matchedCount > 0
    },
    listLeaving: async (teamId: string) =>
      (await rows.find({ teamId, leavingAt: { $ne: null } }).toArray()).map(toMember),
    listStaleLeaving: async (before: Date) => (await rows.find({ leavingAt: { $lt: before } }).toArray()).map(toMember),
    async remove(teamId: string, accountId: string) {
      await rows.deleteOne({ _id: idOf(teamId, accountId), teamId, leavingAt: { $ne: null } })
    },
  }
}

function toMember({ _id, ...fields }: MemberRow): Member {
  return fields
}
