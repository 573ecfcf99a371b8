import type { Department, DepartmentStores } from './department-store.ts'
import type { Department as PresentedDepartment, DepartmentList } from './department-schema.ts'
import { visibleDepartments } from './find-department.ts'
import { requireMember } from './require-member.ts'
import type { TeamRef } from './schema.ts'
import type { Call } from '../core/context.ts'
import type { TeamStores } from './store.ts'
import type { MemberStores } from './member-store.ts'
import { countDepartment, loadTeamContents } from './count-departments.ts'
import type { ShareStores } from './share-store.ts'

/** The departments of a team with their counts, sorted by slug; plain members see their own. */
export async function listDepartments(
  ctx: Call & DepartmentStores & TeamStores & MemberStores & ShareStores,
  { teamId }: TeamRef,
): Promise<DepartmentList> {
  const membership = await requireMember(ctx, teamId)
  const departments = visibleDepartments(membership, await ctx.departments.list(teamId))
  if (departments.length === 0) return { departments: [] }
  const contents = await loadTeamContents(ctx, teamId)
  return { departments: departments.map((department) => countDepartment(department, contents)) }
}

/** A department in a response. */
export function presentDepartment({ id, name, slug }: Department): PresentedDepartment {
  return { id, name, slug }
}
