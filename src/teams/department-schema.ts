import { z } from 'zod'
import { Count } from '../core/field-types.ts'
import { nameSchema } from '../core/schema-notes.ts'
import { Member, Name, MemberRef, TeamId } from './schema.ts'

export const Department = z.object({ id: z.string(), name: z.string(), slug: z.string() })
export type Department = z.infer<typeof Department>
nameSchema(Department, 'Department', 'A group of members of a team.')

/** A department with the number of its members and of the books shared with it. */
const CountedDepartment = z.object({ ...Department.shape, memberCount: z.int(), itemCount: z.int() })
export type CountedDepartment = z.infer<typeof CountedDepartment>

export const DepartmentList = z.object({ departments: z.array(CountedDepartment) })
export type DepartmentList = z.infer<typeof DepartmentList>

export const DepartmentRef = z.string().min(1).max(100).describe('Department slug or id.')

export const CreateDepartment = z.strictObject({ teamId: TeamId, name: Name })
export type CreateDepartment = z.infer<typeof CreateDepartment>

export const CreatedDepartment = z.object({
  department: CountedDepartment,
  created: z.boolean(),
  alreadyExisted: z.boolean(),
})
export type CreatedDepartment = z.infer<typeof CreatedDepartment>

export const TeamDepartmentRef = z.strictObject({ teamId: TeamId, dept: DepartmentRef })
export type TeamDepartmentRef = z.infer<typeof TeamDepartmentRef>

export const RenameDepartment = z.strictObject({ teamId: TeamId, dept: DepartmentRef, name: Name })
export type RenameDepartment = z.infer<typeof RenameDepartment>

/** The contract says "renamed department" here and wraps departments elsewhere, so the response has both forms. */
export const RenamedDepartment = z.object({ ...CountedDepartment.shape, department: CountedDepartment })
export type RenamedDepartment = z.infer<typeof RenamedDepartment>

export const DeletedDepartment = z.object({
  success: z.literal(true),
  department: Department,
  unsharedCount: Count.describe('Number of books that were shared only with it.'),
})
export type DeletedDepartment = z.infer<typeof DeletedDepartment>

export const DepartmentMembers = z.object({ members: z.array(Member) })
export type DepartmentMembers = z.infer<typeof DepartmentMembers>

export const DepartmentMember = z.strictObject({ ...MemberRef.shape, dept: DepartmentRef })
export type DepartmentMember = z.infer<typeof DepartmentMember>

export const AddedToDepartment = z.object({
  department: Department,
  added: z.boolean(),
  alreadyExisted: z.boolean(),
})
export type AddedToDepartment = z.infer<typeof AddedToDepartment>

export const RemovedFromDepartment = z.object({ removed: z.boolean(), alreadyAbsent: z.boolean() })
export type RemovedFromDepartment = z.infer<typeof RemovedFromDepartment>
