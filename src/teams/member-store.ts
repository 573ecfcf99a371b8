import type { Collection, Db } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'
import { countByField } from '../db/count-by-field.ts'

export type Role = 'OWNER' | 'ADMIN' | 'MEMBER'

/** The membership of a person in a team. */
export interface Member {
  teamId: string
  accountId: string
  role: Role
  /** Ids of the person's departments. */
  departments: string[]
  joinedAt: Date
  /** When the person began to leave, after which they have no access; null for a member. */
  leavingAt: Date | null
}

/** Members on MongoDB: collection `members`, one row per team and person. */
export type MemberRow = Member & { _id: string }

export interface MemberStore {
  /** Adds a person to a team; false if they have a row already, possibly one that is leaving. */
  add(member: Member): Promise<boolean>
  /** The member, or null; a person who is leaving does not count. */
  find(teamId: string, accountId: string): Promise<Member | null>
  /** The members of a team, in the order in which they joined. */
  list(teamId: string): Promise<Member[]>
  /** A person's memberships. */
  listByAccount(accountId: string): Promise<Member[]>
  /** How many members each of these teams has. */
  countByTeam(teamIds: readonly string[]): Promise<Map<string, number>>
  /** Changes a member's role; false if they are not in the team. */
  setRole(teamId: string, accountId: string, role: Role): Promise<boolean>
  /** Adds a member to a department; `missing`: they are not in the team. */
  addToDepartment(teamId: string, accountId: string, departmentId: string): Promise<'added' | 'already-in' | 'missing'>
  /** Removes a member from a department; false if they were not in it. */
  removeFromDepartment(teamId: string, accountId: string, departmentId: string): Promise<boolean>
  /** Removes everybody from a department. */
  clearDepartment(teamId: string, departmentId: string): Promise<void>
  /** Ends the access of a person, or of everybody (null), before their rows are removed; false if nobody had access. */
  markLeaving(teamId: string, accountId: string | null, at: Date): Promise<boolean>
  /** Removes the row of somebody who is leaving. */
  remove(teamId: string, accountId: string): Promise<void>
  /** Everybody who is leaving a team. */
  listLeaving(teamId: string): Promise<Member[]>
  /** People who began to leave before `before` and are not removed yet. */
  listStaleLeaving(before: Date): Promise<Member[]>
  /** Every row, for consistency checks. */
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
    countByTeam: (teamIds: readonly string[]) =>
      countByField(rows, { field: 'teamId', values: teamIds, also: notLeaving }),
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
