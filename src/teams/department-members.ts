import type {
  AddedToDepartment,
  DepartmentMember,
  DepartmentMembers,
  TeamDepartmentRef,
  RemovedFromDepartment,
} from './department-schema.ts'
import type { Department, DepartmentStores } from './department-store.ts'
import { departmentNotFoundError, requireDepartment } from './find-department.ts'
import { findMemberByEmail, memberNotFoundError } from './find-member.ts'
import { presentDepartment } from './list-departments.ts'
import { managerRoles, requireRole, type Membership } from './require-member.ts'
import { presentMembers } from './present-member.ts'
import type { Call } from '../core/context.ts'
import type { MemberStores } from './member-store.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { TeamStores } from './store.ts'

/** The members of a department. For OWNER and ADMIN. */
export async function listDepartmentMembers(
  ctx: Call & MemberStores & DepartmentStores & AccountStores & TeamStores,
  { teamId, dept }: TeamDepartmentRef,
): Promise<DepartmentMembers> {
  const { membership, department, departments } = await openDepartment(ctx, { teamId, dept })
  const members = (await ctx.members.list(teamId)).filter((member) => member.departments.includes(department.id))
  return { members: await presentMembers(ctx, membership, { members, departments }) }
}

/** Adds a member of the team to a department; idempotent. Throws MEMBER_NOT_FOUND and DEPARTMENT_NOT_FOUND. */
export async function addDepartmentMember(
  ctx: Call & MemberStores & DepartmentStores & AccountStores & TeamStores,
  input: DepartmentMember,
): Promise<AddedToDepartment> {
  const { teamId, dept, email } = input
  const { department } = await openDepartment(ctx, input)
  const found = await findMemberByEmail(ctx, teamId, email)
  if (!found) throw memberNotFoundError(email)
  const outcome = await ctx.members.addToDepartment(teamId, found.member.accountId, department.id)
  if (outcome === 'missing') throw memberNotFoundError(email)
  if (!(await ctx.departments.list(teamId)).some(({ id }) => id === department.id)) {
    // The department was deleted meanwhile.
    await ctx.members.clearDepartment(teamId, department.id)
    throw departmentNotFoundError(dept)
  }
  const added = outcome === 'added'
  return { department: presentDepartment(department), added, alreadyExisted: !added }
}

/** Removes a member from a department. If they were not in it, `removed` is false and `alreadyAbsent` true. */
export async function removeDepartmentMember(
  ctx: Call & MemberStores & DepartmentStores & AccountStores & TeamStores,
  input: DepartmentMember,
): Promise<RemovedFromDepartment> {
  const { teamId, email } = input
  const { department } = await openDepartment(ctx, input)
  const found = await findMemberByEmail(ctx, teamId, email)
  const removed =
    found !== null && (await ctx.members.removeFromDepartment(teamId, found.member.accountId, department.id))
  return { removed, alreadyAbsent: !removed }
}

interface OpenedDepartment {
  membership: Membership
  department: Department
  /** All departments of the team. */
  departments: Department[]
}

/**
 * Throws FORBIDDEN_ROLE before it looks up the department, so that plain members cannot probe which departments exist.
 */
async function openDepartment(
  ctx: Call & DepartmentStores & TeamStores & MemberStores,
  { teamId, dept }: TeamDepartmentRef,
): Promise<OpenedDepartment> {
  const membership = await requireRole(ctx, teamId, managerRoles)
  const departments = await ctx.departments.list(teamId)
  return { membership, department: requireDepartment(departments, dept), departments }
}
