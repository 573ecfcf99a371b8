import type { Db } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'

/** A part of a team. */
export interface Department {
  id: string
  teamId: string
  name: string
  /** Unique in its team. */
  slug: string
  createdAt: Date
  /** Since when it is about to go, and is seen no more; null while it stands. */
  removingAt: Date | null
}

export interface DepartmentStore {
  /** Adds a department; false when its slug is taken. */
  add(department: Department): Promise<boolean>
  /** The departments of a team by name. */
  list(teamId: string): Promise<Department[]>
  /** Gives a department another name; `taken`: another one has the slug. */
  rename(
    teamId: string,
    id: string,
    fields: Pick<Department, 'name' | 'slug'>,
  ): Promise<'renamed' | 'taken' | 'missing'>
  /** Hides a department that is about to go, its slug is free at once; false when there is none. */
  markRemoving(teamId: string, id: string, at: Date): Promise<boolean>
  remove(teamId: string, id: string): Promise<void>
  /** Departments that have been about to go since before `before`. */
  listStaleRemovals(before: Date): Promise<Department[]>
  removeTeam(teamId: string): Promise<void>
  /** Every department, for checks. */
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
      (await rows.find({ teamId, removingAt: null }).sort({ slug: 1 }).toArray()).map(toDepartment),
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
      // No name makes a slug like this one.
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
