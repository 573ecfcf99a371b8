import type { Department, DepartmentStores } from './department-store.ts'
import type { Department as ShownDepartment, DepartmentList } from './department-schema.ts'
import { visibleDepartments } from './find-department.ts'
import { requireMember } from './require-member.ts'
import type { OneTeam } from './schema.ts'
import type { Call } from '../core/context.ts'
import type { TeamStores } from './store.ts'
import type { MemberStores } from './member-store.ts'

/** The departments of a team, by slug; plain members see their own. */
export async function listDepartments(
  ctx: Call & DepartmentStores & TeamStores & MemberStores,
  { teamId }: OneTeam,
): Promise<DepartmentList> {
  const place = await requireMember(ctx, teamId)
  const departments = visibleDepartments(place, await ctx.departments.list(teamId))
  return { departments: departments.map(showDepartment) }
}

/** A department as answers show it. */
export function showDepartment({ id, name, slug }: Department): ShownDepartment {
  return { id, name, slug }
}
