import { slugify } from '../text/slugify.ts'
import type { CreateDepartment, CreatedDepartment } from './department-schema.ts'
import type { Department, DepartmentStores } from './department-store.ts'
import { presentDepartment } from './list-departments.ts'
import { managerRoles, requireMember, requireRole } from './require-member.ts'
import type { Call } from '../core/context.ts'
import type { TeamStores } from './store.ts'
import type { MemberStores } from './member-store.ts'

const maxAttempts = 5

/**
 * Creates a department; returns the existing one (`created: false`) if the name gives the same slug. For OWNER and
 * ADMIN.
 */
export async function createDepartment(
  ctx: Call & DepartmentStores & TeamStores & MemberStores,
  { teamId, name }: CreateDepartment,
): Promise<CreatedDepartment> {
  await requireRole(ctx, teamId, managerRoles)
  const slug = slugify(name)
  const newDepartment: Department = { id: ctx.newId(), teamId, name, slug, createdAt: ctx.now(), removingAt: null }
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const existing = (await ctx.departments.list(teamId)).find((department) => department.slug === slug)
    if (existing) return { department: presentDepartment(existing), created: false }
    if (!(await ctx.departments.add(newDepartment))) continue
    await requireTeamStillExists(ctx, teamId)
    return { department: presentDepartment(newDepartment), created: true }
  }
  throw new Error(`The slug ${slug} is taken, but no department has it`)
}

/** Throws NOT_A_TEAM_MEMBER if the team was deleted meanwhile, after removing the new department. */
async function requireTeamStillExists(
  ctx: Call & TeamStores & DepartmentStores & MemberStores,
  teamId: string,
): Promise<void> {
  if (!(await ctx.teams.byId(teamId))) await ctx.departments.removeTeam(teamId)
  await requireMember(ctx, teamId)
}
