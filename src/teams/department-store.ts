import type { Db } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'

/** Enough for all departments of a team in one answer of the store. */
const oneBatch = 1000

/** A department of a team. */
export interface Department {
  id: string
  teamId: string
  name: string
  /** Unique within the team. */
  slug: string
  createdAt: Date
  /** When its removal began, after which it is hidden; null otherwise. */
  removingAt: Date | null
}

export interface DepartmentStore {
  /** Adds a department; false if its slug is taken. */
  add(department: Department): Promise<boolean>
  /** The departments of a team, sorted by slug. */
  list(teamId: string): Promise<Department[]>
  /** How many departments each of these teams has. */
  countByTeam(teamIds: readonly string[]): Promise<Map<string, number>>
  /** Changes name and slug of a department; `taken`: another department has the slug. */
  rename(
    teamId: string,
    id: string,
    fields: Pick<Department, 'name' | 'slug'>,
  ): Promise<'renamed' | 'taken' | 'missing'>
  /** Hides a department whose removal begins and frees its slug; false if it does not exist. */
  markRemoving(teamId: string, id: string, at: Date): Promise<boolean>
  remove(teamId: string, id: string): Promise<void>
  /** Departments whose removal began before `before` and is still pending. */
  listStaleRemovals(before: Date): Promise<Department[]>
  removeTeam(teamId: string): Promise<void>
  /** Every department, for consistency checks. */
  all(): AsyncIterable<Department>
}

export interface DepartmentStores {
  departments: DepartmentStore
}

type Row = Omit<Department, 'id'> & { _id: string }

/** Departments on MongoDB: collection `departments`. */
export function createDepartmentStore(db: Db): DepartmentStore {
  const rows = db.collection<Row>('departments')
  return {
    async add({ id, ...fields }) {
      try {
        await rows.insertOne({ _id: id, ...fields })
        return true
      } catch (error) {
        if (isDuplicateKey(error)) return false
        throw error
      }
    },
    list: async (teamId) =>
      (await rows.find({ teamId, removingAt: null }).sort({ slug: 1 }).batchSize(oneBatch).toArray()).map(toDepartment),
    async countByTeam(teamIds) {
      const groups = rows.aggregate<{ _id: string; count: number }>([
        { $match: { teamId: { $in: [...teamIds] }, removingAt: null } },
        { $group: { _id: '$teamId', count: { $sum: 1 } } },
      ])
      return new Map((await groups.toArray()).map(({ _id, count }) => [_id, count]))
    },
    async rename(teamId, id, fields) {
      try {
        const { matchedCount } = await rows.updateOne({ _id: id, teamId, removingAt: null }, { $set: fields })
        return matchedCount === 1 ? 'renamed' : 'missing'
      } catch (error) {
        if (isDuplicateKey(error)) return 'taken'
        throw error
      }
    },
    async markRemoving(teamId, id, at) {
      // `slugify` never gives such a slug.
      const update = { $set: { removingAt: at, slug: `!${id}` } }
      return (await rows.updateOne({ _id: id, teamId, removingAt: null }, update)).matchedCount === 1
    },
    async remove(teamId, id) {
      await rows.deleteOne({ _id: id, teamId })
    },
    listStaleRemovals: async (before) => (await rows.find({ removingAt: { $lt: before } }).toArray()).map(toDepartment),
    async removeTeam(teamId) {
      await rows.deleteMany({ teamId })
    },
    async *all() {
      for await (const row of rows.find()) yield toDepartment(row)
    },
  }
}

function toDepartment({ _id, ...fields }: Row): Department {
  return { id: _id, ...fields }
}
