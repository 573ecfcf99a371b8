import type { Db } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'

/** A group of people who share books. */
export interface Team {
  id: string
  name: string
  /** If false, members cannot share further books with the team. */
  subscriptionActive: boolean
  /** The owners. At least one remains under concurrent calls (`removeOwner`). */
  ownerIds: string[]
  createdAt: Date
  /** A creation or removal that has begun, and that a crash may have interrupted; null otherwise. */
  pending: { kind: 'founding' | 'removing'; at: Date } | null
}

export interface TeamStore {
  /** Adds a team that is being created; false if its id exists already (a repeated create). */
  add(team: Team): Promise<boolean>
  /** A team, unless it is being removed. */
  byId(teamId: string): Promise<Team | null>
  /** Those of `teamIds` that are not being removed, in no particular order. */
  byIds(teamIds: readonly string[]): Promise<Team[]>
  /** Changes the name or the subscription; false if the team does not exist. */
  change(teamId: string, fields: Partial<Pick<Team, 'name' | 'subscriptionActive'>>): Promise<boolean>
  /** Clears the pending creation: the founder is a member now. */
  confirmCreation(teamId: string): Promise<void>
  /** Adds an owner. Idempotent. */
  addOwner(teamId: string, accountId: string): Promise<void>
  /** Removes an owner; returns false if it is the only one. One conditional write. */
  removeOwner(teamId: string, accountId: string): Promise<boolean>
  /** Hides a team whose removal begins; false if it does not exist. */
  markRemoving(teamId: string, at: Date): Promise<boolean>
  remove(teamId: string): Promise<void>
  /** Teams whose creation or removal has been pending since before `before`. */
  listStalePending(before: Date): AsyncIterable<Team>
  /** Every team, for consistency checks. */
  all(): AsyncIterable<Team>
}

export interface TeamStores {
  teams: TeamStore
}

type Row = Omit<Team, 'id'> & { _id: string }

const notRemoving = { 'pending.kind': { $ne: 'removing' as const } }

/** Teams on MongoDB: collection `teams`. */
export function createTeamStore(db: Db): TeamStore {
  const teams = db.collection<Row>('teams')
  return {
    async add({ id, ...fields }) {
      try {
        await teams.insertOne({ _id: id, ...fields })
        return true
      } catch (error) {
        if (isDuplicateKey(error)) return false
        throw error
      }
    },
    async byId(teamId) {
      const row = await teams.findOne({ _id: teamId, ...notRemoving })
      return row && toTeam(row)
    },
    byIds: async (teamIds) =>
      (await teams.find({ _id: { $in: [...teamIds] }, ...notRemoving }).toArray()).map((row) => toTeam(row)),
    change: async (teamId, fields) =>
      (await teams.updateOne({ _id: teamId, ...notRemoving }, { $set: fields })).matchedCount === 1,
    async confirmCreation(teamId) {
      await teams.updateOne({ _id: teamId, 'pending.kind': 'founding' }, { $set: { pending: null } })
    },
    async addOwner(teamId, accountId) {
      await teams.updateOne({ _id: teamId }, { $addToSet: { ownerIds: accountId } })
    },
    async removeOwner(teamId, accountId) {
      const hasOtherOwner = { ownerIds: { $elemMatch: { $ne: accountId } } }
      const { matchedCount } = await teams.updateOne(
        { _id: teamId, ...hasOtherOwner },
        { $pull: { ownerIds: accountId } },
      )
      return matchedCount === 1
    },
    async markRemoving(teamId, at) {
      const update = { $set: { pending: { kind: 'removing' as const, at } } }
      return (await teams.updateOne({ _id: teamId, ...notRemoving }, update)).matchedCount === 1
    },
    async remove(teamId) {
      await teams.deleteOne({ _id: teamId })
    },
    async *listStalePending(before) {
      for await (const row of teams.find({ 'pending.at': { $lt: before } })) yield toTeam(row)
    },
    async *all() {
      for await (const row of teams.find()) yield toTeam(row)
    },
  }
}

function toTeam({ _id, ...fields }: Row): Team {
  return { id: _id, ...fields }
}
