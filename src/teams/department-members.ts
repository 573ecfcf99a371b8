import type {
  AddedToDepartment,
  DepartmentMember,
  DepartmentMembers,
  OneDepartment,
  RemovedFromDepartment,
} from './department-schema.ts'
import type { Department, DepartmentStores } from './department-store.ts'
import { departmentNotFound, requireDepartment } from './find-department.ts'
import { memberByEmail, memberNotFound } from './find-member.ts'
import { showDepartment } from './list-departments.ts'
import { leaders, requireRole, type Place } from './require-member.ts'
import { showMembers } from './present-member.ts'
import type { Call } from '../core/context.ts'
import type { MemberStores } from './member-store.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { TeamStores } from './store.ts'

/** The members of a department. */
export async function listDepartmentMembers(
  ctx: Call & MemberStores & DepartmentStores & AccountStores & TeamStores,
  { teamId, dept }: OneDepartment,
): Promise<DepartmentMembers> {
  const { place, department, departments } = await open(ctx, { teamId, dept })
  const members = (await ctx.members.list(teamId)).filter((member) => member.departments.includes(department.id))
  return { members: await showMembers(ctx, place, { members, departments }) }
}

/** Puts a member of the team into a department; repeating it changes nothing. */
export async function addDepartmentMember(
  ctx: Call & MemberStores & DepartmentStores & AccountStores & TeamStores,
  input: DepartmentMember,
): Promise<AddedToDepartment> {
  const { teamId, dept, email } = input
  const { department } = await open(ctx, input)
  const found = await memberByEmail(ctx, teamId, email)
  if (!found) throw memberNotFound(email)
  const outcome = await ctx.members.addDepartment(teamId, found.member.accountId, department.id)
  if (outcome === 'missing') throw memberNotFound(email)
  if (!(await ctx.departments.list(teamId)).some(({ id }) => id === department.id)) {
    // Deleted in the meantime.
    await ctx.members.clearDepartment(teamId, department.id)
    throw departmentNotFound(dept)
  }
  return { department: showDepartment(department), added: outcome === 'added' }
}

/** Takes somebody out of a department; `removed` is false for whoever was not in it. */
export async function removeDepartmentMember(
  ctx: Call & MemberStores & DepartmentStores & AccountStores & TeamStores,
  input: DepartmentMember,
): Promise<RemovedFromDepartment> {
  const { teamId, email } = input
  const { department } = await open(ctx, input)
  const found = await memberByEmail(ctx, teamId, email)
  return {
    removed: found !== null && (await ctx.members.dropDepartment(teamId, found.member.accountId, department.id)),
  }
}

interface Opened {
  place: Place
  department: Department
  /** All of the team's. */
  departments: Department[]
}

/** Refuses with FORBIDDEN_ROLE before it looks for the department: plain members cannot find out which ones there are. */
async function open(
  ctx: Call & DepartmentStores & TeamStores & MemberStores,
  { teamId, dept }: OneDepartment,
): Promise<Opened> {
  const place = await requireRole(ctx, teamId, leaders)
  const departments = await ctx.departments.list(teamId)
  return { place, department: requireDepartment(departments, dept), departments }
}
