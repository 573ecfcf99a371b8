import { AppError } from '../core/errors.ts'
import { slugify } from '../text/slugify.ts'
import type { CreateDepartment, CreatedDepartment } from './department-schema.ts'
import type { Department, DepartmentStores } from './department-store.ts'
import { countDepartment, loadTeamContents } from './count-departments.ts'
import { managerRoles, requireMember, requireRole } from './require-member.ts'
import type { Call } from '../core/context.ts'
import type { TeamStores } from './store.ts'
import type { MemberStores } from './member-store.ts'
import type { ShareStores } from './share-store.ts'

const maxAttempts = 5
/** The maximum number of departments of a team: its access report names all of them for each book that is shared with the whole team. */
export const maxDepartments = 200

/**
 * Creates a department; returns the existing one (`alreadyExisted`) if the name gives the same slug. For OWNER and
 * ADMIN. Refuses more departments than a team may have with CONFLICT.
 */
export async function createDepartment(
  ctx: Call & DepartmentStores & TeamStores & MemberStores & ShareStores,
  { teamId, name }: CreateDepartment,
): Promise<CreatedDepartment> {
  await requireRole(ctx, teamId, managerRoles)
  const slug = slugify(name)
  const newDepartment: Department = { id: ctx.newId(), teamId, name, slug, createdAt: ctx.now(), removingAt: null }
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const departments = await ctx.departments.list(teamId)
    const existing = departments.find((department) => department.slug === slug)
    if (existing) {
      const department = countDepartment(existing, await loadTeamContents(ctx, teamId))
      return { department, created: false, alreadyExisted: true }
    }
    if (departments.length >= maxDepartments) throw tooManyDepartmentsError()
    if (!(await ctx.departments.add(newDepartment))) continue
    await requireTeamStillExists(ctx, teamId)
    const department = countDepartment(newDepartment, { members: [], shares: [] })
    return { department, created: true, alreadyExisted: false }
  }
  throw new Error(`The slug ${slug} is taken, but no department has it`)
}

function tooManyDepartmentsError(): AppError {
  const message = `The team has ${maxDepartments} departments, the most that a team can have. Use one of them, or delete one.`
  return new AppError('CONFLICT', message)
}

/** Throws NOT_A_TEAM_MEMBER if the team was deleted meanwhile, after removing the new department. */
async function requireTeamStillExists(
  ctx: Call & TeamStores & DepartmentStores & MemberStores,
  teamId: string,
): Promise<void> {
  if (!(await ctx.teams.byId(teamId))) await ctx.departments.removeTeam(teamId)
  await requireMember(ctx, teamId)
}
